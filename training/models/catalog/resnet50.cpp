// resnet50: ResNet-50 with ten classes: 16 bottlenecks of three convolutions, each with batch
// normalization. He, Zhang, Ren, Sun, Deep Residual Learning, CVPR 2016.
#include <torch/nn/functional/activation.h>
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>
#include <torch/nn/modules/pooling.h>

#include "training/models/sync_batch_norm.hpp"
#include "training/models/torch_replica.hpp"

namespace arlab::training::architecture_catalog {
namespace {

void push_convolution(torch::nn::Sequential& net, Count in, Count out, Count kernel, Count stride,
                      const ReplicaSetup& setup) {
  net->push_back(torch::nn::Conv2d(
      torch::nn::Conv2dOptions(in, out, kernel).stride(stride).padding(kernel / 2).bias(false)));
  push_batch_norm(net, out, setup);
}

class BottleneckImpl : public torch::nn::Module {
 public:
  BottleneckImpl(Count in, Count middle, Count stride, const ReplicaSetup& setup) {
    const Count out = 4 * middle;
    push_convolution(main_, in, middle, 1, 1, setup);
    main_->push_back(torch::nn::ReLU());
    push_convolution(main_, middle, middle, 3, stride, setup);
    main_->push_back(torch::nn::ReLU());
    push_convolution(main_, middle, out, 1, 1, setup);
    register_module("main", main_);
    if (in == out && stride == 1) return;
    push_convolution(shortcut_, in, out, 1, stride, setup);
    register_module("shortcut", shortcut_);
  }
  torch::Tensor forward(const torch::Tensor& x) {
    const torch::Tensor short_way = shortcut_->is_empty() ? x : shortcut_->forward(x);
    return torch::relu(main_->forward(x) + short_way);
  }

 private:
  torch::nn::Sequential main_, shortcut_;
};
TORCH_MODULE(Bottleneck);

torch::nn::Sequential build_resnet50(const ReplicaSetup& setup) {
  namespace nn = torch::nn;
  nn::Sequential net;
  push_convolution(net, 3, 64, 7, 2, setup);
  net->push_back(nn::ReLU());
  net->push_back(nn::MaxPool2d(nn::MaxPool2dOptions(3).stride(2).padding(1)));
  Count in = 64, middle = 64;
  for (const int blocks : {3, 4, 6, 3}) {
    for (int block = 0; block < blocks; ++block) {
      net->push_back(Bottleneck(in, middle, block == 0 && middle > 64 ? 2 : 1, setup));
      in = 4 * middle;
    }
    middle *= 2;
  }
  net->push_back(nn::AdaptiveAvgPool2d(1));
  net->push_back(nn::Flatten());
  net->push_back(nn::Linear(in, 10));
  return net;
}

std::unique_ptr<Replica> make_resnet50(const Architecture& architecture,
                                       const ReplicaSetup& setup) {
  return make_torch_replica(architecture, setup, [&] { return build_resnet50(setup); });
}

}  // namespace

Architecture resnet50() {
  return {
      .name = "resnet50",
      .summary = "ResNet-50 with ten classes, for images of 32 x 32",
      .source = "He, Zhang, Ren, Sun, CVPR 2016",
      .channels = 3,
      .height = 32,
      .width = 32,
      .parameters = 23'528'522,
      .make = make_resnet50,
  };
}

}  // namespace arlab::training::architecture_catalog
