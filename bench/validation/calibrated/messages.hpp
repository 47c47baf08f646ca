// Messages: the time of an allreduce that a library makes of messages, calibrated from measured
// times.
//
// A round takes the latency of its message, its bytes over the network, and the addition of what
// arrived. The model knows these mechanisms, each with few numbers per system:
// - latency is a piecewise curve of the message's size: immediate, eager, and rendezvous messages
//   differ;
// - an exchange with one partner costs more than a shift, which sends to one and receives from
//   another;
// - far partners cost more;
// - more ranks take longer, for latency and for bytes, because the slowest is measured;
// - ranks of one node share its memory and its network cards, and reach each other without them;
// - adding and copying cost more per byte where the data do not fit the caches;
// - segments of a message overlap with the addition of the segment before;
// - the state of the network at the time of a measurement: a factor of latency and one of
//   bandwidth.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "algorithms/base/types.hpp"
#include "bench/validation/calibrated/node_sheet.hpp"
#include "bench/validation/calibrated/robust_fit.hpp"
#include "bench/validation/calibrated/rounds.hpp"

namespace arlab::simulator {

/// An allreduce by messages.
struct MessageCase {
  std::string algorithm;  ///< of the catalog
  Rank ranks = 1;
  Rank ranks_per_node = 1;
  NodeSheet node = {};
  Count bytes = 0;
  double segment = 0;  ///< bytes into which messages that are reduced are cut; 0: whole
  int copies = 1;      ///< of the whole vector by each rank
  int state = -1;      ///< number of the network state at the time; -1: typical
};

class MessageModel {
 public:
  /// `states`: of the network while the rows were measured.
  explicit MessageModel(int states);

  std::span<const Prior> parameters() const { return parameters_; }
  /// Returns the number of parameters that describe the system, without those of the states.
  static std::size_t system_parameters();

  /// Fits the parameters. `start`: of the system, where to begin.
  RobustFit fit(const std::vector<MessageCase>& cases, std::span<const double> us,
                std::span<const double> start = {}) const;
  /// Returns the times [us]. A typical state is the median of all.
  std::vector<double> predict(const std::vector<MessageCase>& cases,
                              std::span<const double> parameters) const;
  /// Returns the function of the parameters that predicts these cases.
  PredictRows predictor(const std::vector<MessageCase>& cases) const;

 private:
  int states_;
  std::vector<Prior> parameters_;
};

}  // namespace arlab::simulator
