// One rank per class on networks with links: the times, messages, and loads of all events.
#include <algorithm>
#include <map>
#include <string>

#include "algorithms/base/random.hpp"
#include "algorithms/base/text.hpp"
#include "simulator/engine/simulate.hpp"
#include "simulator/link_history.hpp"
#include "simulator/models/model.hpp"
#include "simulator/topologies/build/kind.hpp"
#include "simulator/topologies/fabric.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/grouped.hpp"
#include "tests/support/thorough.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

// Without and with costs of reductions, bytes of each message's own, and a limit of each flow's
// rate.
const Values kFree{}, kCostly{{"gamma", 3.7}, {"envelope", 33}, {"flow_beta", 90}};

using Uses = std::map<std::string, int>;  // runs by one rank per class, by algorithm or topology

struct TriedNetwork {
  FabricSpec spec;
  std::shared_ptr<const Fabric> fabric;
  const Values& values;
};

struct LoadedRun {
  SimulationResult result;
  std::vector<std::pair<double, double>> loads;  // bytes and utilization of each link
};

LoadedRun run_loaded(const TriedNetwork& tried, const Algorithm& algorithm, const Problem& p,
                     const SimulateOptions& options) {
  const auto network = make_network(find_model("fluid"), tried.values, p.ranks, tried.fabric);
  SimulationResult result = simulate(algorithm, p, 4, *network, options);
  std::vector<std::pair<double, double>> loads;
  for (const LinkLoad& load : network->loads(result.finish))
    loads.emplace_back(load.bytes, load.utilization);
  return {std::move(result), std::move(loads)};
}

void check_classes(const TriedNetwork& tried, const Algorithm& algorithm, const Problem& p,
                   Uses& used) {
  if (!symmetry_of(algorithm, p)) return;
  std::optional<LoadedRun> events;
  for (const bool repeats : {false, true}) {
    const LoadedRun fast = run_loaded(tried, algorithm, p, {.sweep = repeats});
    if (!repeats && fast.result.engine != EngineKind::symmetry) return;
    INFO(algorithm.name << " " << name(p.collective) << " on " << tried.spec.topology << " "
                        << tried.spec.placement << ", ranks " << p.ranks << ", elements "
                        << p.elements << ", groups " << (p.groups ? p.groups->count() : 0)
                        << ", costs " << tried.values.size() << ", repeats " << repeats);
    if (!events) events = run_loaded(tried, algorithm, p, {.symmetry = false, .sweep = false});
    REQUIRE(events->result.engine == EngineKind::events);
    REQUIRE(fast.result.finish == events->result.finish);
    REQUIRE(fast.result.finish_of == events->result.finish_of);
    REQUIRE(fast.result.sent == events->result.sent);
    REQUIRE((fast.loads == events->loads));
  }
  ++used[std::string(algorithm.name)];
  ++used[tried.spec.topology.substr(0, tried.spec.topology.find(':'))];
}

void check_links(const FabricSpec& spec, Rank ranks, Count elements, Uses& used) {
  const TriedNetwork plain{spec, build_fabric(spec, ranks), kFree},
      costs{spec, plain.fabric, kCostly};
  for (const Algorithm* const algorithm : tested_algorithms())
    for (const Collective collective : kCollectives) {
      const Problem whole{.collective = collective, .ranks = ranks, .elements = elements};
      const bool is_costly = collective == Collective::allreduce && (ranks <= 16 || ranks % 4 == 2);
      for (const Problem& p : stated_for(*algorithm, whole)) {
        if (!unsupported(*algorithm, p).empty()) continue;
        check_classes(plain, *algorithm, p, used);
        if (is_costly) check_classes(costs, *algorithm, p, used);
      }
    }
}

std::string as_text(Rank number) { return std::to_string(number); }

// Networks of as many hosts, and some that have more.
std::vector<FabricSpec> linked_networks(Rank ranks) {
  std::vector<FabricSpec> all{{.topology = "crossbar"},
                              {.topology = "ring"},
                              {.topology = "torus"},
                              {.topology = "hypercube"},
                              {.topology = "fat_tree:levels=2,oversubscription=4"}};
  if (ranks <= 24) all.push_back({.topology = "full_mesh"});
  for (Rank size = 2; size < ranks; ++size) {
    const bool is_tried = ranks <= 16 || size == (ranks % 3 == 0 ? ranks / 3 : 4);
    if (ranks % size != 0 || !is_tried) continue;
    const std::string shape = as_text(size) + "x" + as_text(ranks / size);
    all.push_back({.topology = "torus:dims=" + shape});
    const std::string leaves =
        "leaf_spine:hosts=" + as_text(size) + ",leaves=" + as_text(ranks / size);
    all.push_back({.topology = leaves + ",spines=2,oversubscription=3"});
    all.push_back({.topology = leaves + ",spines=3", .placement = "cyclic"});
    all.push_back({.topology = "fat_tree:down=" + shape + ",up=1x2,count=1x2"});
    if (ranks <= 16)  // symmetric by the routes of all pairs
      all.push_back({.topology = "rail_pod:nodes=" + as_text(ranks / size) +
                                 ",gpus=" + as_text(size) + ",relay=yes",
                     .routing = "shortest"});
    if (ranks % (2 * size) == 0)
      all.push_back({.topology = "fat_tree:down=" + as_text(size) + "x2x" +
                                 as_text(ranks / size / 2) + ",up=2x2x1,count=1x1x1"});
  }
  return all;
}

}  // namespace

TEST_CASE("one rank per class takes the times of all events on links, on every P up to 64") {
  Uses used;
  for (const Rank ranks : kSanitized ? std::vector<Rank>{1, 3, 4, 12} : ranks_up_to(64))
    for (const FabricSpec& spec : linked_networks(ranks)) {
      check_links(spec, ranks, 120 * Count{ranks}, used);
      if (ranks % 16 == 12) check_links(spec, ranks, 14'641 * Count{ranks}, used);
    }
  for (const char* name : {"all_to_all", "butterfly", "ring", "rabenseifner", "circulant", "swing",
                           "swing_whole", "pat", "round_robin", "hierarchical",
                           "recursive_multiplying", "trivance", "ring:channels=2"})
    CHECK(used[name] > 0);
  for (const char* name : {"crossbar", "full_mesh", "ring", "torus", "hypercube", "fat_tree",
                           "leaf_spine", "rail_pod"})
    CHECK(used[name] > 0);
}

TEST_CASE("one rank per class takes the times of all events on links, on 1,024 ranks") {
  constexpr Count kMostMessages = 50'000;
  constexpr Rank kRanks = 1024;
  Uses used;
  const char* const levels3 = "fat_tree:down=8x8x16,up=1x4x8,count=1x1x1";
  for (const char* topology : unless_sanitized({"crossbar", "torus", "hypercube", "ring",
                                                "fat_tree:down=32x32,up=1x8,count=1x1", levels3},
                                               {"crossbar", levels3})) {
    const FabricSpec spec{.topology = topology};
    const TriedNetwork tried{spec, build_fabric(spec, kRanks), kFree};
    for (const Algorithm& algorithm : algorithms()) {
      const Problem p = grouped(algorithm, {.ranks = kRanks, .elements = Count{kRanks} * 257});
      const bool is_short = unsupported(algorithm, p).empty() &&
                            predicted_cost(algorithm, p).messages <= kMostMessages;
      if (is_short) check_classes(tried, algorithm, p, used);
    }
  }
  for (const char* name : {"butterfly", "rabenseifner", "swing", "circulant", "pat"})
    CHECK(used[name] > 1);
}

namespace {

// Pods whose spines are chosen by a hash, and other networks without a structure that proves
// symmetries: the routes of what is sent do.
FabricSpec drawn_network(const auto& below, Rank nodes, Rank gpus) {
  constexpr const char* kHashing[] = {"automatic", "shortest", "ecmp"};
  constexpr const char* kPlaced[] = {"block", "block", "cyclic", "random"};
  const auto some = [&](Count most) { return 1 + below(most); };
  FabricSpec spec;
  if (below(4) > 0)
    spec.topology = concat("rail_pod:nodes=", nodes, ",gpus=", gpus,
                           ",nodes_per_switch=", some(nodes), ",spines=", some(3),
                           ",oversubscription=", some(3), ",relay=", below(3) > 0 ? "yes" : "no");
  else if (below(2) > 0)
    spec.topology = concat("leaf_spine:hosts=", gpus, ",leaves=", nodes, ",spines=", some(3),
                           ",oversubscription=", some(3));
  else
    spec.topology = concat("dragonfly:a=2,p=", gpus, ",h=2,groups=", std::min(nodes, 5));
  spec.routing = kHashing[index(below(std::size(kHashing)))];
  spec.placement = kPlaced[index(below(std::size(kPlaced)))];
  spec.seed = static_cast<std::uint64_t>(below(100));
  return spec;
}

void check_drawn(const Random& random, Uses& used) {
  std::uint64_t draws = 0;
  const auto below = [&](Count bound) { return random.below(bound, draws++); };
  static const std::vector<const Algorithm*> all = tested_algorithms();
  const Rank nodes = static_cast<Rank>(2 + below(kSanitized ? 5 : 9));
  const Rank gpus = static_cast<Rank>(1 + below(kSanitized ? 3 : 8)), ranks = nodes * gpus;
  const FabricSpec spec = drawn_network(below, nodes, gpus);
  if (make_topology(spec.topology).hosts() < ranks) return;
  const TriedNetwork tried{spec, build_fabric(spec, ranks), below(2) > 0 ? kFree : kCostly};
  const auto groups = groups_of(*tried.fabric);
  const Count channels = 1 + below(9), most = Count{1} << below(14);
  const Problem p{.ranks = ranks, .elements = ranks * channels * (1 + below(most))};
  const bool is_ring = below(3) > 0;
  const Algorithm& algorithm = is_ring ? find_algorithm(concat("ring:channels=", channels))
                                       : *all[index(below(static_cast<Count>(all.size())))];
  Problem stated = grouped(algorithm, p);
  if (algorithm.grouped && groups) stated.groups = groups.get();
  if (!unsupported(algorithm, stated).empty()) return;
  check_classes(tried, algorithm, stated, used);
}

void check_draws(int first, int end, Uses& used) {
  for (int draw = first; draw < end; ++draw) {
    INFO("draw " << draw);
    check_drawn(Random(42).of(static_cast<std::uint64_t>(draw)), used);
  }
}

}  // namespace

TEST_CASE("one rank per class takes the times of all events where a hash chooses routes") {
  Uses used;
  check_draws(0, kSanitized ? 150 : 1000, used);
  CHECK(used["rail_pod"] > 10);
  CHECK(used["ring:channels=8"] > 0);
  CHECK(used["leaf_spine"] > 0);
}

TEST_CASE("the same of many draws", "[.draws]") {
  Uses used;
  check_draws(1000, 20'000, used);
  for (const auto& [name, runs] : used) UNSCOPED_INFO(name << ": " << runs);
  CHECK(used["rail_pod"] > 1000);
}

// The shifts that all_to_all declares are few on these networks, those of their coordinates are
// all.
TEST_CASE("ranks that are all alike have the shifts of the network") {
  for (const char* topology :
       {"torus:dims=4x3x2", "torus:dims=5x5", "hypercube", "fat_tree:down=4x8,up=1x2,count=1x1",
        "leaf_spine:hosts=6,leaves=4,spines=3,oversubscription=2"}) {
    const Algorithm& algorithm = find_algorithm("all_to_all");
    const Rank ranks = make_topology(topology).hosts();
    const Problem p{.ranks = ranks, .elements = 5000};
    for (const Values* const values : {&kFree, &kCostly}) {
      const TriedNetwork tried{
          {.topology = topology}, build_fabric({.topology = topology}, ranks), *values};
      const auto network = make_network(find_model("fluid"), *values, ranks, tried.fabric);
      const auto classes = classes_on_links(algorithm, p, 1, *network);
      INFO(topology);
      REQUIRE(classes);
      CHECK(classes->symmetry.classes() == 1);
      Uses used;
      check_classes(tried, algorithm, p, used);
      CHECK(used["all_to_all"] == 1);
    }
  }
}

TEST_CASE("what needs all ranks on links does not use classes") {
  const Problem p{.ranks = 16, .elements = 1600};
  const auto engine_on = [&](const FabricSpec& spec, const SimulateOptions& options,
                             LinkHistory* watched = nullptr, std::vector<LinkFlap> flaps = {}) {
    const auto network = make_network(find_model("fluid"), {}, p.ranks, spec);
    if (watched) network->watch_links(*watched);
    if (!flaps.empty()) CHECK(network->flap_links(std::move(flaps)));
    return simulate(find_algorithm("round_robin"), p, 4, *network, options).engine;
  };
  const FabricSpec leaves{.topology = "leaf_spine:hosts=4,leaves=4,spines=2"};
  CHECK(engine_on(leaves, {.sweep = false}) == EngineKind::symmetry);
  CHECK(engine_on(leaves, {.symmetry = false, .sweep = false}) == EngineKind::events);
  Trace trace;
  CHECK(engine_on(leaves, {.sweep = false, .trace = &trace}) == EngineKind::events);
  const std::vector<Time> starts(16);
  CHECK(engine_on(leaves, {.sweep = false, .starts = starts}) == EngineKind::events);
  CHECK(engine_on(leaves, {.segments = 2, .sweep = false}) == EngineKind::events);
  LinkHistory watched;
  CHECK(engine_on(leaves, {.sweep = false}, &watched) == EngineKind::events);
  CHECK(engine_on(leaves, {.sweep = false}, nullptr, {{.link = 0, .length = Time{5}}}) ==
        EngineKind::events);
  FabricSpec random = leaves, hashed = leaves;
  random.placement = "random";
  hashed.routing = "ecmp";
  CHECK(engine_on(random, {.sweep = false}) == EngineKind::events);
  CHECK(engine_on(hashed, {.sweep = false}) == EngineKind::events);
}

TEST_CASE("one rank per class stops after the latest time") {
  const Problem p{.ranks = 16, .elements = 1600};
  const auto until = [&](Time latest) {
    const auto network =
        make_network(find_model("fluid"), {}, p.ranks, FabricSpec{.topology = "hypercube"});
    return simulate(find_algorithm("rabenseifner"), p, 4, *network, {.latest = latest});
  };
  const SimulationResult whole = until(kNever);
  CHECK(whole.engine == EngineKind::symmetry);
  CHECK(until(whole.finish - Time{1}).stopped);
  CHECK(!until(whole.finish).stopped);
  CHECK(until(whole.finish).finish_of == whole.finish_of);
}
