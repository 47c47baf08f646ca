// Compression study: compares finished training runs, and reports which compression pays on which
// network.
//
// Only runs that differ in schedule and compressor are compared: model, workers, strategy and
// network are equal. The baseline is the dense run with the shortest step. A compressor does not
// gain if it loses more than one percentage point of accuracy against the baseline, or if it
// reaches the baseline's accuracy later although its steps are shorter.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/problem.hpp"

namespace arlab::bench {

struct CurvePoint {
  double seconds = 0;   ///< since the start
  double accuracy = 0;  ///< of the validation samples, 0 to 1
};

/// A finished run. Unknown numbers are 0; those of a run that diverged are NaN.
struct RunSummary {
  std::string model = {};
  Rank workers = 1;
  std::string batch = {};  ///< "batch 64, 8 per worker"
  std::string strategy = {}, scheduler = {};
  std::string compressor = "none";  ///< as on the command line; "none": dense
  std::string aggregation = {};
  double bandwidth = 0;      ///< of a link, in bytes per second
  std::string latency = {};  ///< of the same link, such as "50us"; or the network's name
  double accuracy = 0;       ///< of the validation samples at the end, 0 to 1
  double loss = 0;
  Count steps = 0;
  double bytes = 0;                    ///< sent by one rank per step
  double seconds = 0;                  ///< per step; of these:
  double exposed = 0;                  ///< exposed communication
  double codec = 0;                    ///< encoding and decoding, hidden or not
  std::vector<CurvePoint> curve = {};  ///< one point per epoch

  /// Returns "latency 50us", or the network's name.
  std::string link() const;
  bool dense() const { return compressor == "none"; }
  bool diverged() const;
};

/// Returns whether the runs differ at most in bandwidth, schedule and compressor.
bool same_study(const RunSummary& a, const RunSummary& b);

/// The bandwidth below which a compressor's step is shorter than the baseline's.
struct BreakEven {
  enum class Kind : std::uint8_t {
    at,      ///< between two bandwidths of the sweep
    below,   ///< below the lowest one
    above,   ///< above the highest one
    about,   ///< with one bandwidth only: where the codec takes as long as the bytes it saves
    always,  ///< with one bandwidth only, and a codec that takes no time
    never,   ///< the compressor loses accuracy, or sends no fewer bytes
  };
  Kind kind = Kind::never;
  double bandwidth = 0;  ///< bytes per second
};

/// One run against the baseline of its network.
struct Comparison {
  enum class Result : std::uint8_t {
    best_dense,
    dense,
    gains,
    even,        ///< the step is within 1% of the baseline's
    loses,       ///< the step is longer
    inaccurate,  ///< the run loses more than one point of accuracy
    late,        ///< the step is shorter, but the baseline reaches the accuracy first
    diverged,
    alone,  ///< there is no baseline
  };
  std::size_t run = 0;                  ///< index into the list of runs
  std::optional<std::size_t> baseline;  ///< index of the best dense run on the same network
  Result result = Result::alone;
  std::optional<double>
      gain;  ///< the fraction of the baseline's step that is saved; negative: lost
  std::optional<BreakEven> break_even;  ///< of compressed runs with a baseline
  std::optional<double> target;         ///< accuracy to reach, 0 to 1, for runs with a curve
  std::optional<double> reached;        ///< seconds until the target; absent: not reached
};

/// Returns one comparison per run: by bandwidth; then dense before compressed runs; then by the
/// length of a step, with the runs that diverged last. `target` is 0 to 1; by default the final
/// accuracy of the baseline less one point. Throws Error(usage) for a target outside 0 to 1.
std::vector<Comparison> compare(std::span<const RunSummary> runs,
                                std::optional<double> target = {});

/// Returns one table of all runs, below a line with what they have in common.
std::string comparison_table(std::span<const RunSummary> runs, std::optional<double> target = {});

/// Returns one sentence per network: the recommended compressor, and why others do not pay.
std::string explain(std::span<const RunSummary> runs, std::optional<double> target = {});

/// Returns "2.3 Gbit/s", "< 100 Mbit/s", "> 100 Gbit/s", "about 2.3 Gbit/s", "any" or "never".
std::string to_string(const BreakEven& break_even);

}  // namespace arlab::bench
