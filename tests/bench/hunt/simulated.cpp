// The search names faults of simulated networks, through the simulator itself.
#include "bench/hunt/hunt_answers.hpp"
#include "bench/hunt/hunt_report.hpp"
#include "bench/hunt/search/search.hpp"
#include "bench/hunt/simulated_probe.hpp"
#include "bench/options/network_spec.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/folder.hpp"

using namespace arlab;
using namespace arlab::bench;
using hunt::Finding;
using hunt::Place;
using hunt::Quantity;

namespace {

hunt::Search searched(const std::string& network, Rank ranks, const Disturbance& disturbance = {}) {
  ModelOptions model;
  use_networks(model, {network});
  return hunt::search(simulated_probe(model, disturbance, ranks), {.bytes = 1 << 20});
}

Finding only(const hunt::Search& found, Place place, Quantity quantity) {
  REQUIRE(found.findings.size() == 1);
  CHECK(found.findings[0].place == place);
  CHECK(found.findings[0].quantity == quantity);
  return found.findings[0];
}

}  // namespace

TEST_CASE("hunt, simulated: a healthy network has no findings") {
  for (const char* network : {"crossbar", "leaf_spine:leaves=4,hosts=4", "fat_tree:k=4",
                              "torus:dims=4x4", "10G", "loggops"}) {
    CAPTURE(network);
    const hunt::Search found = searched(network, 16);
    CHECK(found.findings.empty());
    CHECK(found.verdict == hunt::Verdict::quiet);
  }
}

TEST_CASE("hunt, simulated: GPU nodes and long routes that are healthy have no findings") {
  for (const auto& [network, ranks] : {std::pair("dgx_h100:systems=2", 16),
                                       {"dgx_h100:systems=4", 32},
                                       {"dgx_h100:systems=8", 64},
                                       {"rail_pod:nodes=2", 16},
                                       // Of these, many pairs meet others at each try.
                                       {"gpu_pod:fabric=leaf_spine,oversubscription=3", 32},
                                       {"gpu_pod:fabric=leaf_spine,oversubscription=4", 32},
                                       {"gpu_pod:fabric=leaf_spine,oversubscription=4", 40},
                                       {"gpu_pod:fabric=leaf_spine,oversubscription=4", 48},
                                       {"gpu_pod:fabric=rail,nodes=8", 64},
                                       {"dragonfly", 16},
                                       {"mesh:dims=8x8", 64},
                                       {"fat_tree:k=8,oversubscription=2", 64}}) {
    CAPTURE(network);
    const hunt::Search found = searched(network, ranks);
    for (const Finding& f : found.findings) UNSCOPED_INFO(f.times << " by " << int(f.quantity));
    CHECK(found.findings.empty());
  }
}

TEST_CASE("hunt, simulated: a slow NIC of a GPU node is a port, and no other rank is") {
  for (const auto& [network, ranks] : {std::pair("dgx_h100:systems=3,slow=n1g3--rail3:4", 24),
                                       {"dgx_h100:systems=4,slow=n1g3--rail3:4", 32}}) {
    CAPTURE(network);
    std::vector<Rank> ports;
    for (const Finding& f : searched(network, ranks).findings)
      if (f.place == Place::port) ports.insert(ports.end(), f.ranks.begin(), f.ranks.end());
    CHECK(ports == std::vector<Rank>{11});
  }
}

TEST_CASE("hunt, simulated: a slow NIC that only its leaf sees, below slower uplinks, is a port") {
  const Finding port = only(searched("leaf_spine:leaves=2,hosts=8,oversubscription=4,"
                                     "slow=h3--leaf0:2",
                                     16),
                            Place::port, Quantity::bandwidth);
  CHECK(port.ranks == std::vector<Rank>{3});
  CHECK((port.sends && port.receives));
  CHECK(port.times == Approx(2).epsilon(0.02));
}

TEST_CASE("hunt, simulated: one slow NIC of 16 and of 1024 hosts") {
  const Finding small = only(searched("leaf_spine:leaves=4,hosts=4,slow=h3--leaf0:2", 16),
                             Place::port, Quantity::bandwidth);
  CHECK(small.ranks == std::vector<Rank>{3});
  CHECK((small.sends && small.receives));
  CHECK(small.times == Approx(2).epsilon(0.02));
  const Finding large = only(searched("leaf_spine:hosts=16,slow=h77--leaf4:2", 1024), Place::port,
                             Quantity::bandwidth);
  CHECK(large.ranks == std::vector<Rank>{77});
}

TEST_CASE("hunt, simulated: two slow hosts, and one direction") {
  const hunt::Search two =
      searched("leaf_spine:leaves=4,hosts=4,slow=h3--leaf0:2,slow=h9--leaf2:3", 16);
  REQUIRE(two.findings.size() == 2);
  CHECK(two.findings[0].ranks == std::vector<Rank>{3});
  CHECK(two.findings[1].ranks == std::vector<Rank>{9});
  const Finding sends = only(searched("leaf_spine:leaves=4,hosts=4,slow=h5-leaf1:2", 16),
                             Place::port, Quantity::bandwidth);
  CHECK(sends.ranks == std::vector<Rank>{5});
  CHECK(sends.sends);
  CHECK_FALSE(sends.receives);
}

TEST_CASE("hunt, simulated: a slow uplink under hashing is a group of its leaf") {
  for (const char* network :
       {"leaf_spine:leaves=4,hosts=4,spines=2,routing=ecmp,slow=leaf0--spine1:4",
        "leaf_spine:leaves=4,hosts=4,routing=ecmp,slow=leaf0--spine1:4",
        "leaf_spine:leaves=4,hosts=8,routing=ecmp,seed=3,slow=leaf0--spine2:4"}) {
    CAPTURE(network);
    const Rank ranks = std::string(network).find("hosts=8") == std::string::npos ? 16 : 32;
    const Finding group = only(searched(network, ranks), Place::group, Quantity::bandwidth);
    for (const Rank r : group.ranks) CHECK(r < ranks / 4);
    CHECK((group.sends && group.receives));
  }
}

TEST_CASE("hunt, simulated: a late rank is a rank, a late cable is a port's latency") {
  Disturbance late;
  late.late = {{3, 100 * kMicrosecond}};
  const hunt::Search found = searched("fluid:topology=crossbar", 8, late);
  REQUIRE(found.findings.size() == 2);  // copies and additions
  for (const Finding& f : found.findings) {
    CHECK(f.place == Place::rank);
    CHECK(f.ranks == std::vector<Rank>{3});
  }
  std::string dot = "graph {\n  s0 [kind=switch]\n";
  for (int h = 0; h < 8; ++h)
    dot += "  h" + std::to_string(h) + " [kind=host]\n  h" + std::to_string(h) +
           " -- s0 [bandwidth=\"100Gbps\", latency=\"" + (h == 5 ? "20us" : "1us") + "\"]\n";
  const Folder folder;
  const Finding port =
      only(searched(folder.with("net.dot", dot + "}\n"), 8), Place::port, Quantity::latency);
  CHECK(port.ranks == std::vector<Rank>{5});
}

TEST_CASE("hunt, simulated: random delays do not make a rank slow") {
  Disturbance noise;
  noise.jitter = kMicrosecond;
  for (const std::int32_t seed : {1, 2, 3}) {
    noise.seed = seed;
    CHECK(searched("leaf_spine:leaves=4,hosts=4", 16, noise).findings.empty());
  }
}

TEST_CASE("hunt: rates that suit slow ports, and the command that prices them") {
  const hunt::Search found = searched("leaf_spine:leaves=4,hosts=4,slow=h3--leaf0:2", 16);
  const Hunted hunted{
      .ranks = 16, .network = "leaf_spine:leaves=4,hosts=4,slow=h3--leaf0:2", .bytes = 1 << 20};
  CHECK(rates_for(hunted, found) == "2x2x2x1x2");
  CHECK(hunt_text(hunted, found).find("weighted:rates=2x2x2x1x2") != std::string::npos);
  const hunt::Search quiet = searched("crossbar", 4);
  CHECK(rates_for({.ranks = 4}, quiet).empty());
  const Json record = hunt_record(hunted, found);
  CHECK(record["verdict"] == "slow");
  CHECK(record["findings"][0]["ranks"] == Json({3}));
  CHECK(record["rates"] == "2x2x2x1x2");
}

TEST_CASE("hunt, simulated: where GPUs relay, the NIC that messages leave through is suspected") {
  const auto text = [](const std::string& network, Rank ranks) {
    ModelOptions model;
    use_networks(model, {network});
    return hunt_text({.ranks = ranks,
                      .network = network,
                      .nics = simulated_nics(model, ranks),
                      .hosts = simulated_hosts(model, ranks),
                      .bytes = 1 << 20},
                     searched(network, ranks));
  };
  const std::string four = text("gpu_pod:nodes=4,slow=n0g1--rail1:4", 32);
  CHECK(four.find("they leave through the NIC of rank 1 (n0g1) where GPUs relay") !=
        std::string::npos);
  const std::string two = text("gpu_pod:nodes=2,slow=n0g1--rail1:4", 16);
  CHECK(two.find("rank 9 (n1g1): only messages of one node are slow, which leave through the NIC "
                 "of rank 1 (n0g1) where GPUs relay: either can be the reason.") !=
        std::string::npos);
}

TEST_CASE("hunt, simulated: slow NVLink shows in the map, and no NIC is blamed") {
  const std::string network = "dgx_h100:systems=2,slow=n0g1--nvswitch0:4";
  const hunt::Search found = searched(network, 16);
  CHECK(only(found, Place::port, Quantity::bandwidth).is_within_group);
  const std::string text =
      hunt_text({.ranks = 16, .network = network, .nics = 8, .bytes = 1 << 20}, found);
  CHECK(text.find("\n    1  4\\444444........\n") != std::string::npos);
  CHECK(text.find("\n    9  .........\\......\n") != std::string::npos);
  CHECK(text.find("rank 1 is slow within its node only: check NVLink there") != std::string::npos);
  CHECK(text.find("ethtool") == std::string::npos);
}

TEST_CASE("hunt: prices use all NICs of a node, the disturbance, and a network without the fault") {
  const std::string network = "dgx_h100:systems=2,slow=n0g1--rail1:4";
  ModelOptions model;
  use_networks(model, {network});
  Hunted hunted{.ranks = 16, .network = network, .bytes = 1 << 20};
  hunted.nics = simulated_nics(model, 16);
  CHECK(hunted.nics == 8);
  const auto text = [&](const Disturbance& disturbance = {}) {
    hunted.disturbance = disturbance.text();
    return hunt_text(hunted, searched(hunted.network, hunted.ranks, disturbance));
  };
  const std::string pod = text();
  CHECK(pod.find("arlab simulate ring:channels=8,weighted:rates=") != std::string::npos);
  CHECK(pod.find("The same without the fault:\n  arlab simulate ring:channels=8 -p 16 -s 256M "
                 "--network dgx_h100:systems=2\n") != std::string::npos);
  hunted = {.ranks = 8, .network = "leaf_spine:leaves=2,hosts=4", .bytes = 1 << 20};
  Disturbance shared;
  shared.traffic = {"h1--h6"};
  CHECK(
      text(shared).find("--network leaf_spine:leaves=2,hosts=4 --disturb traffic=h1--h6\nThe same "
                        "without the fault:\n  arlab simulate ring -p 8 -s 256M --network "
                        "leaf_spine:leaves=2,hosts=4\n") != std::string::npos);
  hunted.network = "leaf_spine:slow=h3--leaf0:2,leaves=2,hosts=4";
  CHECK(text().find("--network leaf_spine:leaves=2,hosts=4\n") != std::string::npos);
}

TEST_CASE("hunt, simulated: a record answers what is slow, or that nothing is") {
  using Sentences = std::vector<std::string>;
  const Hunted hunted{.ranks = 16, .network = "leaf_spine", .bytes = 1 << 20};
  const auto said = [&](const std::string& faults) {
    return hunt_answers(hunt_record(hunted, searched("leaf_spine:leaves=4,hosts=4" + faults, 16)));
  };
  CHECK(said("") == Sentences{"Nothing is slow among 16 ranks."});
  CHECK(said(",slow=h3--leaf0:2") ==
        Sentences{"rank 3: a slow port, 2.00 times as long as usual by bandwidth."});
  Json few_hosts =
      hunt_record(hunted, searched("leaf_spine:leaves=4,hosts=4,slow=h3--leaf0:2", 16));
  few_hosts["hosts"] = {"a", "b", "c"};  // as of an edited file
  CHECK(hunt_answers(few_hosts).front().starts_with("rank 3: a slow port"));
  few_hosts["hosts"].push_back("d");
  CHECK(hunt_answers(few_hosts).front().starts_with("rank 3 (d): a slow port"));
  Json noisy = hunt_record(hunted, searched("leaf_spine:leaves=4,hosts=4", 16));
  noisy["verdict"] = "noisy";
  CHECK(hunt_answers(noisy) ==
        Sentences{"The measurements of 16 ranks are too noisy to tell what is slow."});
}
