#include "bench/validation/calibrated/gpu_nodes.hpp"

#include <algorithm>
#include <cmath>

#include "bench/validation/calibrated/rounds.hpp"

namespace arlab::simulator {
namespace {

// Order of the parameters.
enum : std::size_t { kInside, kEager, kRendezvous, kKernel, kLinkByte, kNetByte, kManyRanks };

constexpr double kEagerEnd = 12, kRendezvousBegin = 16;  // log2 of the message's bytes

constexpr double kFewRanks = 16;  // where the factor of many ranks is 1

class Nodes {
 public:
  explicit Nodes(std::span<const double> p) : p_(p) {}

  double time(const GpuNodesCase& one) const {
    const double share = static_cast<double>(one.bytes) / one.ranks_per_node;
    const double inside = p_[kInside] + 2 * (latency(share) - p_[kEager]) +
                          2 * (one.ranks_per_node - 1) * share * p_[kLinkByte] * 1e-3;
    const Rank members = one.whole ? one.ranks : one.ranks / one.ranks_per_node;
    if (members < 2) return inside;
    const double slow = std::pow(p_[kManyRanks], std::log2(one.ranks / kFewRanks));
    double between = 0;
    bool first = true;  // neighboring ranks, which share a node if it has an even number of them
    for (const MessageRound& r :
         message_rounds(one.whole ? "swing_whole" : "swing", members,
                        std::max<Count>(kElementBytes, one.bytes / one.ranks_per_node)))
      for (Count i = 0; i < r.count; ++i) {
        const bool in_node = one.whole && first && one.ranks_per_node % 2 == 0;
        first = false;
        between += (latency(r.bytes) + (r.reduced > 0 ? p_[kKernel] : 0)) * slow +
                   r.bytes * p_[in_node ? kLinkByte : kNetByte] * 1e-3;
      }
    return inside + between;
  }

 private:
  double latency(double bytes) const {
    const double part =
        (std::log2(std::max(bytes, 1.0)) - kEagerEnd) / (kRendezvousBegin - kEagerEnd);
    return p_[kEager] * std::pow(p_[kRendezvous] / p_[kEager], std::clamp(part, 0.0, 1.0));
  }
  std::span<const double> p_;
};

}  // namespace

std::vector<Prior> gpu_nodes_priors() {
  return {{"both parts inside a node, us", 25, 0.6},
          {"latency of a small message, us", 5, 0.4},
          {"latency of a large message, us", 8, 0.4},
          {"kernel with its wait, us", 10, 0.5},
          {"links inside a node, ns/B", 0.005, 0.5},
          {"network, ns/B", 0.04, 0.5},
          many_ranks_prior("factor of latency per doubling of ranks")};
}

std::vector<double> gpu_nodes_times(const std::vector<GpuNodesCase>& cases,
                                    std::span<const double> parameters) {
  const Nodes nodes(parameters);
  std::vector<double> us;
  for (const GpuNodesCase& one : cases) us.push_back(nodes.time(one));
  return us;
}

}  // namespace arlab::simulator
