// What strategies send and how long workers compute, against closed forms.
#include <algorithm>
#include <limits>

#include "simulator/models/model.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/toy_training.hpp"
#include "training/emulation/emulated_ranks.hpp"

using namespace arlab;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

constexpr Count kSteps = 10;  // of an epoch

Count bytes_of(const toy::Result& result) {
  return 4 * static_cast<Count>(result.weights[0].size());
}

double work_of_a_sample() {
  double work = 0;
  const toy::ToyReplica replica;
  for (const Variable& v : replica.variables()) work += static_cast<double>(v.work);
  return work;
}

// Runs on emulated ranks; messages take no time, unless alpha is given, in picoseconds.
void emulate(toy::Run& run, std::vector<double> slowdown = {}, double alpha = 0) {
  run.world = [=](Rank ranks, const std::function<void(Communicator&)>& body) {
    const auto network = simulator::make_network(
        simulator::find_model("alpha_beta"), {{"alpha", alpha}, {"beta", 0}, {"gamma", 0}}, ranks);
    on_emulated_ranks(*network, ranks, body, {.slowdown = slowdown});
  };
}

}  // namespace

TEST_CASE("every strategy sends as many bytes as its definition says") {
  struct Case {
    const char* strategy;
    Rank ranks;
    double vectors;  // that all ranks send together in a step
    double once;     // and in the epoch
  };
  for (const Case& c : {
           Case{"mirrored", 4, 2 * 3, 0},               // ring: 2 (m - 1)
           Case{"central_storage", 4, 2 * 3, 0},        // reduce and broadcast
           Case{"stale_synchronous", 3, 3 * 2, 0},      // each to each other, bound 0
           Case{"stale_synchronous", 4, 4 * 3, 2 * 3},  // bound 1: then an average
           Case{"local_sgd", 4, 0, 2 * 2 * 3},          // averages after 8 steps and at the end
           Case{"diloco", 4, 0, 2 * 2 * 3},             // the same
       }) {
    toy::Run run;
    run.ranks = c.ranks;
    run.learning.strategy = c.strategy;
    run.learning.options.values["staleness"] = c.once > 0 ? 1 : 0;
    const toy::Result result = toy::train(run);
    INFO(c.strategy << " on " << c.ranks << " ranks");
    REQUIRE(result.epochs.size() == 1);
    CHECK(static_cast<double>(result.epochs[0].bytes_sent) ==
          (c.vectors * kSteps + c.once) * static_cast<double>(bytes_of(result)));
  }
}

// And once more at the end of the epoch, after which the workers are equal.
TEST_CASE("parameter servers: all gradients go to them and all weights come back, in each step") {
  for (const char* strategy : {"parameter_server", "async_parameter_server"})
    for (const Rank servers : {1, 2, 4}) {
      toy::Run run;
      run.ranks = 3 + servers;
      run.learning.strategy = strategy;
      run.learning.options.values["servers"] = servers;
      const toy::Result result = toy::train(run);
      INFO(strategy << ", " << servers << " servers");
      CHECK(result.epochs[0].bytes_sent == 3 * (2 * kSteps + 1) * bytes_of(result));
    }
}

TEST_CASE("simulated computation takes three times the multiply-adds, on the slowest worker") {
  constexpr double kSpeed = 1e6;  // multiply-adds per second
  for (const bool overlap : {true, false})
    for (const Count batch : {24, 26}) {
      toy::Run run;
      run.ranks = 3;
      run.global_batch = batch;
      run.samples = kSteps * batch;
      run.learning.speed = kSpeed;
      run.learning.overlap = overlap;
      Count steps = 0;
      double work = 0;
      const toy::ToyReplica replica;
      for (const Variable& v : replica.variables()) work += static_cast<double>(v.work);
      const auto seconds = [&](Count samples) {
        return 3 * work * static_cast<double>(samples) / kSpeed;
      };
      run.each_step = [&](const StepReport& r, Rank rank) {
        if (rank != 2) return;
        ++steps;
        CHECK(r.compute() == Approx(2 * seconds(8)).epsilon(1e-9));  // 26 samples: 9, 9 and 8
      };
      emulate(run, {1, 1.5, 2});
      const toy::Result result = toy::train(run);
      const EpochReport& e = result.epochs[0];
      CHECK(steps == kSteps);
      CHECK(e.steps == kSteps);
      CHECK(e.compute == Approx(kSteps * 2 * seconds(8)).epsilon(1e-9));  // the slowest
      CHECK(e.seconds == Approx(e.compute).epsilon(1e-9));
      // The first worker waits in each step for the slowest.
      CHECK(e.exposed == Approx(kSteps * (2 * seconds(8) - seconds(batch == 24 ? 8 : 9))));
      CHECK(e.input == 0);
    }
}

TEST_CASE("micro-batches together compute as long as their batch") {
  for (const int parts : {1, 2, 5}) {
    toy::Run run;
    run.ranks = 2;
    run.learning.speed = 1e6;
    run.learning.micro_batches = parts;
    emulate(run);
    const toy::Result result = toy::train(run);
    double work = 0;
    const toy::ToyReplica replica;
    for (const Variable& v : replica.variables()) work += static_cast<double>(v.work);
    CHECK(result.epochs[0].compute == Approx(kSteps * 3 * work * 12 / 1e6).epsilon(1e-9));
  }
}

TEST_CASE(
    "communication counts whether it is waited for or not, and exposed is what is waited for") {
  constexpr double kAlpha = 1e-3;
  double work = 0;
  const toy::ToyReplica replica;
  for (const Variable& v : replica.variables()) work += static_cast<double>(v.work);
  const double compute = kSteps * 3 * work * 12 / 1e6;
  const double communication = kSteps * 4 * 2 * kAlpha;  // four buckets, a ring of two
  for (const bool overlap : {false, true}) {
    INFO((overlap ? "overlapped" : "not overlapped"));
    toy::Run run;
    run.ranks = 2;
    run.learning.speed = 1e6;
    run.learning.overlap = overlap;
    run.learning.options.gradients.scheduling = {{"first_bucket", 4}, {"bucket", 4}};
    emulate(run, {}, kAlpha * 1e12);
    double exposed = 0, communicated = 0;
    run.each_step = [&](const StepReport& r, Rank rank) {
      exposed += rank == 0 ? r.exposed : 0;
      communicated += rank == 0 ? r.communication : 0;
    };
    const EpochReport e = toy::train(run).epochs[0];
    CHECK(e.communication == Approx(communication));
    CHECK(communicated == Approx(communication));
    CHECK(exposed == Approx(e.exposed));
    CHECK(e.compute == Approx(compute));
    CHECK(e.seconds == Approx(compute + e.exposed));
    // The passes hide all but the last gradient, that of the first layer's weights.
    CHECK(e.exposed == Approx(overlap ? communication / 4 : communication));
  }
}

// Each worker computes equally long, whatever ends an epoch: averages, gathers, and last messages.
TEST_CASE("what makes workers equal is part of the last step, so that its parts add up to it") {
  constexpr double kAlpha = 1e-3, kSpeed = 1e6;
  constexpr double kUnknown = -1;
  struct Case {
    const char* strategy;
    const char* scheduler;
    double exposed;  // in messages; a ring of four exchanges in six
  };
  for (const Case& c :
       {Case{"mirrored", "dear", kUnknown}, Case{"zero1", "buckets", kUnknown},
        Case{"fsdp", "buckets", kUnknown}, Case{"hsdp", "buckets", kUnknown},
        Case{"local_sgd", "buckets", 3 * 6},  // after 4, 8 and 10 steps
        Case{"diloco", "buckets", 3 * 6}, Case{"stale_synchronous", "buckets", kUnknown},
        Case{"parameter_server", "buckets", kUnknown},
        Case{"async_parameter_server", "buckets", kUnknown}})
    for (const Count check_every : {0, 3}) {
      INFO(c.strategy << ", compared every " << check_every << " steps");
      toy::Run run;
      run.ranks = 4;
      run.learning.strategy = c.strategy;
      run.learning.speed = kSpeed;
      run.learning.check_every = check_every;
      run.learning.options.gradients.scheduler = c.scheduler;
      run.learning.options.values["every"] = 4;
      run.learning.route_options.group_size = c.strategy == std::string_view("hsdp") ? 2 : 0;
      const Rank workers = find_strategy(c.strategy).has_servers ? 3 : 4;
      double least = std::numeric_limits<double>::infinity(), most = 0;
      std::vector<double> exposed(4);  // by rank
      Count bytes = 0;
      run.each_step = [&](const StepReport& r, Rank rank) {
        bytes += r.bytes_sent;
        if (rank >= workers) return;
        least = std::min(least, r.compute());
        most = std::max(most, r.compute());
        exposed[static_cast<std::size_t>(rank)] += r.exposed;
      };
      emulate(run, {}, kAlpha * 1e12);
      const EpochReport e = toy::train(run).epochs[0];
      const double compute = 3 * work_of_a_sample() * 24 / workers / kSpeed;
      CHECK(least == Approx(compute));
      CHECK(most == Approx(compute));
      CHECK(e.compute == Approx(kSteps * compute));
      CHECK(*std::max_element(exposed.begin(), exposed.end()) == Approx(e.exposed));
      CHECK(bytes == e.bytes_sent);
      CHECK(e.seconds == Approx(e.compute + e.exposed));
      if (c.exposed != kUnknown) CHECK(e.exposed == Approx(c.exposed * kAlpha));
    }
}

TEST_CASE(
    "what rank 0 does between steps, such as writing a checkpoint, is nobody's communication") {
  const auto report = [](double seconds) {
    toy::Run run;
    run.ranks = 3;
    run.learning.speed = 1e6;
    run.prepare = [seconds](Trainer& t) {
      t.on_settled(2, [seconds, its = &t](const EpochReport*) {
        if (its->communicator().rank() == 0) its->communicator().clock().sleep(seconds);
      });
    };
    emulate(run, {}, 1e9);
    return toy::train(run).epochs[0];
  };
  const EpochReport quick = report(0), slow = report(1);
  CHECK(quick.exposed == Approx(kSteps * 4e-3));  // a ring of three
  CHECK(slow.exposed == Approx(quick.exposed));
  CHECK(slow.seconds == Approx(quick.seconds));
}
