// Validation of NCCL's own choice: published times, predicted from the calibration rows of their
// machines, beside the estimates by which NCCL itself chooses.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/results/record.hpp"
#include "bench/validation/nccl/rows.hpp"
#include "bench/validation/validation.hpp"

namespace arlab::bench {

struct PredictedNccl {
  NcclRow row;
  std::string algorithm, protocol;     ///< that NCCL takes by its own estimates
  std::optional<double> predicted_us;  ///< nothing without a model; then `reason` says why
  double nccl_us = 0;                  ///< NCCL's own estimate
  std::string reason;

  double error() const { return *predicted_us / row.us - 1; }
  double nccl_error() const { return nccl_us / row.us - 1; }
};

struct NcclValidation {
  std::vector<PredictedNccl> rows;  ///< in the order of the file
  std::vector<FittedSystem> machines;
};

/// Fits each machine and version of NCCL to its rows of split calibrate. Of a machine without such
/// rows the node is taken to be like the fitted ones with GPUs of its generation, and the rest to
/// be at the medians of the priors.
NcclValidation validate_nccl(const std::vector<NcclRow>& rows);

/// Returns errors by machine, algorithm, and size, beside those of NCCL's own estimates.
std::string nccl_tables(const NcclValidation& validation);
/// Returns each row of logs, table by table, then the errors by size, and what is left out.
std::string nccl_log_tables(const NcclValidation& validation);
/// Returns the predicted rows whose error is above `least`, worst first.
std::string nccl_misses(const NcclValidation& validation, double least);
std::string nccl_parameters(const NcclValidation& validation);

Json to_json(const PredictedNccl& row);

}  // namespace arlab::bench
