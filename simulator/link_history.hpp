// LinkHistory: what every link carried when, in equal steps of time from 0.
//
// Whenever the run outgrows the steps, neighbours are merged and a step becomes twice as long:
// there are never more than kSteps of them, whatever the length of the run, and nobody needs to
// know it beforehand.
#pragma once

#include <cstddef>
#include <vector>

#include "algorithms/base/time.hpp"

namespace arlab::simulator {

class LinkHistory {
 public:
  static constexpr std::size_t kSteps = 64;

  explicit LinkHistory(std::size_t links = 0) : carried_(links) {}

  /// The link carried `rate` bytes a picosecond from `begin` to `end`.
  void add(std::size_t link, Time begin, Time end, double rate);

  Time step() const { return step_; }
  /// Bytes that the link carried in each step that began before `end`.
  std::vector<double> carried(std::size_t link, Time end) const;

 private:
  void double_step();

  Time step_{1};                              // always a power of two
  std::vector<std::vector<double>> carried_;  // by link, by step; empty: never used
};

}  // namespace arlab::simulator
