// Share: one sweep in several processes, which srun or mpirun started. They do not communicate.
//
// Every process plans the whole sweep, and evaluates a contiguous part of it, so that the estimated
// times of all parts are about equal. It writes its part to FILE.<rank>-of-<ranks>. The last
// process to end finds all parts complete, and merges them, in the order of the sweep, into FILE.
// A part is removed only after FILE holds it. If a process fails, all parts stay: the same command
// with --resume continues them, and also leaves out what FILE holds.
#pragma once

#include <set>
#include <span>
#include <string>
#include <vector>

#include "bench/config/launcher.hpp"
#include "bench/options/options.hpp"
#include "bench/results/record.hpp"

namespace arlab::bench {

struct Range {
  std::size_t begin = 0, end = 0;
  bool operator==(const Range&) const = default;
};

/// Cuts configurations of these estimated times into `ranks` contiguous parts, and returns the
/// parts.
std::vector<Range> parts_of(std::span<const double> seconds, Rank ranks);

/// Returns "results.jsonl.2-of-4".
std::string part_path(const std::string& path, Rank rank, Rank ranks);

/// Throws Error(usage) without a rank in the environment, without a file, or if the file of this
/// part is there already and is not resumed.
void check_share(const SweepOptions& options);

class Share {
 public:
  /// After check_share().
  Share(const SweepOptions& options, const std::vector<Record>& records,
        std::span<const double> seconds);

  Range mine() const { return parts_[static_cast<std::size_t>(self_.rank)]; }
  /// Returns the options of this part: its file, and no table.
  const SweepOptions& options() const { return part_; }
  /// Merges the parts if all are complete. Reports to stderr what this process did.
  void merge() const;

 private:
  bool resumes() const;
  bool has_part(Rank rank) const;
  bool complete(Rank rank) const;
  void write_merged() const;

  LaunchedRank self_;
  std::string json_, csv_;
  SweepOptions part_;
  std::vector<Range> parts_;
  std::vector<std::string> identities_;
  std::set<std::string> held_;  // identities of what the resumed file holds
};

}  // namespace arlab::bench
