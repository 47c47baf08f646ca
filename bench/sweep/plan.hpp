// Plan: what --dry-run prints: the configurations of a sweep, and what they would need.
#pragma once

#include <string>
#include <vector>

#include "bench/sweep/sweep.hpp"

namespace arlab::bench {

/// Collects configurations. Keeps a row of each while they are few; many become one row per
/// algorithm.
class Plan {
 public:
  /// `configurations`: the number that will be added.
  explicit Plan(std::size_t configurations) : one_by_one_(configurations <= kMostRows) {}

  void add(const Record& record, const Estimate& estimate);
  /// Returns the table, and a line with the sums.
  std::string text() const;

 private:
  static constexpr std::size_t kMostRows = 1000;

  struct Sum {
    std::string algorithm;
    Rank least_ranks = 0, most_ranks = 0;
    Bytes least_bytes = 0, most_bytes = 0;
    Count done = 0, skipped = 0;
    double messages = 0, bytes = 0, memory = 0, seconds = 0;
    std::string why;  ///< the first reason to skip
  };

  void add_row(const Record& record, const Estimate& estimate);
  void add_to_sum(const Record& record, const Estimate& estimate);

  bool one_by_one_;
  std::vector<std::vector<std::string>> rows_;
  std::vector<Sum> sums_;  // by algorithm
  Sum all_;
};

std::string show_seconds(double seconds);  ///< "12 us", "30 min", "4 h"
std::string show_memory(double bytes);     ///< "1.5 GiB"

/// Prints the plan, and notes the files that it does not write.
void print(const Plan& plan, const SweepOptions& options);

}  // namespace arlab::bench
