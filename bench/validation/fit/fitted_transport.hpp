// Fitted transport: the calibrated model of one system and kind of transport.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bench/validation/calibrated/robust_fit.hpp"
#include "bench/validation/published/published_time.hpp"

namespace arlab::bench {

/// messages, torus ports, NCCL, GPU nodes; the number is the place in Implementation::model.
std::string_view transport_name(std::size_t transport);

struct FittedTransport {
  std::vector<simulator::Prior> priors;
  simulator::RobustFit fit;
  std::size_t system_parameters = 0;  ///< the first ones; further ones describe jobs
  std::size_t states = 0;             ///< jobs, each with a factor of latency and one of bandwidth
  std::vector<std::string> notes;
  /// Returns the function of the parameters that predicts these rows [us].
  std::function<simulator::PredictRows(const std::vector<PublishedTime>&)> predictor;
};

/// Fits the model to rows of one system and kind of transport. `start`: parameters of the system,
/// where to begin.
FittedTransport fit_transport(std::size_t transport, const std::vector<PublishedTime>& rows,
                              std::span<const double> start = {});

}  // namespace arlab::bench
