// Our replacements of LibTorch's parts, compared with LibTorch.
#include <ATen/core/ivalue.h>  // first: clang needs the type before ATen's lists of it
#include <torch/nn/modules/batchnorm.h>
#include <torch/nn/modules/container/sequential.h>
#include <torch/nn/modules/linear.h>
#include <torch/optim/adam.h>
#include <torch/optim/sgd.h>
#include <torch/utils.h>

#include "tests/fakes/gpu/device.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/differences.hpp"
#include "tests/support/host_math.hpp"
#include "tests/support/toy_training.hpp"
#include "training/models/sync_batch_norm.hpp"
#include "training/models/torch_parameters.hpp"

using namespace arlab;
using namespace arlab::simulator;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

std::span<float> floats(const torch::Tensor& t) {
  return {t.data_ptr<float>(), static_cast<std::size_t>(t.numel())};
}

std::vector<float> copy_of(std::span<const float> x) { return {x.begin(), x.end()}; }

double difference(const torch::Tensor& a, const torch::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

}  // namespace

TEST_CASE("synchronized batch normalization over workers equals that of the whole batch") {
  const torch::NoGradGuard building;
  torch::manual_seed(5);
  for (const Rank workers : {1, 2, 3}) {
    INFO(workers << " workers");
    const Count channels = 4;
    const torch::Tensor x =
        torch::randn({6, channels, 3, 5}) * 3 + 100;  // far from 0, to provoke cancellation
    const torch::Tensor target = torch::randn_like(x);
    torch::nn::BatchNorm2d whole(channels);
    const torch::Tensor all = x.clone().set_requires_grad(true);
    torch::Tensor expected;
    {
      const torch::AutoGradMode gradients(true);
      expected = whole->forward(all);
      ((expected - target) * (expected - target)).sum().backward();
    }
    std::vector<torch::Tensor> outputs(static_cast<std::size_t>(workers)), inputs = outputs;
    std::vector<std::shared_ptr<SyncBatchNormImpl>> layers(static_cast<std::size_t>(workers));
    on_threads(workers, [&](Communicator& c) {
      const auto me = static_cast<std::size_t>(c.rank());
      Exchange exchange(c, find_route("ring", 1, c, 1), c.ranks() == 2);
      int sums = 0;
      layers[me] = std::make_shared<SyncBatchNormImpl>(channels, [&](std::span<float> data) {
        exchange.sum({0, sums++, 0, Phase::statistics}, data);
      });
      const torch::AutoGradMode gradients(true);
      const Count share = 6 / workers;
      inputs[me] = x.narrow(0, c.rank() * share, share).clone().set_requires_grad(true);
      outputs[me] = layers[me]->forward(inputs[me]);
      const torch::Tensor off = outputs[me] - target.narrow(0, c.rank() * share, share);
      (off * off).sum().backward();
    });
    torch::Tensor dx, y, dw = torch::zeros({channels}), db = torch::zeros({channels});
    std::vector<torch::Tensor> parts;
    for (const auto& input : inputs) parts.push_back(input.grad());
    CHECK(difference(torch::cat(outputs), expected) < 1e-4);
    CHECK(difference(torch::cat(parts), all.grad()) < 1e-4);
    for (const auto& layer : layers) {
      dw += layer->named_parameters()["weight"].grad();
      db += layer->named_parameters()["bias"].grad();
      const auto kept = layer->named_buffers(), its = whole->named_buffers();
      CHECK(difference(kept["running_mean"], its["running_mean"]) < 1e-5);
      CHECK(difference(kept["running_var"], its["running_var"]) < 1e-5);
    }
    // Sums of 90 numbers of about 10, and of their differences.
    CHECK(difference(dw, whole->weight.grad()) < 5e-3);
    CHECK(difference(db, whole->bias.grad()) < 5e-3);
    whole->eval();
    layers[0]->eval();
    CHECK(difference(layers[0]->forward(x), whole->forward(x)) < 1e-4);
  }
}

TEST_CASE("optimizers step like PyTorch's") {
  using Kind = OptimizerOptions::Kind;
  struct Case {
    Kind kind;
    float momentum, decay;
  };
  for (const auto& [kind, momentum, decay] :
       {Case{Kind::sgd, 0.8F, 0}, Case{Kind::sgd, 0.8F, 0.1F}, Case{Kind::momentum, 0.8F, 0},
        Case{Kind::momentum, 0.95F, 0.1F}, Case{Kind::adam, 0.8F, 0},
        Case{Kind::adam, 0.8F, 0.1F}}) {
    INFO(name(kind) << ", momentum " << momentum << ", weight decay " << decay);
    torch::manual_seed(7);
    const torch::Tensor theirs = torch::randn({1001}), ours = theirs.clone();
    std::unique_ptr<torch::optim::Optimizer> reference;
    if (kind == Kind::adam)
      reference = std::make_unique<torch::optim::Adam>(
          std::vector{theirs}, torch::optim::AdamOptions(0.01).weight_decay(decay));
    else
      reference = std::make_unique<torch::optim::SGD>(
          std::vector{theirs}, torch::optim::SGDOptions(0.01)
                                   .momentum(kind == Kind::momentum ? momentum : 0)
                                   .weight_decay(decay));
    Optimizer optimizer({.kind = kind, .momentum = momentum, .weight_decay = decay}, 1001);
    for (int step = 0; step < 20; ++step) {
      const torch::Tensor gradient = torch::randn({1001});
      const_cast<torch::Tensor&>(theirs).mutable_grad() = gradient;
      reference->step();
      optimizer.start_step(0.01);
      optimizer.apply(0, floats(ours).first(400), floats(gradient).first(400));
      optimizer.apply(400, floats(ours).subspan(400), floats(gradient).subspan(400));
    }
    CHECK(difference(theirs, ours) <
          2e-6);  // one rounding per step: PyTorch fuses multiply and add
  }
}

// The device is a stand-in whose memory is the host's, so that LibTorch's own computations reach
// it.
TEST_CASE("parameters in a device's memory: the module uses them in place") {
  Devices devices = host_devices();
  const auto math = host_math(*devices[0]);
  torch::manual_seed(3);
  torch::nn::Sequential net(torch::nn::Linear(3, 2), torch::nn::BatchNorm1d(2));
  torch::manual_seed(3);
  torch::nn::Sequential same(torch::nn::Linear(3, 2), torch::nn::BatchNorm1d(2));
  TorchParameters there(*net, math), here(*same);
  REQUIRE(there.on_device());
  CHECK_FALSE(here.on_device());
  const std::span<float> weights = there.on_device()->weights();
  const std::span<float> gradients = there.on_device()->gradients();
  CHECK(there.gradients().empty());
  CHECK(differences(copy_of(weights), copy_of(here.weights())) == "");
  CHECK(differences(copy_of(there.weights()), copy_of(here.weights())) == "");
  std::vector<std::size_t> ready;
  there.on_ready([&](std::size_t v) { ready.push_back(v); });
  const torch::Tensor x = torch::randn({5, 3});
  for (int pass = 0; pass < 2; ++pass)  // gradients add up
    for (torch::nn::Sequential* const one : {&net, &same})
      (*one)->forward(x).square().sum().backward();
  CHECK(ready.size() == 8);
  CHECK(differences(copy_of(gradients), copy_of(here.gradients())) == "");
  // What is changed there is what the module uses; the host's copy follows when it is fetched.
  weights[0] += 1;
  here.weights()[0] += 1;
  CHECK(torch::equal(net->forward(x), same->forward(x)));
  CHECK(there.weights()[0] != weights[0]);
  there.fetch();
  here.take_statistics();
  CHECK(differences(copy_of(there.weights()), copy_of(here.weights())) == "");
  CHECK(differences(copy_of(there.statistics()), copy_of(here.statistics())) == "");
  there.weights()[1] = 5;
  there.statistics()[0] = 6;
  CHECK(weights[1] != 5);
  there.give();
  CHECK(weights[1] == 5);
  CHECK(net->named_buffers()["1.running_mean"][0].item<float>() == 6);
}

TEST_CASE("a LibTorch optimizer works on the flat weights") {
  torch::nn::Linear layer(3, 2);
  const torch::Tensor before = layer->weight.detach().clone();
  TorchParameters parameters(*layer);
  CHECK(parameters.variables().size() == 2);
  CHECK(torch::equal(layer->weight, before));
  parameters.weights()[0] = 42;
  CHECK(layer->weight[0][0].item<float>() == 42);
  int ready = 0;
  parameters.on_ready([&](std::size_t) { ++ready; });
  layer->forward(torch::ones({1, 3})).sum().backward();
  CHECK(ready == 2);
  CHECK(parameters.gradients()[0] == 1);
  torch::optim::SGD sgd(layer->parameters(), 1);
  sgd.step();
  CHECK(parameters.weights()[0] == 41);
  torch::nn::Linear doubles(3, 2);
  doubles->to(torch::kFloat64);
  CHECK(toy::fails(Blame::usage, "parameter weight is of type Double",
                   [&] { TorchParameters refused(*doubles); }));
}
