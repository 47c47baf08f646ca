// A question that a calibration is made for: which of two algorithms is faster on some ranks.
#pragma once

#include <string>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "bench/calibrate/design.hpp"
#include "bench/formats/machine_file.hpp"

namespace arlab::bench {

struct CalibrationQuestion {
  const Algorithm *first = nullptr, *second = nullptr;
  Rank ranks = 0;
  Bytes bytes = 0;
  /// "ring against rabenseifner, 16 ranks, 1 MiB".
  std::string text() const;
};

/// Reads "ring,rabenseifner -p 16 -s 1M". Throws Error(usage) that begins with `what`.
CalibrationQuestion parse_question(const std::string& text, const std::string& what);

/// Returns the question for a design, on the stated network.
Question question_on(const CalibrationQuestion& question, const MachineFile& network);

/// Measures a pilot and designs the plan. Rank 0 says what will be measured, and how long it takes;
/// all ranks return the plan.
ProbePlan planned_probes(const CalibrationQuestion& question, const MachineFile& network,
                         const ProbeOptions& options, collectives::Communicator& control);

/// Returns sentences: the ratio on the calibrated machine, with its interval.
std::vector<std::string> answer_of(const CalibrationQuestion& question, const MachineFile& machine);

}  // namespace arlab::bench
