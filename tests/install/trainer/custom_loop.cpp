// A LibTorch model and a custom training loop: two workers train it over this project's allreduce.
//
// Four lines concern the workers. Under MPI, `arlab::collectives::Mpi mpi;` and `train(mpi.world())`
// replace on_threads, and nothing else changes.
#include <torch/torch.h>

#include <arlab/collectives/threads/threads.hpp>
#include <arlab/training/distributed_optimizer.hpp>
#include <arlab/training/models/torch_parameters.hpp>
#include <iostream>

struct Net : torch::nn::Module {
  torch::nn::Linear hidden{2, 16}, out{16, 2};
  Net() {
    register_module("hidden", hidden);
    register_module("out", out);
  }
  torch::Tensor forward(const torch::Tensor& x) { return out(torch::tanh(hidden(x))); }
};

// Points, classified by whether their coordinates have the same sign. Each worker draws its own.
std::pair<torch::Tensor, torch::Tensor> points(int count, torch::Generator& random) {
  const torch::Tensor x = torch::rand({count, 2}, random) * 2 - 1;
  return {x, (x.prod(1) > 0).to(torch::kInt64)};
}

void train(arlab::collectives::Communicator& communicator) {
  torch::set_num_threads(1);
  Net net;
  arlab::training::TorchParameters parameters(net);
  arlab::training::DistributedOptimizer optimizer(
      communicator, parameters,
      {.optimizer = {.kind = arlab::training::OptimizerOptions::Kind::adam}});
  auto random = torch::make_generator<torch::CPUGeneratorImpl>(100 + communicator.rank());

  constexpr int kBatch = 32;
  for (int step = 0; step < 400; ++step) {
    const auto [x, label] = points(kBatch, random);
    optimizer.start_step();
    const auto loss = torch::nn::functional::cross_entropy(
                          net.forward(x), label,
                          torch::nn::functional::CrossEntropyFuncOptions().reduction(torch::kSum)) /
                      optimizer.global(kBatch);
    loss.backward();
    optimizer.step(0.01);
  }

  const auto [x, label] = points(500, random);
  const arlab::Count right =
      optimizer.sum(net.forward(x).argmax(1).eq(label).sum().item<arlab::Count>());
  const bool good = right > 900 * communicator.ranks() / 2;
  if (communicator.rank() == 0)
    std::cout << (good ? "two workers have trained it" : "not learned") << '\n';
}

int main() { arlab::collectives::on_threads(2, train); }
