#include "training/models/torch_replica.hpp"

#include <torch/csrc/autograd/utils/lambda_post_hook.h>
#include <torch/cuda.h>
#include <torch/nn/functional/loss.h>
#include <torch/utils.h>

#include <mutex>
#include <string>
#include <utility>

#include "algorithms/error.hpp"

namespace arlab {
namespace {

using torch::autograd::variable_list;

std::span<float> floats(const torch::Tensor& flat) {
  return {flat.data_ptr<float>(), static_cast<std::size_t>(flat.numel())};
}

class TorchReplica final : public Replica {
 public:
  TorchReplica(const Architecture& architecture, torch::Device device, torch::nn::Sequential net)
      : architecture_(architecture), device_(device), net_(std::move(net)) {
    net_->to(device_);
    lay_out();
    hook();
  }

  std::span<const Variable> variables() const override { return variables_; }
  std::span<float> weights() override { return floats(weights_); }
  std::span<float> gradients() override { return floats(gradients_); }
  std::span<float> statistics() override { return floats(statistics_); }

  Outcome learn(const Samples& samples, float scale, const Ready& ready) override {
    net_->train();
    take_weights();
    ready_ = &ready;
    const auto [inputs, labels] = tensors(samples);
    const torch::Tensor outputs = net_->forward(inputs);
    const torch::Tensor loss = loss_of(outputs, labels);
    (loss * scale).backward();
    ready_ = nullptr;
    give_statistics();
    return outcome(loss, outputs, labels);
  }

  Outcome evaluate(const Samples& samples) override {
    const torch::NoGradGuard no_gradients;
    net_->eval();
    take_weights();
    const auto [inputs, labels] = tensors(samples);
    const torch::Tensor outputs = net_->forward(inputs);
    return outcome(loss_of(outputs, labels), outputs, labels);
  }

 private:
  bool on_host() const { return device_.is_cpu(); }

  /// Moves all parameters and statistics into flat tensors on the host. On a GPU the parameters
  /// stay there, and are copied each step.
  void lay_out() {
    const torch::NoGradGuard no_gradients;
    for (const auto& item : net_->named_parameters()) {
      Variable v{item.key(), item.value().sizes().vec(), 0, item.value().numel()};
      if (!variables_.empty()) v.offset = variables_.back().offset + variables_.back().elements;
      variables_.push_back(std::move(v));
      parameters_.push_back(item.value());
    }
    expects(!variables_.empty(), "a model without parameters");
    const Count all = variables_.back().offset + variables_.back().elements;
    weights_ = torch::empty({all});
    gradients_ = torch::zeros({all});
    for (std::size_t i = 0; i < variables_.size(); ++i) {
      part(weights_, i).copy_(parameters_[i]);
      if (!on_host()) continue;
      parameters_[i].set_data(part(weights_, i));
      parameters_[i].mutable_grad() = part(gradients_, i);
    }
    Count kept = 0;
    for (const torch::Tensor& buffer : net_->buffers())
      if (buffer.is_floating_point()) buffers_.push_back(buffer), kept += buffer.numel();
    statistics_ = torch::empty({kept});
    give_statistics();
  }

  torch::Tensor part(const torch::Tensor& flat, std::size_t variable) const {
    const Variable& v = variables_[variable];
    return flat.narrow(0, v.offset, v.elements).view(v.shape);
  }

  void hook() {
    for (std::size_t i = 0; i < parameters_.size(); ++i) {
      accumulators_.push_back(torch::autograd::impl::grad_accumulator(parameters_[i]));
      accumulators_.back()->add_post_hook(std::make_unique<torch::autograd::utils::LambdaPostHook>(
          [this, i](const variable_list& outputs, const variable_list&) {
            if (!on_host()) fetch_gradient(i);
            if (ready_ && *ready_) (*ready_)(i);
            return outputs;
          }));
    }
  }

  void fetch_gradient(std::size_t i) {
    const torch::NoGradGuard no_gradients;
    part(gradients_, i).add_(parameters_[i].grad().to(torch::kCPU));
    parameters_[i].mutable_grad().reset();
  }

  // Strategies change weights() and statistics(); the module gets them before it runs.
  void take_weights() {
    const torch::NoGradGuard no_gradients;
    if (!on_host())
      for (std::size_t i = 0; i < parameters_.size(); ++i) parameters_[i].copy_(part(weights_, i));
    for_statistics([](torch::Tensor& buffer, const torch::Tensor& flat) { buffer.copy_(flat); });
  }
  void give_statistics() {
    const torch::NoGradGuard no_gradients;
    for_statistics([](torch::Tensor& buffer, torch::Tensor flat) { flat.copy_(buffer); });
  }
  template <class Use>
  void for_statistics(Use use) {
    Count offset = 0;
    for (torch::Tensor& buffer : buffers_) {
      use(buffer, statistics_.narrow(0, offset, buffer.numel()).view(buffer.sizes()));
      offset += buffer.numel();
    }
  }

  std::pair<torch::Tensor, torch::Tensor> tensors(const Samples& samples) const {
    const auto n = static_cast<Count>(samples.labels.size());
    const Architecture& a = architecture_;
    if (n == 0 || static_cast<Count>(samples.inputs.size()) != n * a.inputs())
      fail(Blame::usage, std::to_string(samples.inputs.size()) + " numbers for " +
                             std::to_string(n) + " samples: model " + std::string(a.name) +
                             " takes " + std::to_string(a.inputs()) +
                             " a sample, of at least one: choose data of that shape");
    // from_blob wants memory that may be changed; nothing here does.
    auto* const inputs = const_cast<float*>(samples.inputs.data());
    auto* const labels = const_cast<std::int64_t*>(samples.labels.data());
    return {torch::from_blob(inputs, {n, a.channels, a.height, a.width}).to(device_),
            torch::from_blob(labels, {n}, torch::kInt64).to(device_)};
  }

  static torch::Tensor loss_of(const torch::Tensor& outputs, const torch::Tensor& labels) {
    return torch::nn::functional::cross_entropy(
        outputs, labels, torch::nn::functional::CrossEntropyFuncOptions().reduction(torch::kSum));
  }

  static Outcome outcome(const torch::Tensor& loss, const torch::Tensor& outputs,
                         const torch::Tensor& labels) {
    return {loss.item<double>(), outputs.argmax(1).eq(labels).sum().item<Count>(), labels.numel()};
  }

  const Architecture architecture_;
  const torch::Device device_;
  torch::nn::Sequential net_;
  std::vector<Variable> variables_;
  std::vector<torch::Tensor> parameters_, buffers_;
  torch::Tensor weights_, gradients_, statistics_;
  std::vector<std::shared_ptr<torch::autograd::Node>> accumulators_;
  const Ready* ready_ = nullptr;
};

torch::Device device_of(const ReplicaSetup& setup) {
  if (!setup.cuda) return torch::kCPU;
  if (!torch::cuda::is_available())
    fail(Blame::environment,
         "device cuda: this LibTorch sees no GPU: use --device cpu, or configure with "
         "-DCMAKE_PREFIX_PATH=<a LibTorch built for CUDA>");
  return torch::kCUDA;
}

}  // namespace

std::unique_ptr<Replica> make_torch_replica(const Architecture& architecture,
                                            const ReplicaSetup& setup,
                                            const std::function<torch::nn::Sequential()>& build) {
  // The random numbers of LibTorch are one sequence for the whole process.
  static std::mutex building;
  const std::lock_guard lock(building);
  torch::manual_seed(setup.seed);
  return std::make_unique<TorchReplica>(architecture, device_of(setup), build());
}

}  // namespace arlab
