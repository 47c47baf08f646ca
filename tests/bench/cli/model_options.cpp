// Models and networks as options name them.
#include "bench/cli/model_options.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/schedules.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

ModelOptions ranks_of_one_machine(const char* shared) {
  ModelOptions model;
  model.model = "connections";
  model.given = {{"shared", shared}};
  return model;
}

}  // namespace

TEST_CASE("ranks of one machine have no network that could be stated") {
  ModelOptions model = ranks_of_one_machine("yes");
  CHECK(model.networks().size() == 1);
  model.topologies = {"torus:dims=2x2"};
  CHECK(error_text(Blame::usage, [&] { model.networks(); }) ==
        "ranks of one machine have no network: leave out --topology, --placement, --routing, "
        "--fault and --seed, or use --shared no");
  model.given["shared"] = "no";
  CHECK(model.networks().front().topology == "torus:dims=2x2");
}

TEST_CASE("no links bound the time of ranks of one machine") {
  const Problem problem{.ranks = 4, .elements = 1000};
  CHECK_FALSE(ranks_of_one_machine("yes").bound(0, problem, 4));
  CHECK(ranks_of_one_machine("no").bound(0, problem, 4) > 0);
}
