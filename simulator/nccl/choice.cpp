#include "simulator/nccl/choice.hpp"

#include "algorithms/base/error.hpp"

namespace arlab::simulator::nccl {
namespace {

constexpr double kThreads[] = {512, 640, 512};  // by protocol
constexpr double kThreshold[] = {8, 8, 64};     // bytes of a thread, below which channels are shed

}  // namespace

bool supported(const Support& support, Algorithm algorithm) {
  if (is_nvls(algorithm)) return support.nvls;
  return algorithm != Algorithm::pat || support.pat;
}

int used_channels(const Tuning& t, const Estimate& e, double bytes) {
  if (is_nvls(e.algorithm)) return nvls_channels(t.machine);
  if (is_collnet(e.algorithm)) return t.channels;
  const bool ring_ll = e.algorithm == Algorithm::ring && e.protocol == Protocol::ll;
  const double of_one = kThreads[index(e.protocol)] * kThreshold[index(e.protocol)] *
                        (ring_ll ? static_cast<double>(t.machine.ranks()) : 1);
  return std::max(1, static_cast<int>(std::min<double>(t.channels, bytes / of_one)));
}

double nvls_chunk(const Tuning& t, Algorithm algorithm, double bytes) {
  // While fewer chunks than this of all channels and heads fit, a chunk is the next smaller one.
  struct Step {
    double chunks, size;
  };
  constexpr Step kNvls[] = {{64, 65536}, {8, 32768}, {2, 16384}};
  constexpr Step kTree[] = {{16, 131072}, {4, 65536}, {1, 32768}};
  const double together = static_cast<double>(nvls_channels(t.machine)) * t.machine.ranks_per_node;
  const bool tree = algorithm == Algorithm::nvlstree;
  double chunk = tree && t.machine.nodes >= 4 ? 65536 : 131072;
  for (const Step& step : tree ? kTree : kNvls)
    if (bytes < step.chunks * together * chunk) chunk = std::min(chunk, step.size);
  return chunk;
}

Choice choose(const Tuning& tuning, double bytes, const Support& support) {
  Choice best;
  double least = 0;
  for (const Estimate& e : tuning.estimates) {
    if (!e.why_not.empty() || !supported(support, e.algorithm)) continue;
    const double us = estimated_us(tuning, e, bytes);
    const double counted = us * (e.algorithm == Algorithm::ring ? support.ring_weight : 1);
    if (best.estimate && counted >= least) continue;
    least = counted;
    best = {&e, us, 1};
  }
  expects(best.estimate != nullptr, "a ring is always considered");
  best.channels = used_channels(tuning, *best.estimate, bytes);
  return best;
}

std::vector<Range> choices(const Tuning& tuning, double first, double last,
                           const Support& support) {
  std::vector<Range> ranges;
  for (double bytes = first; bytes <= last; bytes *= 2) {
    const Choice choice = choose(tuning, bytes, support);
    if (ranges.empty() || ranges.back().estimate != choice.estimate)
      ranges.push_back({bytes, bytes, choice.estimate});
    ranges.back().last = bytes;
  }
  return ranges;
}

}  // namespace arlab::simulator::nccl
