#include "training/models/torch_replica.hpp"

#include <c10/core/impl/VirtualGuardImpl.h>
#include <torch/cuda.h>
#include <torch/nn/functional/loss.h>
#include <torch/utils.h>

#include <mutex>
#include <string>
#include <utility>

#include "algorithms/base/error.hpp"
#include "collectives/local_rank.hpp"
#include "training/models/torch_graph.hpp"
#include "training/models/torch_parameters.hpp"

namespace arlab::training {
namespace {

class TorchReplica final : public Replica {
 public:
  TorchReplica(const Architecture& architecture, torch::Device device, torch::nn::Sequential net,
               const std::shared_ptr<const DeviceMath>& math)
      : architecture_(architecture),
        device_(device),
        net_(moved(std::move(net), device)),
        parameters_(*net_, math) {
    const std::span<const Variable> variables = parameters_.variables();
    variables_.assign(variables.begin(), variables.end());
    memory_ = {parameters_.weights(), parameters_.gradients(), parameters_.statistics(),
               parameters_.on_device()};
    parameters_.on_ready([this](std::size_t variable) { is_ready(variable); });
    find_stages();
  }

  void fetch() override { parameters_.fetch(); }
  void give() override { parameters_.give(); }

  BatchResult learn(const Samples& samples, float scale) override {
    net_->train();
    const bool copies = !on_device();  // the statistics, too, stay where the module has them
    if (copies) parameters_.give_statistics();
    const auto [inputs, labels] = tensors(samples);
    torch::Tensor outputs = inputs;
    for (std::size_t s = 0; s < stages_.size(); ++s) outputs = pass(s, outputs);
    const torch::Tensor loss = loss_of(outputs, labels);
    (loss * scale).backward();
    if (copies) parameters_.take_statistics();
    return outcome(loss, outputs, labels);
  }

  ModelGraph graph() override {
    net_->eval();
    if (!on_device()) parameters_.give();
    return graph_of(
        *net_, torch::zeros({1, architecture_.channels, architecture_.height, architecture_.width},
                            device_));
  }

  BatchResult evaluate(const Samples& samples) override {
    const torch::NoGradGuard no_gradients;
    net_->eval();
    if (!on_device()) parameters_.give();
    const auto [inputs, labels] = tensors(samples);
    const torch::Tensor outputs = net_->forward(inputs);
    return outcome(loss_of(outputs, labels), outputs, labels);
  }

 private:
  /// Finds the modules of the network in order, and the variables that each of them trains.
  void find_stages() {
    const torch::NoGradGuard no_gradients;
    net_->eval();
    torch::Tensor x = torch::zeros(
        {1, architecture_.channels, architecture_.height, architecture_.width}, device_);
    std::size_t variable = 0;
    for (torch::nn::AnyModule& module : *net_) {
      const std::size_t first = variable;
      variable += module.ptr()->parameters().size();
      stages_.push_back({&module, first, variable});
      x = module.forward<torch::Tensor>(x);
      // Each position of the output uses a weight once.
      const Count places = x.dim() == 4 ? x.size(2) * x.size(3) : 1;
      for (std::size_t v = first; v < variable; ++v) {
        variables_[v].work = variables_[v].elements * places;
        variables_[v].stage = static_cast<Count>(stages_.size());
      }
    }
  }

  torch::Tensor pass(std::size_t stage, const torch::Tensor& x) {
    const Stage& s = stages_[stage];
    for (std::size_t v = s.first; v < s.last; ++v) {
      needs(v);
      parameters_.give(v);
    }
    const torch::Tensor y = s.module->forward<torch::Tensor>(x);
    // The gradient of the outputs is known before the stage's backward pass begins.
    if (s.first < s.last)
      y.register_hook([this, &s](const torch::Tensor&) {
        for (std::size_t v = s.first; v < s.last; ++v) needs_backward(v);
      });
    return y;
  }

  static torch::nn::Sequential moved(torch::nn::Sequential net, torch::Device device) {
    net->to(device);
    return net;
  }

  std::pair<torch::Tensor, torch::Tensor> tensors(const Samples& samples) const {
    const auto n = static_cast<Count>(samples.labels.size());
    const Architecture& a = architecture_;
    if (n == 0 || static_cast<Count>(samples.inputs.size()) != n * a.inputs())
      fail(Blame::usage, std::to_string(samples.inputs.size()) + " numbers for " +
                             std::to_string(n) + " samples: model " + std::string(a.name) +
                             " takes " + std::to_string(a.inputs()) +
                             " per sample, of at least one: use data of that shape");
    for (const std::int64_t label : samples.labels)
      if (label < 0 || label >= a.classes)
        fail(Blame::usage, "label " + std::to_string(label) + ": model " + std::string(a.name) +
                               " has classes 0 to " + std::to_string(a.classes - 1));
    // from_blob requires mutable memory, but nothing here changes it.
    auto* const inputs = const_cast<float*>(samples.inputs.data());
    auto* const labels = const_cast<std::int64_t*>(samples.labels.data());
    return {torch::from_blob(inputs, {n, a.channels, a.height, a.width}).to(device_),
            torch::from_blob(labels, {n}, torch::kInt64).to(device_)};
  }

  static torch::Tensor loss_of(const torch::Tensor& outputs, const torch::Tensor& labels) {
    return torch::nn::functional::cross_entropy(
        outputs, labels, torch::nn::functional::CrossEntropyFuncOptions().reduction(torch::kSum));
  }

  static BatchResult outcome(const torch::Tensor& loss, const torch::Tensor& outputs,
                             const torch::Tensor& labels) {
    return {loss.item<double>(), outputs.argmax(1).eq(labels).sum().item<Count>(), labels.numel()};
  }

  const Architecture architecture_;
  const torch::Device device_;
  torch::nn::Sequential net_;
  TorchParameters parameters_;
  struct Stage {
    torch::nn::AnyModule* module;
    std::size_t first, last;  // its variables, the last not included
  };
  std::vector<Stage> stages_;
};

torch::Device device_of(const ReplicaSetup& setup) {
  if (!setup.cuda) return torch::kCPU;
  if (!torch::cuda::is_available())
    fail(Blame::environment,
         "device cuda: LibTorch finds no GPU: use device cpu, or configure with "
         "-DCMAKE_PREFIX_PATH=<a LibTorch built for CUDA>");
  const int gpu =
      collectives::gpu_of(setup.local_rank, static_cast<Rank>(torch::cuda::device_count()));
  const torch::Device device(torch::kCUDA, static_cast<c10::DeviceIndex>(gpu));
  // What follows the passes is enqueued in the device's own stream (StreamKind::framework).
  const c10::impl::VirtualGuardImpl streams(torch::kCUDA);
  if (setup.math && streams.getStream(device) != streams.getDefaultStream(device))
    fail(Blame::usage,
         "LibTorch computes in a stream of its own choice, which gradients in the GPU's memory do "
         "not wait for: leave its current stream at the default one");
  return device;
}

}  // namespace

std::unique_ptr<Replica> make_torch_replica(const Architecture& architecture,
                                            const ReplicaSetup& setup,
                                            const std::function<torch::nn::Sequential()>& build) {
  // LibTorch has one sequence of random numbers per process.
  static std::mutex building;
  const std::lock_guard lock(building);
  torch::manual_seed(setup.seed);
  return std::make_unique<TorchReplica>(architecture, device_of(setup), build(), setup.math);
}

}  // namespace arlab::training
