// PairTraffic: the messages and bytes that each rank sends to each other rank in one collective.
#pragma once

#include <vector>

#include "algorithms/algorithm.hpp"

namespace arlab::bench {

class PairTraffic {
 public:
  explicit PairTraffic(Rank ranks)
      : ranks_(ranks), cells_(static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks)) {}

  struct Sent {
    Count messages = 0, bytes = 0;
    bool operator==(const Sent&) const = default;
  };
  Rank ranks() const { return ranks_; }
  const Sent& of(Rank from, Rank to) const { return cells_[position(from, to)]; }
  void add(Rank from, Rank to, Count bytes, Count messages = 1) {
    cells_[position(from, to)].messages += messages;
    cells_[position(from, to)].bytes += bytes;
  }
  /// Of all pairs.
  Sent sum() const;

  PairTraffic& operator+=(const PairTraffic& other);
  bool operator==(const PairTraffic&) const = default;

 private:
  std::size_t position(Rank from, Rank to) const {
    return static_cast<std::size_t>(from) * static_cast<std::size_t>(ranks_) +
           static_cast<std::size_t>(to);
  }

  Rank ranks_;
  std::vector<Sent> cells_;
};

/// Counts what the programs of an algorithm send. The algorithm must support the problem.
PairTraffic traffic_of(const Algorithm& algorithm, const Problem& problem, Count element_bytes);

}  // namespace arlab::bench
