// Collectives of a process group in shared memory, over threads, sanitized and without PyTorch.
#include "training/plugins/torch/ranks/shared_group.hpp"

#include <algorithm>
#include <barrier>
#include <cmath>
#include <functional>
#include <thread>

#include "collectives/patience.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/zero_pages.hpp"
#include "training/plugins/torch/ranks/shared_roll_call.hpp"

using namespace arlab;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

void yield(void*, unsigned) { std::this_thread::yield(); }

void on_sharing_threads(Rank ranks, const std::function<void(SharedGroup&, Rank)>& body,
                        StepWaiting waiting = {8, yield}) {
  const ZeroPages memory(SharedSteps::bytes_for(ranks));
  std::vector<std::jthread> threads;
  for (Rank me = 0; me < ranks; ++me)
    threads.emplace_back([&, me] {
      SharedGroup group(StepCollectives({memory.data, me, ranks, waiting}, {}), {});
      body(group, me);
    });
}

Call call_of(const char* what, std::size_t elements, Rank root = -1, const char* op = "SUM") {
  Call call;
  call.what = ShortText<24>(what);
  call.type = ShortText<16>("Float");
  call.op = ShortText<8>(op);
  call.elements = static_cast<Count>(elements);
  call.root = root;
  return call;
}

float value(Rank rank, std::size_t i) {
  return static_cast<float>((i * 7 + 3) % 11) + static_cast<float>(rank);
}

std::vector<float> values(Rank rank, std::size_t size, std::size_t first = 0) {
  std::vector<float> all(size);
  for (std::size_t i = 0; i < size; ++i) all[i] = value(rank, first + i);
  return all;
}

std::vector<float> sums(Rank ranks, std::size_t size, std::size_t first = 0) {
  std::vector<float> all(size);
  for (Rank rank = 0; rank < ranks; ++rank)
    for (std::size_t i = 0; i < size; ++i) all[i] += value(rank, first + i);
  return all;
}

auto bytes(std::vector<float>& x) { return std::as_writable_bytes(std::span(x)); }

constexpr Operand kSum{DType::float32, Op::sum};
// Up to 3,800 bytes travel with their calls; pieces have 32 KiB.
constexpr std::size_t kSizes[] = {0, 1, 7, 949, 950, 951, 8192, 8193, 70'001};

}  // namespace

TEST_CASE("every collective is right in shared memory, whatever its size") {
  const Rank ranks = GENERATE(1, 2, 3, 5);
  std::vector<int> wrong(static_cast<std::size_t>(ranks));
  on_sharing_threads(ranks, [&](SharedGroup& group, Rank me) {
    const auto all = static_cast<std::size_t>(ranks), at = static_cast<std::size_t>(me);
    const auto expect = [&](bool right) { wrong[at] += right ? 0 : 1; };
    for (const std::size_t size : kSizes) {
      std::vector<float> x = values(me, size);
      group.allreduce(call_of("allreduce", size), bytes(x), kSum);
      expect(x == sums(ranks, size));
      group.allreduce(call_of("allreduce", size, -1, "AVG"), bytes(x), {DType::float32, Op::avg});
      std::vector<float> same = sums(ranks, size);
      for (std::size_t i = 0; i < size; ++i) expect(std::abs(x[i] - same[i]) < 1e-3F);
      for (Rank root = 0; root < ranks; ++root) {
        x = values(me, size);
        group.broadcast(call_of("broadcast", size, root), bytes(x));
        expect(x == values(root, size));
        x = values(me, size);
        group.reduce(call_of("reduce", size, root), bytes(x), kSum);
        expect(me != root || x == sums(ranks, size));
      }
      x.assign(size * all, -1);
      std::copy_n(values(me, size).begin(), size,
                  x.begin() + static_cast<std::ptrdiff_t>(at * size));
      group.all_gather(call_of("all_gather", size), bytes(x));
      for (Rank rank = 0; rank < ranks; ++rank)
        expect(std::ranges::equal(std::span(x).subspan(static_cast<std::size_t>(rank) * size, size),
                                  values(rank, size)));
      x = values(me, size * all);
      group.reduce_scatter(call_of("reduce_scatter", size), bytes(x), kSum);
      expect(
          std::ranges::equal(std::span(x).subspan(at * size, size), sums(ranks, size, at * size)));
      Call barrier;
      barrier.what = ShortText<24>("barrier");
      group.check(barrier);
    }
  });
  CHECK(wrong == std::vector<int>(wrong.size()));
}

TEST_CASE("averages of 16 bits do not overflow in shared memory") {
  on_sharing_threads(3, [&](SharedGroup& group, Rank) {
    for (const std::size_t size : {std::size_t{4}, std::size_t{5000}}) {
      std::vector<std::uint16_t> x(size, 0x7b00);  // 57,344: three of them are beyond float16
      group.allreduce(call_of("allreduce", size, -1, "AVG"), std::as_writable_bytes(std::span(x)),
                      {DType::float16, Op::avg});
      if (x[size - 1] != 0x7b00) std::abort();
    }
  });
}

TEST_CASE("ranks that call different collectives all get an error, and go on") {
  constexpr Rank kRanks = 3;
  std::vector<std::string> errors(kRanks);
  std::vector<std::vector<float>> kept(kRanks), after(kRanks);
  for (const std::size_t size : {std::size_t{3}, std::size_t{50'000}}) {
    on_sharing_threads(kRanks, [&](SharedGroup& group, Rank me) {
      const auto at = static_cast<std::size_t>(me);
      std::vector<float> x = values(me, me == 1 ? size + 1 : size);
      try {
        group.allreduce(call_of("allreduce", x.size()), bytes(x), kSum);
      } catch (const Error& error) {
        errors[at] = error.what();
      }
      x.resize(size);
      kept[at] = x;
      group.allreduce(call_of("allreduce", size), bytes(x), kSum);
      after[at] = x;
    });
    for (Rank rank = 0; rank < kRanks; ++rank) {
      const auto at = static_cast<std::size_t>(rank);
      CHECK_THAT(errors[at],
                 contains("rank 0 calls allreduce of " + std::to_string(size) + " Float") &&
                     contains("and rank 1 calls allreduce of " + std::to_string(size + 1)));
      CHECK(kept[at] == values(rank, size));
      CHECK(after[at] == sums(kRanks, size));
    }
  }
}

TEST_CASE("an allreduce that has begun is finished by the next call") {
  std::barrier both(2);
  std::vector<std::vector<float>> results(2);
  on_sharing_threads(2, [&](SharedGroup& group, Rank me) {
    for (const std::size_t size : {std::size_t{5}, std::size_t{20'000}}) {
      std::vector<float> x = values(me, size);
      const Call call = call_of("allreduce", size);
      if (me == 0) {
        const bool begun = group.arrive(call, bytes(x), kSum);
        const bool alone = !group.all_here();
        both.arrive_and_wait();
        both.arrive_and_wait();
        if (!begun || !alone || !group.all_here()) std::abort();
      } else {
        both.arrive_and_wait();
        if (!group.arrive(call, bytes(x), kSum) || !group.all_here()) std::abort();
        both.arrive_and_wait();
      }
      group.allreduce(call, bytes(x), kSum);
      results[static_cast<std::size_t>(me)] = x;
    }
  });
  for (const auto& result : results) CHECK(result == sums(2, 20'000));
}

TEST_CASE("a rank that would have to wait for room does not begin an allreduce") {
  const ZeroPages memory(SharedSteps::bytes_for(2));
  StepCollectives ahead({memory.data, 0, 2, {8, yield}}, {});
  std::vector<float> x(100);
  for (std::size_t step = 0; step < SharedSteps::kSlots; ++step)
    ahead.broadcast(0, bytes(x).data(), bytes(x).size());
  SharedGroup group(std::move(ahead), {});
  CHECK_FALSE(group.arrive(call_of("allreduce", 100), bytes(x), kSum));
}

TEST_CASE("ranks that have joined add zeros to the sums of the others") {
  constexpr Rank kRanks = 3;
  std::vector<Rank> last(kRanks, -2);
  std::vector<int> wrong(kRanks);
  on_sharing_threads(kRanks, [&](SharedGroup& group, Rank me) {
    const auto at = static_cast<std::size_t>(me);
    for (int step = 0; step <= me; ++step)  // rank 2 has the most
      for (const std::size_t size : {std::size_t{6}, std::size_t{30'000}}) {
        std::vector<float> x = values(me, size), wanted(size);
        group.allreduce(call_of("allreduce", size), bytes(x), kSum);
        for (Rank rank = step; rank < kRanks; ++rank)
          for (std::size_t i = 0; i < size; ++i) wanted[i] += value(rank, i);
        wrong[at] += x == wanted ? 0 : 1;
      }
    last[at] = group.join();
  });
  CHECK(last == std::vector<Rank>(kRanks, 2));
  CHECK(wrong == std::vector<int>(kRanks));
}

TEST_CASE("ranks know after how many collectives another has left") {
  const Rank ranks = 3;
  const ZeroPages memory(SharedRollCall::bytes_for(ranks));
  SharedRollCall one(memory.data, 0, ranks), other(memory.data, 2, ranks);
  CHECK(one.left_before(100) == -1);
  other.leave(7);
  CHECK(one.left_before(7) == -1);  // it has done its part
  CHECK(one.left_before(8) == 2);
  other.answer();
  other.answer();
  CHECK(one.answers() == std::vector<unsigned>{0, 0, 2});
  CHECK(other.answers() == std::vector<unsigned>{0, 0, 0});
}

TEST_CASE("a collective that needs all ranks is refused while some have joined") {
  std::vector<std::string> errors(2);
  on_sharing_threads(2, [&](SharedGroup& group, Rank me) {
    std::vector<float> x(10);
    try {
      if (me == 0)
        group.join();
      else
        group.broadcast(call_of("broadcast", 10, 1), bytes(x));
    } catch (const Error& error) {
      errors[static_cast<std::size_t>(me)] = error.what();
    }
  });
  for (const std::string& error : errors)
    CHECK_THAT(error, contains("rank 0 calls join") && contains("broadcast"));
}

TEST_CASE("a wait in shared memory ends with what its rest throws") {
  std::string error;
  on_sharing_threads(2,
                     [&](SharedGroup& group, Rank me) {
                       if (me == 1) return;
                       try {
                         Call barrier;
                         barrier.what = ShortText<24>("barrier");
                         group.check(barrier);
                       } catch (const Stalled& stalled) {
                         error = stalled.what();
                       }
                     },
                     {8, [](void*, unsigned rests) {
                        if (rests > 10) throw Stalled("nobody comes");
                      }});
  CHECK(error == "nobody comes");
}
