// Staggering: workers whose bursts collide on a parameter server's link, and workers whose do not.
#include "simulator/models/model.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/toy_training.hpp"
#include "training/emulation/emulated_ranks.hpp"

using namespace arlab;
using namespace arlab::simulator;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

/// Returns worker 0's waiting time per step in seconds, on links with fair sharing.
double exposed(const std::string& scheduler) {
  toy::Run run;
  run.ranks = 4;  // three workers, one server
  run.global_batch = 24;
  run.samples = 24 * 40;
  run.learning.strategy = "async_parameter_server";
  run.learning.options.gradients.scheduler = scheduler;
  run.learning.speed = 1e7;  // 8 samples of 900 multiply-adds, three times: 2.2 ms
  run.world = [](Rank ranks, const std::function<void(Communicator&)>& body) {
    const auto network = make_network(find_model("fluid"), {}, ranks,
                                      {.topology = "crossbar:bandwidth=100Mbps,latency=1us"});
    on_emulated_ranks(*network, ranks, body);
  };
  double waited = 0;
  Count steps = 0;
  run.each_step = [&](const StepReport& r, Rank rank) {
    if (rank == 0 && r.step.number >= 10) waited += r.exposed, ++steps;
  };
  toy::train(run);
  return waited / static_cast<double>(steps);
}

}  // namespace

TEST_CASE("workers that start one after another do not share the server's link") {
  const double together = exposed("buckets"), staggered = exposed("stagger");
  CAPTURE(together, staggered);
  CHECK(staggered < 0.6 * together);
}
