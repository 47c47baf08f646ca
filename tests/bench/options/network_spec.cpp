// --network: the same words for every command.
#include "bench/options/network_spec.hpp"

#include "bench/options/model_options.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/schedules.hpp"

using namespace arlab;
using namespace arlab::bench;
using collectives::contains;

namespace {

std::string refused_spec(const std::string& text) {
  return error_text(Blame::usage, [&] { parse_network_spec(text); });
}

ModelOptions used(const std::vector<std::string>& lists) {
  ModelOptions options;
  use_networks(options, lists);
  return options;
}

}  // namespace

TEST_CASE("a network is a rate, a model with settings, a topology, or a machine file") {
  const NetworkSpec rate = parse_network_spec("10G");
  CHECK(rate.model == "alpha_beta");
  CHECK(rate.parameters == std::map<std::string, std::string>{{"beta", "800ps"}});
  const NetworkSpec model = parse_network_spec("loggops:L=5us,o=1us");
  CHECK(model.model == "loggops");
  CHECK(model.parameters == std::map<std::string, std::string>{{"L", "5us"}, {"o", "1us"}});
  const NetworkSpec topology = parse_network_spec("rail_pod:nodes=8");
  CHECK(topology.model == "fluid");
  CHECK(topology.topology == "rail_pod:nodes=8");
  const NetworkSpec both = parse_network_spec("packet:mtu=1K,topology=torus:dims=4x4,latency=1us");
  CHECK(both.model == "packet");
  CHECK(both.parameters == std::map<std::string, std::string>{{"mtu", "1K"}});
  CHECK(both.topology == "torus:dims=4x4,latency=1us");
  const NetworkSpec machine = parse_network_spec("m.toml:shared=yes");
  CHECK(machine.machine == "m.toml");
  CHECK(machine.parameters == std::map<std::string, std::string>{{"shared", "yes"}});
  CHECK(parse_network_spec("1.toml").machine == "1.toml");
  const NetworkSpec port = parse_network_spec("10G:latency=5us");
  CHECK(port.parameters == std::map<std::string, std::string>{{"alpha", "5us"}, {"beta", "800ps"}});
  const NetworkSpec placed = parse_network_spec("m.toml:shared=no,placement=cyclic");
  CHECK(placed.topology == ":placement=cyclic");
  CHECK(placed.parameters == std::map<std::string, std::string>{{"shared", "no"}});
  CHECK(parse_network_spec("packet:seed=2,mtu=1K,topology=torus").topology == "torus:seed=2");
  CHECK(parse_network_spec("1.dot").topology == "1.dot");
}

TEST_CASE("a network that says too little or too much is refused by name") {
  CHECK(refused_spec("loggops:L") ==
        "network 'loggops:L' has the setting 'L': write settings as name=value, such as "
        "loggops:L=5us,o=1us");
  CHECK_THAT(refused_spec("loggops:L="), contains("has the setting 'L='"));
  CHECK_THAT(refused_spec("loggops:=1"), contains("has the setting '=1'"));
  CHECK(refused_spec("loggops:L=1us,L=2us") ==
        "network 'loggops:L=1us,L=2us' sets L twice: give it once");
  CHECK(refused_spec("fluid:topology=") ==
        "network 'fluid:topology=' has an empty topology: name one");
  CHECK_THAT(refused_spec("10"), contains("10"));
  CHECK_THAT(refused_spec("10G:mtu=1K"), contains("a port's rate has only latency"));
  CHECK_THAT(refused_spec("10G:latency="), contains("a port's rate has only latency"));
  CHECK_THAT(refused_spec("logops"), contains("unknown network 'logops', did you mean 'loggops'?"));
  CHECK_THAT(refused_spec("toros:dims=2x2"), contains("did you mean 'torus'?"));
}

TEST_CASE("a list of networks is of one model, and of topologies that multiply") {
  const ModelOptions two = used({"torus:dims=2x2,ring:hosts=4", "fluid:topology=full_mesh"});
  CHECK(two.parsed_model().name == "fluid");
  CHECK(two.networks().size() == 3);
  CHECK(used({"10G"}).values().at("beta") == 800);
  CHECK(used({"loggops:S=4K"}).values().at("S") == 4096);
  CHECK_THAT(error_text(Blame::usage, [&] { used({"10G,rail_pod"}); }),
             contains("network 'rail_pod' has another model"));
  CHECK_THAT(error_text(Blame::usage, [&] { used({"loggops:L=1us,loggops:L=2us"}); }),
             contains("or other parameters"));
  ModelOptions wrong = used({"loggops:alpha=1us"});
  CHECK_THAT(error_text(Blame::usage, [&] { wrong.values(); }),
             contains("model loggops has no parameter alpha"));
}
