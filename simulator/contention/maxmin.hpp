// MaxMin: max-min fair rates of flows that share links.
//
// Progressive filling: raise all rates together until a link is full, settle its flows, and
// continue with the rest. Bertsekas & Gallager, Data Networks, 2nd ed., 1992, section 6.5.2. A pure
// solver without time and network.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace arlab::simulator {

/// The problem: flows over links that are numbered from 0. Flow f crosses links[begin[f]] to
/// links[begin[f + 1] - 1]. A link that it crosses k times carries its rate k times.
struct Sharing {
  std::vector<double> capacity;      ///< of each link, at least 0, in any unit of rate
  std::vector<std::uint32_t> begin;  ///< flows + 1 positions
  std::vector<std::uint32_t> links;
  std::vector<double> limit;           ///< of each flow: its maximum rate; infinite: none
  std::vector<std::uint32_t> count{};  ///< of each flow: for how many it stands; empty: for one

  bool operator==(const Sharing&) const = default;
};

/// The solution. The spans are valid until the next call.
struct Shares {
  static constexpr std::uint32_t kLimit = ~std::uint32_t{0};

  std::span<const double> rate;           ///< of each flow, in the unit of the capacities
  std::span<const std::uint32_t> holder;  ///< the full link that settled the flow, or kLimit
};

class MaxMin {
 public:
  /// Solves the problem. A flow without links needs a limit. The latest large problem is cached:
  /// ranks in step often repeat it.
  Shares solve(const Sharing& sharing);

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Level {
    double share;
    std::uint32_t bound;
    bool operator>(const Level& other) const {
      return share != other.share ? share > other.share : bound > other.bound;
    }
  };

  void fill(const Sharing& sharing);
  void list_flows(const Sharing& sharing);
  void fill_few(const Sharing& sharing);
  void fill_many(const Sharing& sharing);
  template <class OnLink>
  void settle_flows(const Sharing& sharing, const Level& level, OnLink on_link);
  template <class OnLink>
  void settle(const Sharing& sharing, std::uint32_t flow, double rate, std::uint32_t holder,
              OnLink on_link);
  static std::uint32_t count(const Sharing& s, std::uint32_t flow) {
    return s.count.empty() ? 1 : s.count[flow];
  }
  double share(std::uint32_t link) const;  // of one unsettled flow

  Sharing solved_;                        // the problem that rate_ and holder_ solve, if large
  std::vector<double> rate_, left_;       // of each flow, of each link
  std::vector<std::uint32_t> holder_;     // of each flow
  std::vector<std::uint32_t> open_;       // of each link: number of unsettled flows
  std::vector<std::uint32_t> first_;      // of each link: its latest crossing, or kNone
  std::vector<std::uint32_t> next_, by_;  // of each crossing: one before it on its link; its flow
  std::size_t unsettled_ = 0;             // flows
  // Bounds are the limits of flows, numbered as these, and then the shares of links.
  std::vector<double> bounds_;
  std::vector<Level> heap_;
};

}  // namespace arlab::simulator
