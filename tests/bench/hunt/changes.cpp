// What changed since an earlier hunt, and weighted shares by the record of one.
#include "algorithms/base/error.hpp"
#include "bench/formats/weighted_record.hpp"
#include "bench/hunt/hunt_changes.hpp"
#include "bench/hunt/hunt_report.hpp"
#include "bench/hunt/simulated_probe.hpp"
#include "bench/options/network_spec.hpp"
#include "bench/options/options.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/folder.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

Json hunted_on(const std::string& faults, Rank ranks = 16, std::vector<std::string> hosts = {}) {
  const std::string network = "leaf_spine:leaves=4,hosts=4" + faults;
  ModelOptions model;
  use_networks(model, {network});
  const Disturbance none;
  const Hunted hunted{.ranks = ranks,
                      .network = network,
                      .hosts = hosts.empty() ? simulated_hosts(model, ranks) : std::move(hosts),
                      .bytes = 1 << 20};
  return hunt_record(hunted, hunt::search(simulated_probe(model, none, ranks), {.bytes = 1 << 20}));
}

HuntFile earlier(const std::string& faults) {
  return {.path = "old.jsonl", .record = hunted_on(faults)};
}

std::string changed(const std::string& then, const Json& now) {
  std::string text;
  for (const HuntChange& c : hunt_changes(earlier(then), now).all)
    text += fmt::format("{}: {} {} {:.1f} {:.1f}; ", c.place, c.what, c.by, c.then, c.now);
  return text;
}

}  // namespace

TEST_CASE("hunt changes: new, gone, and as before") {
  CHECK(changed("", hunted_on("")).empty());
  CHECK(changed("", hunted_on(",slow=h3--leaf0:2")) == "rank 3 (h3): port bandwidth 1.0 2.0; ");
  CHECK(changed(",slow=h3--leaf0:2", hunted_on("")) == "rank 3 (h3): port bandwidth 2.0 1.0; ");
  CHECK(changed(",slow=h3--leaf0:2", hunted_on(",slow=h3--leaf0:4,slow=h9--leaf2:2")) ==
        "rank 3 (h3): port bandwidth 2.0 4.0; rank 9 (h9): port bandwidth 1.0 2.0; ");
}

TEST_CASE("hunt changes: all ranks may have become slower, though none stands out") {
  const HuntChanges slower = hunt_changes(earlier(""), hunted_on(",bandwidth=50Gbps"));
  REQUIRE(slower.all.size() == 1);
  CHECK(slower.all[0].what == "usual");
  CHECK(slower.all[0].now == Approx(2).epsilon(0.02));
  CHECK(slower.is_slower());
  CHECK_FALSE(hunt_changes({.path = "", .record = hunted_on(",bandwidth=50Gbps")}, hunted_on(""))
                  .is_slower());
}

TEST_CASE("hunt changes: ranks are known by their hosts, if each has its own") {
  std::vector<std::string> turned;
  for (int r = 0; r < 16; ++r) turned.push_back("h" + std::to_string((r + 1) % 16));
  CHECK(changed(",slow=h3--leaf0:2", hunted_on(",slow=h2--leaf0:2", 16, turned)) ==
        "rank 2 (h3): port bandwidth 2.0 2.0; ");
  const std::vector<std::string> one(8, "n1");
  CHECK_THROWS_AS(hunt_changes(earlier(""), hunted_on("", 8, one)), Error);
}

TEST_CASE("hunt changes: a noisy hunt says nothing, and the record is in the schema") {
  Json noisy = hunted_on("");
  noisy["verdict"] = "noisy";
  const HuntFile then = earlier(",slow=h3--leaf0:2");
  CHECK_FALSE(hunt_changes(then, noisy).is_comparable);
  const Json json = changes_json(hunt_changes(then, hunted_on("")), then);
  CHECK(json["changes"][0]["then"].get<double>() == Approx(2).epsilon(0.02));
  CHECK(changes_text(hunt_changes(then, hunted_on("")), then).find("no longer: 1") !=
        std::string::npos);
}

TEST_CASE("weighted by record: the rates of a hunt, for as many ranks as were hunted") {
  const Folder folder;
  const std::string slow = folder.with("slow.jsonl", hunted_on(",slow=h3--leaf0:2").dump() + "\n");
  const auto weighted = weighted_by_record(slow);
  CHECK(weighted->name == "weighted:rates=2x2x2x1x2");
  CHECK(unsupported(*weighted, {.ranks = 16, .elements = 100}).empty());
  CHECK(unsupported(*weighted, {.ranks = 8, .elements = 100}).find("is of 16 ranks, not 8") !=
        std::string::npos);
  CHECK(weighted_by_record(folder.with("quiet.jsonl", hunted_on("").dump() + "\n"))->name ==
        "weighted:rates=1");
  Json noisy = hunted_on("");
  noisy["verdict"] = "noisy";
  CHECK_THROWS_AS(weighted_by_record(folder.with("noisy.jsonl", noisy.dump() + "\n")), Error);
  CHECK_THROWS_AS(weighted_by_record(folder.with("empty.jsonl", "")), Error);
  CHECK_THROWS_AS(weighted_by_record(folder.file("missing.jsonl")), Error);
}

TEST_CASE("weighted takes the rates of a network with faults") {
  SweepOptions sweep;
  sweep.algorithms = {"ring,weighted"};
  sweep.ranks = {"16"};
  sweep.sizes = {"1M"};
  ModelOptions model;
  use_networks(model, {"leaf_spine:leaves=4,hosts=4,slow=h3--leaf0:2,leaf_spine:leaves=4,hosts=4"});
  std::string names;
  for (const Config& config : sweep.configs(model.layouts()))
    names += std::string(config.algorithm->name) + " ";
  CHECK(names == "ring weighted:rates=2x2x2x1x2 ring weighted ");
}
