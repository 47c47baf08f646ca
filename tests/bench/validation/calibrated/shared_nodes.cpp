// Messages between ranks that share nodes.
#include <algorithm>

#include "bench/validation/calibrated/messages.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

class SharedNodes {
 public:
  double time(MessageCase one) const { return model_.predict({std::move(one)}, p_)[0]; }
  void set(std::string_view name, double value) {
    const auto at = std::find_if(model_.parameters().begin(), model_.parameters().end(),
                                 [&](const Prior& prior) { return prior.name.starts_with(name); });
    REQUIRE(at != model_.parameters().end());
    p_[static_cast<std::size_t>(at - model_.parameters().begin())] = value;
  }

 private:
  MessageModel model_{0};
  std::vector<double> p_ = [this] {
    std::vector<double> medians;
    for (const Prior& prior : model_.parameters()) medians.push_back(prior.median);
    return medians;
  }();
};

MessageCase on_nodes(const char* algorithm, Rank ranks, Rank per_node, Count bytes) {
  return {.algorithm = algorithm, .ranks = ranks, .ranks_per_node = per_node, .bytes = bytes};
}

}  // namespace

TEST_CASE("ranks of one node do not use the network") {
  SharedNodes nodes;
  const MessageCase one = on_nodes("butterfly", 8, 8, 1 << 20);
  const double before = nodes.time(one);
  nodes.set("network, ns/B", 100);
  nodes.set("latency of 64 B", 100);
  CHECK(nodes.time(one) == Approx(before));
  CHECK(nodes.time(on_nodes("butterfly", 8, 4, 1 << 20)) > 10 * before);
}

TEST_CASE("small vectors are faster on fewer nodes, large ones slower") {
  const SharedNodes nodes;
  for (const char* name : {"butterfly", "swing_whole"}) {
    INFO(name);
    CHECK(nodes.time(on_nodes(name, 256, 32, 64)) < nodes.time(on_nodes(name, 256, 1, 64)));
    CHECK(nodes.time(on_nodes(name, 256, 32, 1 << 26)) >
          3 * nodes.time(on_nodes(name, 256, 1, 1 << 26)));
  }
}

TEST_CASE("more network cards and a faster memory help where ranks share them") {
  const SharedNodes nodes;
  MessageCase few = on_nodes("butterfly", 256, 32, 1 << 26), more = few, faster = few;
  more.node.cards = 4;
  faster.node.memory_gb_per_s = 800;
  CHECK(nodes.time(more) < nodes.time(few));
  CHECK(nodes.time(faster) < nodes.time(few));
  few.ranks_per_node = more.ranks_per_node = faster.ranks_per_node = 1;
  CHECK(nodes.time(more) == nodes.time(few));
  CHECK(nodes.time(faster) == nodes.time(few));
}

TEST_CASE("nodes that ranks do not fill evenly, two ranks, and vectors of one element") {
  const SharedNodes nodes;
  for (const char* name : {"butterfly", "swing_whole", "swing", "ring", "rabenseifner"})
    for (const Rank ranks : {2, 3, 60, 64})
      for (const Rank per_node : {1, 3, 56})
        CHECK(nodes.time(on_nodes(name, ranks, per_node, 4 * ranks)) > 0);
}

TEST_CASE("the fold of ranks beyond a power of two is not cut into segments") {
  const SharedNodes nodes;
  MessageCase whole = on_nodes("swing", 60, 1, 1 << 26), cut = whole;
  cut.segment = 16384;
  const double slower = nodes.time(cut) - nodes.time(whole);
  MessageCase core = on_nodes("swing", 32, 1, 1 << 26), core_cut = core;
  core_cut.segment = 16384;
  CHECK(slower < 1.5 * (nodes.time(core_cut) - nodes.time(core)));
}

TEST_CASE("a machine without a sheet has a usual node") {
  CHECK(node_sheet("lumi").cards == 4);
  CHECK(node_sheet("elsewhere").cards == 1);
  CHECK(node_sheet("elsewhere").memory_gb_per_s > 0);
}
