// LinkHistory: the bytes that every link carried in each of at most kSteps equal steps of time.
//
// When the run exceeds the steps, adjacent steps are merged and the step length doubles. So the
// length of the run need not be known in advance.
#pragma once

#include <cstddef>
#include <vector>

#include "algorithms/base/time.hpp"

namespace arlab::simulator {

class LinkHistory {
 public:
  static constexpr std::size_t kSteps = 64;

  explicit LinkHistory(std::size_t links = 0) : carried_(links) {}

  /// Records that the link carried `rate` bytes per picosecond from `begin` to `end`.
  void add(std::size_t link, Time begin, Time end, double rate);

  Time step() const { return step_; }
  /// Returns the bytes that the link carried in each step that began before `end`.
  std::vector<double> carried(std::size_t link, Time end) const;

 private:
  void double_step();

  Time step_{1};                              // a power of two
  std::vector<std::vector<double>> carried_;  // by link, by step; empty for an unused link
};

}  // namespace arlab::simulator
