// The JSON of nccl-tests (-J), key by key: booleans are texts, and numbers have six digits.
#pragma once

#include <string>
#include <vector>

#include "bench/perf/options.hpp"
#include "bench/perf/row.hpp"
#include "bench/perf/text.hpp"

namespace arlab::bench {

/// Everything that the file holds.
struct PerfReport {
  std::string start_time, end_time;
  std::vector<PerfDevice> devices;
  std::vector<PerfRow> rows;
  PerfSummary summary;
  std::string what;  ///< which algorithm ran where: the name of the experiment
};

/// Only those environment variables are listed that change what is measured.
std::string perf_json(const PerfOptions& options, const PerfReport& report);

/// Writes the text to `path`, or to the first of path.0, path.1, ... that does not exist. Returns
/// the name. Throws Error(environment) if it cannot.
std::string write_perf_json(const std::string& path, const std::string& text);

}  // namespace arlab::bench
