// Failing emulated ranks: all ranks end and report the reason.
#include <mutex>
#include <stdexcept>
#include <vector>

#include "algorithms/base/error.hpp"
#include "collectives/host/execute.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/world.hpp"

using namespace emulated;

namespace {

void send_to(Communicator& c, Rank peer, int lane) {
  std::vector<float> values(10);
  start(c, lane, {transfer(ActionKind::send, peer, values)});
  c.wait();
}

void receive_from(Communicator& c, Rank peer, int lane, Count elements = 10) {
  std::vector<float> values(static_cast<std::size_t>(elements));
  start(c, lane, {transfer(ActionKind::replace, peer, values)});
  c.wait();
}

}  // namespace

TEST_CASE("emulated ranks: a deadlock lists which rank waits for what") {
  const std::string text = failure([] {
    run(4, [](Communicator& c) {
      std::mutex mutex;
      const auto never = c.clock().condition();
      std::unique_lock lock(mutex);
      compute(c, kMs);
      if (c.rank() == 0) receive_from(c, 1, 3);
      if (c.rank() == 1) send_to(c, 3, 9);
      if (c.rank() == 2) c.barrier();
      if (c.rank() == 3) {
        std::thread thread = c.clock().start([&] {
          std::unique_lock inner(mutex);
          never.wait(inner);
        });
        lock.unlock();
        c.clock().join(thread);
      }
    });
  });
  CHECK_THAT(text, contains("in a deadlock"));
  CHECK_THAT(text, contains("rank 0 waits for lane 3 (a message from rank 1)"));
  CHECK_THAT(text, contains("rank 1 waits for lane 9 (rank 3 to take its message)"));
  CHECK_THAT(text, contains("rank 2 waits for all ranks"));
  CHECK_THAT(text, contains("rank 3 joins rank 3 (thread 1)"));
  CHECK_THAT(text, contains("rank 3 (thread 1) waits for a condition"));
}

TEST_CASE("emulated ranks: a deadlock names three lanes of a rank and counts the others") {
  const auto text_of = [](const std::vector<int>& lanes) {
    return failure([&] {
      run(2, [&](Communicator& c) {
        std::vector<float> values(10);
        if (c.rank() == 1) c.barrier();
        for (const int lane : lanes) start(c, lane, {transfer(ActionKind::replace, 1, values)});
        c.wait();
      });
    });
  };
  const std::string from = " (a message from rank 1)";
  const std::string three =
      "rank 0 waits for lane 7" + from + ", lane 1" + from + ", lane 4" + from;
  CHECK_THAT(text_of({7, 1, 4}), contains(three + "; rank 1 waits"));
  CHECK_THAT(text_of({7, 1, 4, 2}), contains(three + " and 1 more lanes; rank 1 waits"));
  CHECK_THAT(text_of({7, 1, 4, 2, 9}), contains(three + " and 2 more lanes; rank 1 waits"));
}

TEST_CASE("emulated ranks: a lane has one round at a time") {
  int in_turn = 0;
  CHECK_THAT(failure([&] {
               run(2, [&](Communicator& c) {
                 std::vector<float> values(10);
                 const auto kind = c.rank() == 0 ? ActionKind::send : ActionKind::replace;
                 for (int repeat = 0; repeat < 2; ++repeat) {
                   start(c, 3, {transfer(kind, 1 - c.rank(), values)});
                   in_turn += c.wait() == 3;
                 }
                 c.barrier();
                 for (int repeat = 0; repeat < 2; ++repeat)
                   start(c, 3, {transfer(kind, 1 - c.rank(), values)});
                 c.wait();
               });
             }),
             contains("a lane starts a round before its previous one is done"));
  CHECK(in_turn == 4);
}

TEST_CASE("emulated ranks: polling forever counts as a deadlock, after about a thousand polls") {
  int polls = 0;
  CHECK_THAT(failure([&] {
               run(2, [&](Communicator& c) {
                 std::vector<float> values(10);
                 if (c.rank() == 1) return;
                 start(c, 0, {transfer(ActionKind::replace, 1, values)});
                 while (c.poll() < 0) ++polls;
               });
             }),
             contains("rank 0 polls"));
  CHECK(polls > 900);
  CHECK(polls < 1100);
}

TEST_CASE("emulated ranks: an exception in one ends all, wherever they wait") {
  const Rank failing = GENERATE(0, 3, 7);
  int ended = 0;
  const std::string text = failure([&] {
    run(8, [&](Communicator& c) {
      struct AtEnd {
        int& count;
        ~AtEnd() { ++count; }
      } const at_end{ended};
      if (c.rank() == failing) {
        compute(c, 2 * kMs);
        throw std::runtime_error("rank lost");
      }
      std::mutex mutex;
      const auto never = c.clock().condition();
      std::unique_lock lock(mutex);
      switch (c.rank() % 4) {
        case 0:
          return c.barrier();
        case 1:
          return receive_from(c, (c.rank() + 1) % 8, 0);
        case 2:
          return never.wait_until(lock, 1e6);
        default:
          compute(c, 100 * kMs);
          c.sum(1);
      }
    });
  });
  CHECK(text == "rank lost");
  CHECK(ended == 8);
}

TEST_CASE("emulated ranks: a failure in a second thread or in a computation ends all") {
  CHECK(failure([] {
          run(2, [](Communicator& c) {
            std::thread thread = c.clock().start([&] {
              compute(c, kMs);
              if (c.rank() == 1) throw std::runtime_error("thread lost");
            });
            c.clock().join(thread);
            c.barrier();
          });
        }) == "thread lost");
  CHECK(failure([] {
          run(3, [](Communicator& c) {
            c.clock().begin_compute(kMs);
            if (c.rank() == 1) throw std::runtime_error("computation lost");
            c.clock().end_compute();
            c.barrier();
          });
        }) == "computation lost");
}

TEST_CASE("emulated ranks: both ends of a message must agree on its size") {
  CHECK_THAT(failure([] {
               run(2, [](Communicator& c) {
                 if (c.rank() == 0) send_to(c, 1, 0);
                 if (c.rank() == 1) receive_from(c, 0, 0, 11);
               });
             }),
             contains("rank 0 sends 10 elements to rank 1, which expects 11"));
}

TEST_CASE("emulated ranks: an unreceived message is an error, unless its rank abandons") {
  const auto ends = [](bool abandons) {
    return failure([&] {
      const auto eager = make_network(find_model("loggops"), {}, 2);
      on_emulated_ranks(*eager, 2, [&](Communicator& c) {
        if (c.rank() == 0) send_to(c, 1, 5);
        if (c.rank() == 1 && abandons) {
          std::vector<float> freed(10);
          start(c, 6, {transfer(ActionKind::replace, 0, freed)});
          c.abandon();
        }
      });
    });
  };
  CHECK_THAT(ends(false), contains("a message on lane 5 from rank 0 to rank 1"));
  CHECK(ends(true) == "");
}

TEST_CASE("emulated ranks: errors of the network end them") {
  CHECK_THAT(failure([] {
               const auto slow = make_network(find_model("alpha_beta"), {{"beta", 1e18}}, 2);
               on_emulated_ranks(*slow, 2, [](Communicator& c) {
                 if (c.rank() == 0) send_to(c, 1, 0);
                 if (c.rank() == 1) receive_from(c, 0, 0);
               });
             }),
             contains("over 11 days"));
}

TEST_CASE("emulated ranks: rejects invalid options and calls") {
  const auto nothing = [](Communicator&) {};
  const auto fails = [](Blame blame, const std::string& part, const auto& use) {
    try {
      use();
    } catch (const Error& error) {
      CHECK_THAT(error.what(), contains(part));
      return error.blame() == blame;
    }
    return false;
  };
  for (const Rank ranks : {-1, 0, 1025})
    CHECK(fails(Blame::usage, "use 1 to 1024",
                [&] { on_emulated_ranks(*network(2), ranks, nothing); }));
  CHECK(fails(Blame::usage, "use one per rank", [&] { run(2, nothing, {.slowdown = {1}}); }));
  for (const double bad : {0.0, -1.0, std::nan("")})
    CHECK(fails(Blame::usage, "above 0", [&] { run(1, nothing, {.slowdown = {bad}}); }));
  CHECK(fails(Blame::usage, "jitter", [&] { run(1, nothing, {.jitter = -1}); }));
  for (const double bad : {-1.0, std::nan("")})
    CHECK(fails(Blame::usage, "0 or more",
                [&] { run(1, [&](Communicator& c) { compute(c, bad); }); }));
  CHECK(fails(Blame::usage, "use fewer segments",
              [&] { run(1, [&](Communicator& c) { start(c, 4096, {}); }); }));
  CHECK(fails(Blame::check, "no emulated clock has started", [&] {
    run(1, [&](Communicator& c) {
      std::exception_ptr why;
      std::thread([&] {
        try {
          c.clock().now();
        } catch (...) {
          why = std::current_exception();
        }
      }).join();
      if (why) std::rethrow_exception(why);
    });
  }));
}
