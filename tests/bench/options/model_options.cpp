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
        "ranks of one machine have no network: leave out topology, placement, routing, seed, dead "
        "and slow, or set shared=no");
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

TEST_CASE("networks that are given twice are one network") {
  ModelOptions model;
  model.topologies = {"torus:dims=2x2,torus:dims=2x2,torus:dims=2x2,placement=random,ring:hosts=4"};
  CHECK(model.networks().size() == 3);
  CHECK(model.networks()[1].topology == "torus:dims=2x2");
  CHECK(model.networks()[1].placement == "random");
}

TEST_CASE("options of random choices need some") {
  ModelOptions model;
  model.model = "packet";
  model.topologies = {":seed=7"};
  model.check_effects();  // routing automatic may be ecmp
  model.topologies = {":seed=7,routing=shortest"};
  CHECK_THAT(error_text(Blame::usage, [&] { model.check_effects(); }),
             contains("seed has no effect here"));
  model.topologies = {":seed=7,routing=shortest", ":seed=7,routing=shortest,placement=random"};
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

TEST_CASE("any topology takes placement, routing, seed and broken links among its settings") {
  const TopologyOptions all = topology_options(
      "torus:placement=cyclic,dims=2x2,dead=h0--h1,routing=ecmp:flows=4,slow=h1-h3:4,seed=3");
  CHECK(all.topology == "torus:dims=2x2");
  CHECK(all.placement == "cyclic");
  CHECK(all.routing == "ecmp:flows=4");
  CHECK(all.seed == 3);
  CHECK(all.faults == std::vector<std::string>{"dead=h0--h1", "slow=h1-h3:4"});
  CHECK(topology_options("ring:routing=shortest").topology == "ring");
  CHECK(topology_options("file:a.dot:placement=hosts.txt").topology == "file:a.dot");
  CHECK(topology_options("torus:dims=2x2").topology == "torus:dims=2x2");
  TopologyOptions usual;
  usual.topology = "ring:hosts=4";
  CHECK(topology_options(":seed=1", usual).topology == "ring:hosts=4");
  CHECK(error_text(Blame::usage, [] { topology_options("ring:seed=1,seed=2"); }) ==
        "network 'ring:seed=1,seed=2' sets seed twice: give it once");
  CHECK_THAT(error_text(Blame::usage, [] { topology_options("ring:placement="); }),
             contains("has an empty placement"));
  CHECK_THAT(error_text(Blame::usage, [] { topology_options("ring:seed=-1"); }),
             contains("seed is -1"));
  CHECK(with_host_setting("ring", "seed=1") == "ring:seed=1");
  CHECK(with_host_setting("file:a.dot", "seed=1") == "file:a.dot:seed=1");
  CHECK(with_host_setting("torus:dims=2x2", "seed=1") == "torus:seed=1,dims=2x2");
}
