// Schedules in whole training runs: the reference iteration of three layers (forward 1, backward 2,
// an allreduce of 2, 2 and 6 units) on two emulated ranks, through trainer, exchange, scheduler and
// ring, takes the time computed by hand.
#include <cmath>
#include <map>

#include "simulator/models/model.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/thorough.hpp"
#include "tests/support/toy_training.hpp"
#include "training/emulation/emulated_ranks.hpp"

using namespace arlab;
using namespace arlab::simulator;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

constexpr Count kUnit = 20'000;  // elements that an allreduce exchanges in a unit
constexpr double kSpeed = 1e6;   // multiply-adds per second
constexpr int kSteps = 24;

/// Three layers with costs only: 1 ms each for the only sample.
std::unique_ptr<Replica> layers() {
  constexpr auto kWork = static_cast<Count>(kSpeed * 1e-3);
  return std::make_unique<toy::CostsOnly>(std::initializer_list<toy::CostsOnly::Cost>{
      {2 * kUnit, kWork}, {2 * kUnit, kWork}, {6 * kUnit, kWork}});
}

/// Returns milliseconds per step (one is a unit), over the second half of the steps.
double period(const std::string& scheduler, const Values& values, double alpha) {
  toy::Run run;
  run.ranks = 2;
  run.global_batch = 2;
  run.samples = 2 * kSteps;
  run.learning.speed = kSpeed;
  run.learning.check_every = 0;
  run.learning.options.gradients.scheduler = scheduler;
  run.learning.options.gradients.scheduling = values;
  run.make = [](Rank) { return layers(); };
  // On a ring of two, exchanging n bytes takes 2 (alpha' + n / 2 beta').
  run.world = [&](Rank ranks, const std::function<void(Communicator&)>& body) {
    const double beta = 1e-3 * kPicosecondsPerSecond / (4 * kUnit);
    const auto network =
        make_network(find_model("alpha_beta"),
                     {{"alpha", alpha / 2 * 1e-3 * kPicosecondsPerSecond}, {"beta", beta}}, ranks);
    on_emulated_ranks(*network, ranks, body);
  };
  std::vector<double> begins;
  run.each_step = [&](const StepReport& r, Rank rank) {
    if (rank == 0) begins.push_back(r.begin);
  };
  toy::train(run);
  const std::size_t half = kSteps / 2, last = kSteps - 1;
  return 1e3 * (begins[last] - begins[half]) / static_cast<double>(last - half);
}

struct Expected {
  const char* scheduler;
  Values values;
  double alpha;          // units
  double without, with;  // units per step, without and with alpha
};

}  // namespace

TEST_CASE("the reference iteration takes the expected time under every schedule in real training") {
  const Values one{{"first_bucket", 1e9}, {"bucket", 1e9}};
  const Values cap{{"first_bucket", 4. * 4 * kUnit}, {"bucket", 4. * 4 * kUnit}};
  // Each half of the ring's allreduce has half a start-up time; in the reference each half of
  // DeAR's has a whole one.
  const Expected all[] = {{"none", {}, 0.5, 19, 20.5},    {"buckets", one, 0.5, 19, 19.5},
                          {"buckets", cap, 0.5, 15, 16},  {"fifo", {}, 0.5, 15, 16.5},
                          {"stagger", {}, 0.5, 15, 16.5}, {"dear", {}, 1, 13, 16}};
  for (const Expected& e : all) {
    if (kThreadSanitizer && e.scheduler != std::string_view("fifo")) continue;
    INFO(e.scheduler);
    CHECK(period(e.scheduler, e.values, 0) == Approx(e.without).epsilon(1e-6));
    CHECK(period(e.scheduler, e.values, e.alpha) == Approx(e.with).epsilon(1e-6));
  }
}

// The leader broadcasts its next task: one more message before each task.
TEST_CASE("a leader's broadcast costs one message and no more") {
  const double word = 208. / (4 * kUnit);  // units, of 26 numbers of 8 bytes
  const Values slices{{"slice", 0.25 * 4 * kUnit}};
  const double whole = period("tictac", {}, 0);
  CHECK(whole >= 14);
  CHECK(whole <= 14 + 3 * word + 1e-6);
  const double sliced = period("priority", slices, 0);
  CHECK(sliced >= 13);
  CHECK(sliced <= 13.25 + 40 * word);
  CHECK(period("priority", slices, 0.5) >
        20);  // one latency per slice and one per broadcast: too many slices
}
