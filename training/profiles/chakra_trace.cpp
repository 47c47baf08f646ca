#include "training/profiles/chakra_trace.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>
#include <map>
#include <queue>

#include "algorithms/base/error.hpp"

namespace arlab::training {
namespace {

// Of Chakra's CollectiveCommType. Broadcasts carry buffers of the model, not gradients, and are
// left out.
constexpr std::int64_t kAllreduce = 0, kBroadcast = 5, kBarrier = 9;

constexpr std::uint64_t kMostUs = 7ull * 24 * 3600 * 1'000'000;
constexpr std::int64_t kMostBytes = std::int64_t{1} << 50;

// The processor's part of a collective that a GPU runs.
bool launches(const ChakraNode& node) {
  return node.on_processor.value_or(false) && !node.collective;
}

bool is_allreduce(const ChakraNode& node) {
  return node.type == ChakraType::collective && node.collective == kAllreduce;
}

class ChakraImporter {
 public:
  ChakraImporter(std::span<const ChakraNode> nodes, const std::string& file)
      : nodes_(nodes), file_(file) {}

  ModelProfile profile() {
    check();
    order();
    find_first_step();
    find_gradients();
    return assembled();
  }

 private:
  struct Gradient {
    std::size_t node = 0, producer = 0;  // places in order_
  };

  [[noreturn]] void refuse(const std::string& what) const {
    fail(Blame::usage, "trace " + file_ + ": " + what);
  }

  static std::string text(const ChakraNode& node) {
    return "node " + std::to_string(node.id) + " (" + node.name + ")";
  }

  void check() const {
    std::uint64_t us = 0;
    for (const ChakraNode& node : nodes_) {
      if (node.duration_us > kMostUs || (us += node.duration_us) > kMostUs)
        refuse(text(node) + " takes " + std::to_string(node.duration_us) +
               " us, and at most a week can be read in all: record fewer steps");
      if (node.type == ChakraType::send || node.type == ChakraType::receive)
        refuse(text(node) +
               " is a message between two ranks, as pipelines have them: a profile is one "
               "replica of data-parallel training, whose only communication is allreduce");
      if (node.type != ChakraType::collective || launches(node)) continue;
      if (!node.collective || !node.bytes || *node.bytes < 0 || *node.bytes > kMostBytes)
        refuse(text(node) +
               " is a collective without comm_type, or without a comm_size of 0 bytes to 1 PiB: "
               "convert the trace again");
      if (*node.collective != kAllreduce && *node.collective != kBroadcast &&
          *node.collective != kBarrier)
        refuse(text(node) + " is a collective of type " + std::to_string(*node.collective) +
               ", as sharded or model-parallel training has them: a profile is one replica of "
               "data-parallel training, which exchanges gradients by allreduce (type 0)");
    }
  }

  // Each node after those that it needs; otherwise by id, which is the order of issue.
  void order() {
    std::map<std::uint64_t, std::size_t> place;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (!place.emplace(nodes_[i].id, i).second)
        refuse(text(nodes_[i]) + " has the id of another node");
    std::vector<std::vector<std::size_t>> needs(nodes_.size()), followers(nodes_.size());
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      for (const std::uint64_t need : nodes_[i].needs) {
        const auto found = place.find(need);
        if (found == place.end()) continue;  // PyTorch's traces leave out the roots
        needs[i].push_back(found->second);
        followers[found->second].push_back(i);
      }
    std::vector<std::size_t> missing;
    for (const auto& its : needs) missing.push_back(its.size());
    using Next = std::pair<std::uint64_t, std::size_t>;  // id and place
    std::priority_queue<Next, std::vector<Next>, std::greater<>> ready;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (missing[i] == 0) ready.push({nodes_[i].id, i});
    std::vector<std::size_t> position(nodes_.size());
    while (!ready.empty()) {
      const std::size_t i = ready.top().second;
      ready.pop();
      position[i] = order_.size();
      order_.push_back(&nodes_[i]);
      for (const std::size_t follower : followers[i])
        if (--missing[follower] == 0) ready.push({nodes_[follower].id, follower});
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (missing[i] > 0)
        refuse(text(nodes_[i]) + " depends on itself through other nodes: convert the trace again");
    needs_.resize(order_.size());
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      for (const std::size_t need : needs[i]) needs_[position[i]].push_back(position[need]);
  }

  // Kernels overlap the processor's operators that launch them.
  bool counts(std::size_t i) const {
    return order_[i]->type == ChakraType::compute && in_step_[i] &&
           !(has_kernels_ && order_[i]->on_processor.value_or(false));
  }

  void find_first_step() {
    in_step_.assign(order_.size(), true);
    for (std::size_t i = 0; i < order_.size(); ++i) {
      for (const std::size_t need : needs_[i])
        if (!in_step_[need] || is_allreduce(*order_[need])) in_step_[i] = false;
      if (in_step_[i] && order_[i]->type == ChakraType::compute && order_[i]->on_processor == false)
        has_kernels_ = true;
    }
  }

  // The computation before an allreduce is the last that it depends on. Kernels depend on their
  // launch only, not on one another: then it is the last that was launched before.
  void find_gradients() {
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (!is_allreduce(*order_[i]) || !in_step_[i]) continue;
      const std::vector<bool> needed = ancestors(i);
      std::size_t producer = i, before = i;
      for (std::size_t back = i; back-- > 0 && producer == i;) {
        if (!counts(back)) continue;
        if (before == i) before = back;
        if (needed[back]) producer = back;
      }
      if (before == i)
        refuse(text(*order_[i]) +
               " follows no computation: a gradient is computed before its allreduce");
      gradients_.push_back({i, producer == i ? before : producer});
    }
    if (gradients_.empty())
      refuse("it has no allreduce: record data-parallel training on at least 2 ranks");
    std::stable_sort(gradients_.begin(), gradients_.end(),
                     [](const Gradient& a, const Gradient& b) { return a.producer < b.producer; });
    const auto begins = std::find_if(order_.begin(), order_.end(), [](const ChakraNode* node) {
      return node->name.starts_with("autograd::engine::evaluate_function");  // PyTorch says so
    });
    backward_begin_ =
        std::min(gradients_.front().producer, static_cast<std::size_t>(begins - order_.begin()));
  }

  // Returns for each node whether `of` depends on it.
  std::vector<bool> ancestors(std::size_t of) const {
    std::vector<bool> all(order_.size());
    for (const std::size_t need : needs_[of]) all[need] = true;
    for (std::size_t i = of; i-- > 0;)
      if (all[i])
        for (const std::size_t need : needs_[i]) all[need] = true;
    return all;
  }

  Time time(std::size_t i) const {
    return to_time(1e6 * static_cast<double>(order_[i]->duration_us));
  }

  ModelProfile assembled() {
    ModelProfile profile;
    const std::string name = std::filesystem::path(file_).filename().string();
    profile.name = name.substr(0, name.find('.', 1));
    profile.device = "the device of the trace";
    profile.samples = "steps";
    std::vector<ModelProfile::Part>& layers = profile.layers;  // from last to first, until reversed
    std::size_t at = backward_begin_;
    for (const Gradient& gradient : gradients_) {
      const ChakraNode& node = *order_[gradient.node];
      ModelProfile::Part part{.name = node.name + "." + std::to_string(node.id)};
      if (*node.bytes > 0) part.tensors.push_back({"gradient", (*node.bytes + 3) / 4});
      for (; at <= gradient.producer; ++at)
        if (counts(at)) part.backward += time(at);
      layers.push_back(std::move(part));
    }
    Time rest{};
    for (; at < order_.size(); ++at)
      if (counts(at)) rest += time(at);
    std::reverse(layers.begin(), layers.end());
    share_forward(layers);
    if (profile.parameters() == 0)
      refuse("its allreduces have no bytes: convert a trace of data-parallel training");
    profile.optimizer = picoseconds(rest) / static_cast<double>(profile.parameters());
    const std::string source = "a Chakra execution trace";
    profile.sources = {{"parameters", "bytes of the allreduces of " + source + ", by 4"},
                       {"forward_us", source},
                       {"backward_us", source},
                       {"optimizer_ps_per_parameter", source}};
    return profile;
  }

  // One computation per layer is that layer's; else the trace does not say whose it is, and the
  // layers share the forward pass as they share the backward pass.
  void share_forward(std::vector<ModelProfile::Part>& layers) const {
    std::vector<Time> times;
    Time forward{}, backward{};
    for (std::size_t i = 0; i < backward_begin_; ++i)
      if (counts(i)) {
        times.push_back(time(i));
        forward += times.back();
      }
    for (const ModelProfile::Part& layer : layers) backward += layer.backward;
    for (std::size_t l = 0; l < layers.size(); ++l)
      if (times.size() == layers.size())
        layers[l].forward = times[l];
      else if (backward > Time{})
        layers[l].forward =
            to_time(picoseconds(forward) * picoseconds(layers[l].backward) / picoseconds(backward));
      else if (l == 0)
        layers[l].forward = forward;
  }

  const std::span<const ChakraNode> nodes_;
  const std::string& file_;
  std::vector<const ChakraNode*> order_;
  std::vector<std::vector<std::size_t>> needs_;  // of each in order_
  std::vector<bool> in_step_;
  bool has_kernels_ = false;
  std::vector<Gradient> gradients_;  // in the order of their producers
  std::size_t backward_begin_ = 0;
};

}  // namespace

ModelProfile import_chakra_trace(std::span<const ChakraNode> nodes, const std::string& file) {
  const ModelProfile profile = ChakraImporter(nodes, file).profile();
  return parse_profile(to_json_text(profile), file);
}

}  // namespace arlab::training
