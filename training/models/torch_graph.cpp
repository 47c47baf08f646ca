#include "training/models/torch_graph.hpp"

#include <torch/csrc/autograd/functions/accumulate_grad.h>

#include <map>
#include <set>
#include <string>
#include <utility>

namespace arlab::training {
namespace {

using torch::autograd::AccumulateGrad;
using torch::autograd::Node;

// "Linear" of "torch::nn::LinearImpl".
std::string type_of(const torch::nn::Module& module) {
  std::string name = module.name();
  name = name.substr(name.rfind(':') + 1);
  return name.ends_with("Impl") ? name.substr(0, name.size() - 4) : name;
}

// "Addmm" of "AddmmBackward0".
std::string operation_of(const Node& node) {
  const std::string name = node.name();
  return name.substr(0, name.rfind("Backward"));
}

std::vector<Count> shape_of(const torch::Tensor& t) { return t.sizes().vec(); }

class GraphBuilder {
 public:
  GraphBuilder(torch::nn::SequentialImpl& net, const torch::Tensor& input) {
    name_modules(net, "", "");
    for (const auto& parameter : net.named_parameters()) {
      const std::string& path = parameter.key();
      const std::size_t dot = path.rfind('.');
      const std::string scope = dot == path.npos ? "" : scopes_.at(path.substr(0, dot));
      leaves_[parameter.value().unsafeGetTensorImpl()] = {scope, path.substr(dot + 1)};
    }
    leaves_[input.unsafeGetTensorImpl()] = {"", "input"};
  }

  const std::string& scope(const std::string& module) const { return scopes_.at(module); }

  /// Adds what has led to a tensor and is not in the graph yet; it is of that stage.
  void add(const torch::Tensor& output, const std::string& stage) {
    if (output.grad_fn()) add(*output.grad_fn(), stage);
  }

  ModelGraph take() { return std::move(graph_); }

 private:
  struct Leaf {
    std::string scope, name;
  };

  void name_modules(const torch::nn::Module& parent, const std::string& path,
                    const std::string& scope) {
    for (const auto& child : parent.named_children()) {
      const std::string its_path = path + child.key();
      const bool numbered = child.key().find_first_not_of("0123456789") == std::string::npos;
      const std::string its_scope =
          scope + child.key() + (numbered ? '_' + type_of(*child.value()) : std::string()) + '/';
      scopes_[its_path] = its_scope;
      name_modules(*child.value(), its_path + '.', its_scope);
    }
  }

  // Returns the name of the node, and the scope of its parameter if it is one, or a view of one.
  const Leaf& add(Node& node, const std::string& stage) {
    const auto found = known_.find(&node);
    if (found != known_.end()) return found->second;
    if (auto* const leaf = dynamic_cast<AccumulateGrad*>(&node)) {
      const Leaf& its = leaves_.at(leaf->variable.unsafeGetTensorImpl());
      const std::string name = its.scope + its.name;
      graph_.push_back(
          {name, its.name == "input" ? "Placeholder" : "Parameter", {}, shape_of(leaf->variable)});
      return known_[&node] = {its.scope, name};
    }
    GraphNode its{"", operation_of(node)};
    std::string scope;
    for (const torch::autograd::Edge& edge : node.next_edges()) {
      if (!edge.function) continue;  // a constant
      const Leaf& input = add(*edge.function, stage);
      its.inputs.push_back(input.name);
      if (!input.scope.empty()) scope = input.scope;
    }
    const bool only_view =
        its.inputs.size() == 1;  // such as the transposed weight of a dense layer
    its.name = unique((scope.empty() ? stage : scope) + its.operation);
    its.shape = shape_of(node.input_metadata(0).zeros_like());
    graph_.push_back(its);
    return known_[&node] = {only_view ? scope : "", its.name};
  }

  std::string unique(const std::string& name) {
    const int before = uses_[name]++;
    return before == 0 ? name : name + '_' + std::to_string(before);
  }

  ModelGraph graph_;
  std::map<std::string, std::string> scopes_;      // by path of the module
  std::map<const c10::TensorImpl*, Leaf> leaves_;  // parameters and the input
  std::map<const Node*, Leaf> known_;              // in the graph, with their whole names
  std::map<std::string, int> uses_;
};

}  // namespace

ModelGraph graph_of(torch::nn::SequentialImpl& net, torch::Tensor input) {
  const torch::AutoGradMode gradients(true);
  torch::Tensor x = input.requires_grad_(true);
  GraphBuilder builder(net, x);
  std::vector<torch::Tensor> outputs;  // keep what leads to them
  int stage = 0;
  for (torch::nn::AnyModule& module : net) {
    x = module.forward<torch::Tensor>(x);
    outputs.push_back(x);
    builder.add(x, builder.scope(std::to_string(stage++)));
  }
  return builder.take();
}

}  // namespace arlab::training
