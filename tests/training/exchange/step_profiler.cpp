// Profiles of a few steps whose first ones are slow, with a clock that is set by hand.
#include "training/exchange/step_profiler.hpp"

#include "collectives/threads/threads.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

class SetClock final : public Clock {
 public:
  double now() override { return now_; }
  std::thread start(std::function<void()>) override { return {}; }
  void join(std::thread&) override {}
  Condition condition() override { return {}; }
  void pass(double seconds) { now_ += seconds; }

 private:
  double now_ = 0;
};

/// Profiles steps of two variables with these factors: of the first forward pass, which takes a
/// second, of what follows until the first gradient, 6 seconds, and of the last backward pass, 2.
Profile profile_of_steps(const std::vector<std::vector<double>>& factors) {
  Profile profile(2);
  on_threads(1, [&](Communicator& communicator) {
    SetClock clock;
    StepProfiler profiler(clock, 2);
    for (const std::vector<double>& factor : factors) {
      profiler.start_step();
      profiler.need(0);
      clock.pass(factor[0]);
      profiler.need(1);
      clock.pass(6 * factor[1]);  // a third of it forward
      profiler.ready(1);
      clock.pass(100);  // not of a pass
      profiler.resume();
      clock.pass(2 * factor[2]);
      profiler.ready(0);
      clock.pass(100);
    }
    profiler.agree(communicator, profile);
  });
  return profile;
}

}  // namespace

TEST_CASE("the least time of each pass counts, whichever step it is of") {
  const auto seconds = [](double value) { return to_time(value * kPicosecondsPerSecond / 1e6); };
  for (const auto& factors : {std::vector<std::vector<double>>{
                                  {5e-6, 3e-6, 2e-6}, {1.5e-6, 1e-6, 1e-6}, {1e-6, 1.25e-6, 3e-6}},
                              {{1e-6, 1e-6, 1e-6}}}) {
    const Profile profile = profile_of_steps(factors);
    CHECK(profile[0].forward == seconds(1));
    CHECK(profile[1].forward == seconds(2));
    CHECK(profile[1].backward == seconds(4));
    CHECK(profile[0].backward == seconds(2));
  }
}
