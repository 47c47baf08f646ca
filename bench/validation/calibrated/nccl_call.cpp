#include "bench/validation/calibrated/nccl_call.hpp"

#include <algorithm>
#include <cmath>

namespace arlab::simulator {
namespace {

using nccl::Algorithm;
using nccl::Protocol;

// Order of the parameters.
enum : std::size_t {
  kCall,
  kStep,
  kLineStep,
  kPieces,
  kRate,
  kCopy,
  kChannel,
  kNodeFull,
  kNetCall,  // from here on, of the network
  kNetStep,
  kNetFull,
  kNetRate
};

constexpr double kLineOfStep = 4096;      // LL: 512 threads of 8 bytes
constexpr double kLargestChunk = 131072;  // of NVLS, at which NCCL states its share of the links
constexpr double kFlagRate = 0.85;        // LL: of half the links' rate
constexpr double kUsualCopy = 0.6;        // median of the copy

class CallTime {
 public:
  CallTime(const NcclCall& call, std::span<const double> p)
      : t_(*call.tuning),
        m_(t_.machine),
        e_(*call.choice.estimate),
        channels_(call.choice.channels),
        bytes_(call.bytes),
        p_(p) {}

  double us() const {
    if (e_.algorithm == Algorithm::nvls && m_.nodes == 1) return nvls();
    if (e_.algorithm == Algorithm::nvlstree) return nvlstree();
    if (e_.algorithm != Algorithm::ring) return e_latency() + others();
    const double ranks = m_.ranks();
    const double steps = nccl::ring_steps(t_.collective, m_.ranks());
    const double moved = bytes_ * (steps + copies()) / ranks;
    if (e_.protocol != Protocol::ll) return e_latency() + moved / rate();
    const double of_step = bytes_ / (ranks * channels_);
    const double beyond = std::max(0.0, 1 - kLineOfStep / of_step);
    return e_latency() +
           (m_.nodes > 1 ? 0 : p_[kNodeFull]) * std::min(1.0, of_step / kLineOfStep) *
               scaled_inside() +
           moved * beyond / rate();
  }

 private:
  bool through_processors() const { return m_.gpu.links == 0; }
  bool pieces() const { return e_.protocol == Protocol::simple; }

  double scaled_inside() const {
    return e_.inside / nccl::step_weight(m_, e_.protocol) *
           p_[pieces()                      ? kPieces
              : e_.protocol == Protocol::ll ? kStep
                                            : kLineStep];
  }
  // Calls of LL128 cost as much as those of pieces, not the 14 us of NCCL's table.
  double base() const {
    if (pieces()) return e_.base * p_[kPieces];
    return (e_.protocol == Protocol::ll128 ? std::min(e_.base, 8.4) : e_.base) * p_[kCall];
  }
  double e_latency() const {
    return base() + more_channels() + (m_.nodes > 1 ? p_[kNetCall] : 0) +
           (scaled_inside() + e_.between * p_[kNetStep]) * (1 + p_[kNetFull] * filled());
  }

  // NCCL gives a call of flags as many channels as it has full lines; starting them takes time.
  double more_channels() const {
    const bool full = e_.protocol == Protocol::ll && m_.nodes == 1;
    return full ? p_[kChannel] * (channels_ - 1) : 0;
  }

  // How far the lines of a message between nodes are filled: what the processors must then copy.
  double filled() const {
    if (m_.nodes == 1 || pieces()) return 0;
    const double sharers = e_.algorithm == Algorithm::ring ? m_.ranks() : 1;
    const double of_step = bytes_ / (sharers * channels_);
    return std::clamp(std::log2(of_step / 64) / std::log2(kLineOfStep / 64), 0.0, 1.0);
  }

  double copies() const { return through_processors() ? 0 : p_[kCopy]; }

  // The share of a path that all GPUs without NVLink share.
  double crowd() const {
    return through_processors() ? std::pow(m_.ranks_per_node / 2.0, -p_[kCopy] / kUsualCopy) : 1;
  }

  double scale() const {
    if (m_.nodes > 1) return p_[kNetRate];
    return e_.protocol == Protocol::ll ? kFlagRate : p_[kRate];
  }

  // Bytes per us of a ring.
  double rate() const {
    const double graph =
        t_.graphs.ring.channels * (m_.nodes <= 2 ? t_.graphs.ring.inside : t_.graphs.ring.between);
    const double share = e_.protocol == Protocol::ll      ? .5
                         : e_.protocol == Protocol::ll128 ? .92
                                                          : 1;
    return 1000 * graph * share * scale() * crowd();
  }

  double others() const {
    return bytes_ / (1000 * e_.bandwidth * nccl::share_at(t_, e_, bytes_) * scale() * crowd());
  }

  // Bytes per us that the NVSwitches of a node sum and multicast.
  double nvswitch_rate() const {
    nccl::Machine node = m_;
    node.nodes = 1;
    const nccl::Graph rings = nccl::graphs_of(node).ring;
    const double share = m_.gpu.generation == nccl::Generation::hopper ? .85 : .74;
    return 1000 * share * rings.channels * rings.inside * p_[kRate] / (1 + 1.0 / m_.ranks_per_node);
  }

  double nvls() const {
    const double together = channels_ * m_.ranks_per_node;
    const double largest = together * kLargestChunk / nvswitch_rate();
    const double chunk = nccl::nvls_chunk(t_, e_.algorithm, bytes_);
    const double two_steps = std::min(2 * 3.4 * p_[kPieces], largest);
    const double loop = two_steps + (largest - two_steps) * chunk / kLargestChunk;
    return 8.4 * p_[kPieces] + (bytes_ / (together * chunk) + 1) * loop;
  }

  // Nodes sum and multicast by their NVSwitches while the NICs send; a step between nodes begins
  // with a whole chunk of all channels. The NVSwitches' share is that of src/graph/tuning.cc since
  // 2.28. Beyond two nodes, an inner node has two children.
  double nvlstree() const {
    const nccl::Graph& graph = t_.graphs.nvls;
    const double inside = nvswitch_rate() * (1 - 1.0 / graph.channels) / (1 - 1.0 / m_.ranks());
    const double network =
        1000 * graph.channels * graph.between * p_[kNetRate] / (m_.nodes > 2 ? 2 : 1);
    const double chunks =
        channels_ * m_.ranks_per_node * nccl::nvls_chunk(t_, e_.algorithm, bytes_);
    const double steps = 2 * std::floor(std::log2(m_.nodes));
    return e_latency() + steps * std::min(bytes_, chunks) / network +
           bytes_ / std::min(network, inside);
  }

  const nccl::Tuning& t_;
  const nccl::Machine& m_;
  const nccl::Estimate& e_;
  double channels_, bytes_;
  std::span<const double> p_;
};

}  // namespace

NcclCall make_nccl_call(const nccl::Machine& machine, Collective collective, double bytes,
                        const nccl::Support& support) {
  NcclCall call{std::make_shared<const nccl::Tuning>(nccl::tune(machine, collective)), {}, bytes};
  call.choice = nccl::choose(*call.tuning, bytes, support);
  return call;
}

std::vector<Prior> nccl_call_priors() {
  return {{"call, of NCCL's", 1, 0.4},
          {"step with LL, of NCCL's", 1.6, 0.4},
          {"step with LL128, of NCCL's", 1.8, 0.5},
          {"call and step with pieces, of NCCL's", 1.5, 0.4},
          {"rate, of the links'", 1, 0.2},
          {"copy beside the steps; without NVLink, crowding", kUsualCopy, 0.5},
          {"channel beyond the first with LL, us", 0.1, 1},
          {"steps of full lines within a node, beyond empty ones", 0.3, 0.5},
          {"call between nodes, us", 4, 0.6},
          {"step between nodes, of NCCL's", 1, 0.3},
          {"messages of full lines between nodes, beyond empty ones", 0.4, 0.6},
          {"rate between nodes, of NCCL's", 0.9, 0.4}};
}

bool describes_node(std::size_t parameter) { return parameter < kNetCall; }

std::vector<double> nccl_call_times(const std::vector<NcclCall>& calls,
                                    std::span<const double> parameters) {
  std::vector<double> us;
  for (const NcclCall& call : calls) us.push_back(CallTime(call, parameters).us());
  return us;
}

}  // namespace arlab::simulator
