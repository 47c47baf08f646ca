#include "training/models/sync_batch_norm.hpp"

#include <torch/csrc/autograd/custom_function.h>
#include <torch/nn/modules/batchnorm.h>
#include <torch/utils.h>

#include <utility>
#include <vector>

namespace arlab::training {
namespace {

constexpr double kEpsilon = 1e-5, kMomentum = 0.1;

/// Returns the sum of a vector over all workers, in the memory of `local`.
torch::Tensor summed(const torch::Tensor& local, const SumOverWorkers& sum) {
  const torch::Tensor host = local.to(torch::kCPU, torch::kFloat32, false, true).contiguous();
  sum({host.data_ptr<float>(), static_cast<std::size_t>(host.numel())});
  return host.to(local.device());
}

torch::Tensor over_channel(const torch::Tensor& x) { return x.sum({0, 2, 3}); }
torch::Tensor spread(const torch::Tensor& channels) { return channels.view({1, -1, 1, 1}); }

class Normalize : public torch::autograd::Function<Normalize> {
 public:
  static torch::autograd::variable_list forward(torch::autograd::AutogradContext* context,
                                                const torch::Tensor& x, const torch::Tensor& weight,
                                                const torch::Tensor& bias,
                                                const SumOverWorkers* sum) {
    const Count channels = x.size(1);
    const torch::Tensor count = torch::full({1}, x.numel() / channels, x.options());
    const torch::Tensor sums = summed(torch::cat({over_channel(x), count}), *sum);
    const torch::Tensor all = sums.narrow(0, channels, 1);
    const torch::Tensor mean = sums.narrow(0, 0, channels) / all;
    const torch::Tensor centered = x - spread(mean);
    const torch::Tensor var = summed(over_channel(centered * centered), *sum) / all;
    const torch::Tensor scale = (var + kEpsilon).rsqrt();
    const torch::Tensor normal = centered * spread(scale);
    context->save_for_backward({normal, weight, scale, all});
    context->saved_data["sum"] = reinterpret_cast<std::int64_t>(sum);
    context->mark_non_differentiable({mean, var, all});
    return {normal * spread(weight) + spread(bias), mean, var, all};
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    const auto saved = context->get_saved_variables();
    const torch::Tensor &normal = saved[0], &weight = saved[1], &scale = saved[2], &all = saved[3];
    const auto& sum = *reinterpret_cast<SumOverWorkers*>(context->saved_data["sum"].toInt());
    const torch::Tensor& dy = gradients[0];
    const torch::Tensor of_bias = over_channel(dy), of_weight = over_channel(dy * normal);
    const Count channels = weight.numel();
    const torch::Tensor means = summed(torch::cat({of_bias, of_weight}), sum) / all;
    const torch::Tensor dx = (dy - spread(means.narrow(0, 0, channels)) -
                              normal * spread(means.narrow(0, channels, channels))) *
                             spread(weight * scale);
    return {dx, of_weight, of_bias,
            torch::Tensor()};  // weight gradients are summed with all others
  }
};

}  // namespace

SyncBatchNormImpl::SyncBatchNormImpl(Count channels, SumOverWorkers sum) : sum_(std::move(sum)) {
  weight_ = register_parameter("weight", torch::ones({channels}));
  bias_ = register_parameter("bias", torch::zeros({channels}));
  running_mean_ = register_buffer("running_mean", torch::zeros({channels}));
  running_var_ = register_buffer("running_var", torch::ones({channels}));
}

torch::Tensor SyncBatchNormImpl::forward(const torch::Tensor& x) {
  if (!is_training())
    return torch::batch_norm(x, weight_, bias_, running_mean_, running_var_, false, kMomentum,
                             kEpsilon, false);
  const auto outputs = Normalize::apply(x, weight_, bias_, &sum_);
  const torch::NoGradGuard no_gradients;
  const torch::Tensor &mean = outputs[1], &var = outputs[2], &all = outputs[3];
  running_mean_.mul_(1 - kMomentum).add_(mean, kMomentum);
  running_var_.mul_(1 - kMomentum).add_(var * all / (all - 1).clamp_min(1), kMomentum);
  return outputs[0];
}

void push_batch_norm(torch::nn::Sequential& net, Count channels, const ReplicaSetup& setup) {
  if (setup.sum_over_workers)
    net->push_back(SyncBatchNorm(channels, setup.sum_over_workers));
  else
    net->push_back(torch::nn::BatchNorm2d(channels));
}

}  // namespace arlab::training
