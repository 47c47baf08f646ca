#include "bench/validation/calibrated/nccl.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace arlab::simulator {
namespace {

// Order of the parameters.
enum : std::size_t {
  kRingCall,
  kTreeCall,
  kLink,
  kRingNet,
  kTreeNet,
  kRate,
  kTreeRate,
  kLowLatency,
  kLines,
  kManyRanks
};

constexpr double kFewRanks = 16;  // where the factor of many ranks is 1

double slowest_of(const NcclCase& one, std::span<const double> p) {
  return std::pow(p[kManyRanks], std::log2(one.ranks / kFewRanks));
}

// Of one algorithm, in us, by protocol: low latency (8 of 16 bytes are flags), 128-byte lines,
// simple.
struct Latencies {
  std::array<double, 3> call, link, net;
};
constexpr Latencies kRing{{6.6, 14.0, 8.4}, {0.6, 1.9, 3.4}, {2.7, 4.0, 14.0}};
constexpr Latencies kTree{{6.8, 14.0, 8.4}, {0.6, 1.25, 4.0}, {5.0, 8.5, 14.0}};
// By how much trees fall short of their bandwidth: by protocol, at 64 B, 128 B, ..., 256 MiB.
constexpr double kTreeCorrection[3][23] = {
    {1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1},
    {1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1},
    {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5, .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9}};

double tree_correction(std::size_t protocol, double bytes) {
  const double at = std::clamp(std::log2(std::max(bytes, 1.0)) - 6, 0.0, 22.0);
  const auto below = static_cast<std::size_t>(at);
  const std::size_t above = std::min<std::size_t>(below + 1, 22);
  const double* const row = kTreeCorrection[protocol];
  return row[below] + (at - static_cast<double>(below)) * (row[above] - row[below]);
}

constexpr double kLineShare = 0.92;  // of the bandwidth, with 128-byte lines

// Fewer bytes than these per rank and step fill less than one line: the low-latency protocol is
// faster.
constexpr double kWholeLine = 7, kSmall = 4;  // log2

double share(std::size_t protocol, double low_latency) {
  return protocol == 0 ? low_latency : protocol == 1 ? kLineShare : 1.0;
}

double ring_time(const NcclCase& one, std::span<const double> p) {
  const double ranks = one.ranks, nodes = ranks / one.ranks_per_node;
  const double steps = 2 * (ranks - 1), between = nodes > 1 ? 2 * nodes : 0;
  const double bytes = static_cast<double>(one.bytes);
  const double part = std::log2(std::max(bytes / ranks, 1.0));
  const double filled = std::clamp((part - kSmall) / (kWholeLine - kSmall), 0.0, 1.0);
  double least = 0;
  for (std::size_t protocol = 0; protocol < 3; ++protocol) {
    double latency = p[kRingCall] * kRing.call[protocol] +
                     std::max(0.0, steps - between) * p[kLink] * kRing.link[protocol] +
                     between * p[kRingNet] * kRing.net[protocol];
    latency *= slowest_of(one, p);
    if (protocol == 0) latency *= 1 + p[kLines] * filled;
    const double time =
        latency + bytes * steps / ranks / (p[kRate] * share(protocol, p[kLowLatency])) * 1e-3;
    least = protocol == 0 ? time : std::min(least, time);
  }
  return least;
}

double tree_time(const NcclCase& one, std::span<const double> p) {
  const double nodes = static_cast<double>(one.ranks) / one.ranks_per_node;
  const double bytes = static_cast<double>(one.bytes);
  double least = 0;
  for (std::size_t protocol = 0; protocol < 3; ++protocol) {
    const double latency =
        p[kTreeCall] * kTree.call[protocol] * slowest_of(one, p) +
        2 * slowest_of(one, p) *
            ((one.ranks_per_node - 1) * p[kLink] * kTree.link[protocol] +
             std::log2(std::max(nodes, 1.0)) * p[kTreeNet] * kTree.net[protocol]);
    const double rate = p[kRate] * p[kTreeRate] * share(protocol, p[kLowLatency]) *
                        tree_correction(protocol, bytes);
    const double time = latency + 2 * bytes / rate * 1e-3;
    least = protocol == 0 ? time : std::min(least, time);
  }
  return least;
}

}  // namespace

std::vector<Prior> nccl_priors() {
  return {{"call of a ring, of NCCL's", 1, 0.3},
          {"call of a tree, of NCCL's", 1, 0.3},
          {"step inside a node, of NCCL's", 1, 0.3},
          {"step between nodes of a ring, of NCCL's", 1, 0.3},
          {"step between nodes of a tree, of NCCL's", 1, 0.3},
          {"bandwidth, GB/s", 80, 0.5},
          {"bandwidth of trees, fraction", 0.9, 0.15},
          {"bandwidth of the low-latency protocol, fraction", 0.4, 0.4},
          {"latency of whole lines above small ones, fraction", 0.25, 0.7},
          many_ranks_prior("factor of latency per doubling of ranks")};
}

std::vector<double> nccl_times(const std::vector<NcclCase>& cases,
                               std::span<const double> parameters) {
  std::vector<double> us;
  for (const NcclCase& one : cases)
    us.push_back(one.tree ? tree_time(one, parameters) : ring_time(one, parameters));
  return us;
}

}  // namespace arlab::simulator
