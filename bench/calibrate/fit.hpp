// Fit: the numbers of the model `connections` from what the probes measured, and how well the model
// repeats them.
#pragma once

#include <string>
#include <vector>

#include "bench/calibrate/probes.hpp"
#include "simulator/connections/machine.hpp"

namespace arlab::bench {

/// A probe, as measured and as the fitted model has it.
struct FitRow {
  std::string probe;
  double bytes = 0;
  double measured_us = 0, model_us = 0;
  double error() const { return model_us / measured_us - 1; }
};

struct Fit {
  simulator::Machine machine;
  bool backlog_measured = false;  ///< otherwise it is the model's default
  std::vector<FitRow> rows;
};

/// several_hosts: whether messages travel between machines, where the executor posts the sends of
/// exchanges first. known: takes the burst of this machine, whose search takes most of the time.
/// Throws Error(check) if the times cannot be those of a network.
Fit fit(const ProbeTimes& times, bool several_hosts, const simulator::Machine* known = nullptr);

/// Returns the model's times of what the probes measure, for the machine.
std::vector<FitRow> fit_rows(const ProbeTimes& times, const simulator::Machine& machine);

}  // namespace arlab::bench
