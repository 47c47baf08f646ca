#include "training/models/torch_parameters.hpp"

#include <torch/csrc/autograd/utils/lambda_post_hook.h>
#include <torch/utils.h>

#include <string>
#include <utility>

#include "algorithms/base/error.hpp"

namespace arlab::training {
namespace {

std::span<float> floats(const torch::Tensor& flat) {
  return {flat.data_ptr<float>(), static_cast<std::size_t>(flat.numel())};
}

/// A tensor on these numbers, which live as long as it does.
torch::Tensor tensor_on(std::span<float> numbers, torch::Device device,
                        const std::shared_ptr<DeviceVectors>& owner) {
  return torch::from_blob(
      numbers.data(), {static_cast<std::int64_t>(numbers.size())}, [owner](void*) {},
      torch::TensorOptions().dtype(torch::kFloat32).device(device));
}

}  // namespace

TorchParameters::TorchParameters(torch::nn::Module& module,
                                 std::shared_ptr<const DeviceMath> math) {
  const torch::NoGradGuard no_gradients;
  Count all = 0, kept = 0;
  for (const auto& item : module.named_parameters()) {
    const torch::Tensor& p = item.value();
    if (p.scalar_type() != torch::kFloat32)
      fail(Blame::usage,
           "parameter " + item.key() + " is of type " +
               std::string(torch::toString(p.scalar_type())) +
               ": only float32 can be trained: call module.to(torch::kFloat32) first");
    variables_.push_back({item.key(), p.sizes().vec(), all, p.numel()});
    parameters_.push_back(p);
    all += p.numel();
  }
  if (parameters_.empty()) fail(Blame::usage, "the model has 0 parameters: register some");
  weights_ = torch::empty({all});
  gradients_ = torch::zeros({math ? 0 : all});
  for (std::size_t i = 0; i < variables_.size(); ++i) part(weights_, i).copy_(parameters_[i]);
  if (math) {
    const torch::Device device = parameters_.front().device();
    vectors_ = std::make_shared<DeviceVectors>(std::move(math), all);
    weights_there_ = tensor_on(vectors_->weights(), device, vectors_);
    weights_there_.copy_(weights_);
    share(weights_there_, tensor_on(vectors_->gradients(), device, vectors_));
  } else if (shares()) {
    share(weights_, gradients_);
  }
  for (const torch::Tensor& buffer : module.buffers())
    if (buffer.is_floating_point()) buffers_.push_back(buffer), kept += buffer.numel();
  statistics_ = torch::empty({kept});
  memory_ = {floats(weights_), floats(gradients_), floats(statistics_), vectors_.get()};
  take_statistics();
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    const auto node = torch::autograd::impl::grad_accumulator(parameters_[i]);
    const auto key = node->add_post_hook(std::make_unique<torch::autograd::utils::LambdaPostHook>(
        [this, i](const torch::autograd::variable_list& outputs,
                  const torch::autograd::variable_list&) {
          complete(i);
          return outputs;
        }));
    hooks_.push_back({node, key});
  }
}

TorchParameters::~TorchParameters() {
  for (const Hook& hook : hooks_) hook.node->del_post_hook(hook.key);
}

void TorchParameters::share(const torch::Tensor& weights, const torch::Tensor& gradients) {
  for (std::size_t i = 0; i < variables_.size(); ++i) {
    parameters_[i].set_data(part(weights, i));
    parameters_[i].mutable_grad() = part(gradients, i);
  }
}

torch::Tensor TorchParameters::part(const torch::Tensor& flat, std::size_t variable) const {
  const Variable& v = variables_[variable];
  return flat.narrow(0, v.offset, v.elements).view(v.shape);
}

void TorchParameters::complete(std::size_t variable) {
  if (!shares()) {
    const torch::NoGradGuard no_gradients;
    torch::Tensor& gradient = parameters_[variable].mutable_grad();
    part(gradients_, variable).add_(gradient.to(torch::kCPU));
    gradient.reset();
  }
  is_ready(variable);
}

template <class Use>
void TorchParameters::for_statistics(Use use) {
  const torch::NoGradGuard no_gradients;
  Count offset = 0;
  for (const torch::Tensor& buffer : buffers_) {
    use(buffer, statistics_.narrow(0, offset, buffer.numel()).view(buffer.sizes()));
    offset += buffer.numel();
  }
}

void TorchParameters::fetch() {
  if (!vectors_) return;
  const torch::NoGradGuard no_gradients;
  weights_.copy_(weights_there_);
  take_statistics();
}

void TorchParameters::give() {
  const torch::NoGradGuard no_gradients;
  if (vectors_) weights_there_.copy_(weights_);
  for (std::size_t i = 0; i < parameters_.size(); ++i) give(i);
  give_statistics();
}

void TorchParameters::give(std::size_t variable) {
  if (shares()) return;
  const torch::NoGradGuard no_gradients;
  parameters_[variable].copy_(part(weights_, variable));
}

void TorchParameters::give_statistics() {
  for_statistics(
      [](const torch::Tensor& buffer, const torch::Tensor& flat) { buffer.copy_(flat); });
}

void TorchParameters::take_statistics() {
  for_statistics(
      [](const torch::Tensor& buffer, const torch::Tensor& flat) { flat.copy_(buffer); });
}

}  // namespace arlab::training
