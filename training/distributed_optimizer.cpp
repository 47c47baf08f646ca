#include "training/distributed_optimizer.hpp"

#include <algorithm>
#include <vector>

#include "training/control/same_on_all_ranks.hpp"
#include "training/strategies/all_reduce.hpp"

namespace arlab::training {
namespace {

std::vector<RunParameter> make_run_parameters(Parameters& parameters,
                                              const DistributedOptions& options,
                                              const std::string& route) {
  std::vector<RunParameter> all{{"the algorithm", route},
                                {"the optimizer", std::string(name(options.optimizer.kind))},
                                {"the schedule", to_string(options.gradients)}};
  std::string variables;
  for (const Variable& v : parameters.variables())
    variables += v.name + ' ' + std::to_string(v.elements) + ';';
  all.push_back({"the model", variables});
  return all;
}

}  // namespace

DistributedOptimizer::DistributedOptimizer(collectives::Communicator& communicator,
                                           Parameters& parameters,
                                           const DistributedOptions& options)
    : communicator_(communicator),
      parameters_(parameters),
      exchange_(communicator, find_route(options.route, 1, communicator, 1 << 18), options.overlap),
      optimizer_(options.optimizer, static_cast<Count>(parameters.weights().size())) {
  expect_same(communicator,
              make_run_parameters(parameters, options, exchange_.route().name(communicator)));
  StrategyOptions strategy;
  strategy.gradients = options.gradients;
  strategy_ =
      make_all_reduce({parameters, optimizer_, exchange_, rank(), ranks(), ranks(), strategy});
  const Exchange::Task broadcast{{&find_algorithm("tree")}, Collective::broadcast, 0};
  exchange_.wait(exchange_.start({0, 0, 0, Phase::weights}, parameters.weights(), broadcast));
  parameters.on_ready([this](std::size_t variable) { strategy_->ready(variable); });
}

DistributedOptimizer::~DistributedOptimizer() { parameters_.on_ready({}); }

void DistributedOptimizer::start_step() {
  const std::span<float> gradients = parameters_.gradients();
  std::fill(gradients.begin(), gradients.end(), 0.0F);
  strategy_->start_step({steps_, 0});
}

void DistributedOptimizer::step(double learning_rate) {
  strategy_->finish_step({steps_++, learning_rate});
  strategy_->flush();
}

}  // namespace arlab::training
