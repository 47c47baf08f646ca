// RunBody: what `arlab run` found about one configuration, and how it was measured.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "bench/results/statistics.hpp"
#include "collectives/timed_run.hpp"

namespace arlab::bench {

using Json = nlohmann::ordered_json;

/// Returns the value, or null.
template <class T>
Json or_null(const std::optional<T>& value) {
  return value ? Json(*value) : Json(nullptr);
}

/// Returns the text, or null for none.
inline Json text_or_null(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

/// Returns the value of the key; null if there is none, or `of` is not an object.
inline const Json& member(const Json& of, std::string_view key) {
  static const Json kNone;
  const auto found = of.find(std::string(key));
  return found == of.end() ? kNone : *found;
}

/// Returns the text of the key; empty if it is none.
inline std::string text_at(const Json& of, std::string_view key) {
  const Json& value = member(of, key);
  return value.is_string() ? value.get<std::string>() : "";
}

/// A run's time, split by when the ranks entered and left.
struct LateEntry {
  Summary collective_us;    ///< from the last entry to the last exit, per run
  Summary mean_waiting_us;  ///< in the collective for the last to enter, mean over the ranks
  Summary max_waiting_us;   ///< the same of the rank that waited longest
  Summary entry_skew_us;    ///< from the first entry to the last
  Summary exit_skew_us;     ///< from the first exit to the last
};

struct RunBody {
  static constexpr std::string_view kKind = "run";
  std::string backend = {};
  std::optional<Summary> time_us = {};     ///< of the slowest rank, run by run
  std::optional<double> modelled_us = {};  ///< predicted for a machine file
  /// Memory rate over that of a copy: on one GPU, or by all ranks of a machine at once.
  std::optional<double> copy_limit_fraction = {};
  std::optional<std::string> native_choice = {};  ///< the algorithm that the library reports
  collectives::RunMode mode = {};
  bool at_agreed_time = false;                    ///< ranks started by the clock, not by a barrier
  std::string disturbance = {};                   ///< "late=1:100us"; empty: none
  std::optional<LateEntry> late_entry = {};       ///< where ranks are started one by one
  std::optional<std::string> binding = {};        ///< processors of each rank
  std::optional<std::string> clock = {};          ///< that entries and exits are read from
  std::optional<double> clock_deviation_us = {};  ///< of synchronized clocks, at the end
  std::optional<std::int64_t> late_starts = {};   ///< runs that did not count
  /// Of a rank-sum test against the fastest of the same problem and mode; absent for that one.
  std::optional<double> rank_sum_p = {};
  double least_rank_sum_p = 1;  ///< that this many runs can have
  /// The row of the library's own collective beside this one, "MPI_Allreduce"; nothing: none.
  std::optional<std::string> library = {};
  std::optional<double> library_ratio = {};       ///< its median over this one's: above 1 is faster
  std::optional<double> library_rank_sum_p = {};  ///< of a test against it; absent for itself
  double least_library_p = 1;                     ///< that this many runs can have
  bool mean_over_ranks = false;  ///< of a time; else it is that of the slowest rank
  /// The benchmark whose log this was read from, "nccl-tests 2.19.6"; nothing: arlab measured it.
  std::optional<std::string> source = {};
  /// Of a table: "baseline", "1.32x faster", "1.1x slower", "no difference", "not enough runs".
  std::optional<std::string> beside_library = {};
  std::optional<std::string> verdict = {};  ///< of a table: fastest, tie, slower, not enough runs

  std::string place() const { return mode.in_place ? "in" : "out"; }
  std::string timing() const { return mode.repeats == 1 ? "alone" : "streaming"; }
  std::string cache() const { return mode.cold ? "cold" : "warm"; }
  std::string start() const { return at_agreed_time ? "round-time" : "barrier"; }
};

/// Returns the keys of a summary: n, median, ci95, min, p99.
Json to_json(const Summary& summary);
/// Returns "mean", "p50", "p90", "p99" and "max".
Json statistics_of(const Summary& summary);

/// Appends the keys of the body to the record.
void write(Json& record, const RunBody& body);

}  // namespace arlab::bench
