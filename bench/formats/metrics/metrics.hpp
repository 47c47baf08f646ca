// Metrics: what records say, for Prometheus.
#pragma once

#include "bench/formats/metrics/exposition.hpp"
#include "bench/results/result_file.hpp"

namespace arlab::bench {

/// Returns the metrics of records with times, and of hunts; of others none. A later record of the
/// same labels replaces an earlier one.
Exposition metrics_of(const Results& results);

}  // namespace arlab::bench
