// Synchronized batch normalization in a whole model: the backward pass of several workers is that
// of one.
#include "training/models/sync_batch_norm.hpp"

#include <ATen/core/ivalue.h>  // first: clang needs the type before ATen's lists of it
#include <torch/nn/modules/activation.h>
#include <torch/nn/modules/conv.h>
#include <torch/nn/modules/linear.h>

#include <algorithm>
#include <cmath>

#include "collectives/threads/threads.hpp"
#include "tests/support/catch.hpp"
#include "training/data/synthetic.hpp"
#include "training/exchange/collective_queue.hpp"
#include "training/exchange/route.hpp"
#include "training/models/torch_replica.hpp"

using namespace arlab;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

constexpr Count kBatch = 12;

struct Passed {
  std::vector<float> gradients, statistics;  // of all workers together; of one of them
};

// Two convolutions: in deeper networks, roundings flip the signs of activations.
std::unique_ptr<Replica> make_small(const Architecture& architecture, const ReplicaSetup& setup) {
  namespace nn = torch::nn;
  return make_torch_replica(architecture, setup, [&] {
    nn::Sequential net(nn::Conv2d(nn::Conv2dOptions(3, 8, 3).padding(1).bias(false)));
    push_batch_norm(net, 8, setup);
    net->push_back(nn::ReLU());
    net->push_back(nn::Conv2d(nn::Conv2dOptions(8, 16, 3).stride(2).padding(1).bias(false)));
    push_batch_norm(net, 16, setup);
    net->push_back(nn::ReLU());
    net->push_back(nn::Flatten());
    net->push_back(nn::Linear(256, 10));
    return net;
  });
}

// Runs one step's passes on one batch, cut among the workers.
Passed pass(Rank workers, bool synchronized) {
  const Architecture a{.name = "small",
                       .summary = "",
                       .source = "",
                       .channels = 3,
                       .height = 8,
                       .width = 8,
                       .make = make_small};
  const Dataset data = synthetic({.shape = {3, 8, 8}, .samples = kBatch});
  Passed result;
  on_threads(workers, [&](Communicator& c) {
    use_threads(1);
    Exchange exchange(c, find_route("ring", 1, c, 1), false);
    int sums = 0;
    const auto sum = [&](std::span<float> values) {
      exchange.sum({0, sums++, 0, Phase::statistics}, values);
    };
    const auto replica =
        make_replica(a, {.seed = 3, .sum_over_workers = synchronized ? sum : SumOverWorkers{}});
    const Blocks shares(kBatch, workers);
    const Count count = shares.size(c.rank());
    std::vector<float> values(static_cast<std::size_t>(count * a.inputs()));
    std::vector<std::int64_t> labels;
    for (Count i = 0; i < count; ++i)
      labels.push_back(
          data.sample(shares.begin(c.rank()) + i,
                      std::span(values).subspan(static_cast<std::size_t>(i * a.inputs()),
                                                static_cast<std::size_t>(a.inputs()))));
    replica->learn({values, labels}, 1 / static_cast<float>(kBatch));
    std::vector<float> gradients(replica->gradients().begin(), replica->gradients().end());
    exchange.sum({1, 0, 0, Phase::gradient}, gradients);
    if (c.rank() != 0) return;
    result.gradients = std::move(gradients);
    result.statistics.assign(replica->statistics().begin(), replica->statistics().end());
  });
  return result;
}

// The length of a - b by that of b.
double difference(const std::vector<float>& a, const std::vector<float>& b) {
  REQUIRE(a.size() == b.size());
  double apart = 0, whole = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    apart += std::pow(double{a[i]} - double{b[i]}, 2);
    whole += std::pow(double{b[i]}, 2);
  }
  return std::sqrt(apart / whole);
}

}  // namespace

TEST_CASE("with synchronized batch normalization, shards of a batch give its gradients") {
  const Passed whole = pass(1, false);
  for (const Rank workers : {1, 2, 3, 4}) {
    INFO(workers << " workers");
    const Passed parts = pass(workers, true);
    CHECK(difference(parts.gradients, whole.gradients) < 1e-5);
    CHECK(difference(parts.statistics, whole.statistics) < 1e-5);
  }
  CHECK(difference(pass(2, false).gradients, whole.gradients) >
        0.01);  // each by its own statistics
}
