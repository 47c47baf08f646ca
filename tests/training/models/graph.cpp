// The graphs of the catalog's models, as TensorBoard shows them.
#include <algorithm>
#include <set>

#include "tests/support/catch.hpp"
#include "training/models/architecture.hpp"

using namespace arlab;
using namespace arlab::training;

namespace {

const GraphNode* find(const ModelGraph& graph, std::string_view name) {
  const auto found = std::ranges::find(graph, name, &GraphNode::name);
  return found == graph.end() ? nullptr : &*found;
}

// Whether a value reaches a node, which comes later.
bool leads_to(const ModelGraph& graph, const std::string& from, const std::string& to) {
  if (from == to) return true;
  return std::ranges::any_of(find(graph, to)->inputs, [&](const std::string& input) {
    return leads_to(graph, from, input);
  });
}

}  // namespace

TEST_CASE("the graph of each model leads from the images and each parameter to the classes") {
  use_threads(1);
  for (const Architecture& a : architectures()) {
    INFO(a.name);
    const auto replica = make_replica(a, {});
    const std::vector<float> before(replica->statistics().begin(), replica->statistics().end());
    const ModelGraph graph = replica->graph();
    CHECK(std::ranges::equal(replica->statistics(), before));
    std::set<std::string> seen, used;
    std::multiset<std::vector<Count>> parameters, variables;
    for (const GraphNode& node : graph) {
      CHECK(seen.insert(node.name).second);
      for (const std::string& input : node.inputs) {
        INFO(node.name << " of " << input);
        CHECK(seen.contains(input));
        used.insert(input);
      }
      if (node.operation == "Parameter") parameters.insert(node.shape);
    }
    for (const Variable& v : replica->variables()) variables.insert(v.shape);
    CHECK(parameters == variables);
    REQUIRE(find(graph, "input"));
    CHECK(find(graph, "input")->shape == std::vector{Count{1}, a.channels, a.height, a.width});
    CHECK(graph.back().shape == std::vector{Count{1}, a.classes});
    CHECK(used.size() + 1 == graph.size());  // all but the last
  }
}

TEST_CASE("scopes are the modules, and operations have the names of their layers") {
  use_threads(1);
  const ModelGraph mlp = make_replica(find_architecture("mlp"), {})->graph();
  for (const char* name :
       {"1_Linear/weight", "1_Linear/bias", "1_Linear/Addmm", "2_ReLU/Relu", "3_Linear/Addmm"}) {
    INFO(name);
    CHECK(find(mlp, name));
  }
  CHECK(leads_to(mlp, "1_Linear/Addmm", "2_ReLU/Relu"));
  CHECK(leads_to(mlp, "2_ReLU/Relu", "3_Linear/Addmm"));
  CHECK_FALSE(leads_to(mlp, "3_Linear/weight", "2_ReLU/Relu"));
  const ModelGraph resnet = make_replica(find_architecture("resnet50"), {})->graph();
  const auto sums = std::ranges::count(resnet, "Add", &GraphNode::operation);
  CHECK(sums == 16);  // of each bottleneck's two ways
  CHECK(std::ranges::count(resnet, "Convolution", &GraphNode::operation) == 53);
  CHECK(find(resnet, "4_Bottleneck/main/0_Conv2d/weight"));
}
