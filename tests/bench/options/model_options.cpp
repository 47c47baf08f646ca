// Models and networks as options name them.
#include "bench/options/model_options.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/schedules.hpp"

using namespace arlab;
using namespace arlab::bench;
using collectives::contains;

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
        "--fault and --seed, or set shared=no");
  model.given["shared"] = "no";
  CHECK(model.networks().front().topology == "torus:dims=2x2");
}

TEST_CASE("a topology without a model is simulated with fluid") {
  ModelOptions model;
  CHECK(model.parsed_model().name == "alpha_beta");
  model.topologies = {"torus:dims=2x2"};
  CHECK(model.parsed_model().name == "fluid");
  CHECK(model.networks().size() == 1);
  for (const char* name : {"packet", "connections"}) {
    model.model = name;
    CHECK(model.parsed_model().name == name);
  }
  model.model = "alpha_beta";
  CHECK_THAT(error_text(Blame::usage, [&] { model.networks(); }), contains("knows no topology"));
}

TEST_CASE("topologies and placements that are given twice are one network") {
  ModelOptions model;
  model.topologies = {"torus:dims=2x2,torus:dims=2x2,ring:hosts=4"};
  model.placements = {"block", "random", "block"};
  CHECK(model.networks().size() == 4);
}

TEST_CASE("options of random choices need some") {
  ModelOptions model;
  model.model = "packet";
  model.network.seed = 7;
  model.check_effects();  // routing automatic may be ecmp
  model.network.routing = "shortest";
  CHECK_THAT(error_text(Blame::usage, [&] { model.check_effects(); }),
             contains("--seed has no effect here"));
  model.placements = {"block", "random"};
  model.check_effects();
  ModelOptions drifting;
  drifting.model = "connections";
  drifting.given = {{"drift_runs", "3"}};
  CHECK_THAT(error_text(Blame::usage, [&] { drifting.check_effects(); }),
             contains("drift_runs has no effect here"));
  drifting.given["drift"] = "1us";
  drifting.check_effects();
}

TEST_CASE("packet: flow_queues is 0 or 1") {
  ModelOptions model;
  model.model = "packet";
  model.given = {{"flow_queues", "1"}};
  CHECK(model.values().at("flow_queues") == 1);
  model.given = {{"flow_queues", "2"}};
  CHECK_THAT(error_text(Blame::usage, [&] { model.values(); }), contains("from 0 to 1"));
}

TEST_CASE("no links bound the time of ranks of one machine") {
  const Problem problem{.ranks = 4, .elements = 1000};
  CHECK_FALSE(ranks_of_one_machine("yes").bound(0, problem, 4));
  CHECK(ranks_of_one_machine("no").bound(0, problem, 4) > 0);
}
