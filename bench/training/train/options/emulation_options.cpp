#include "bench/training/train/options/emulation_options.hpp"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/quantities.hpp"
#include "bench/options/network_spec.hpp"
#include "bench/options/topology_options.hpp"
#include "bench/text/units.hpp"
#include "bench/training/gradient_options.hpp"
#include "simulator/models/model.hpp"
#include "training/emulation/backend.hpp"
#include "training/emulation/emulated_ranks.hpp"

namespace arlab::bench {
namespace {

std::unique_ptr<simulator::Network> made(const VirtualNetwork& network, Rank ranks,
                                         std::uint64_t seed) {
  if (network.topology.empty())
    return simulator::make_network(simulator::find_model("alpha_beta"),
                                   {{"alpha", picoseconds(network.latency)},
                                    {"beta", kPicosecondsPerSecond / network.bandwidth}},
                                   ranks);
  TopologyOptions usual;
  usual.seed = seed;
  const TopologyOptions chosen = topology_options(network.topology, std::move(usual));
  return simulator::make_network(simulator::find_model("fluid"), {}, ranks, chosen.fabric(ranks));
}

}  // namespace

void VirtualRun::check_values() const {
  networks();
  parsed_speed();
  if (codec_cost != "measured") given_codec_cost();
}

std::vector<std::string> VirtualRun::network_words() const {
  return specs.empty() ? std::vector<std::string>{"10G"} : without_repeats(split_specs(specs));
}

std::vector<VirtualNetwork> VirtualRun::networks() const {
  std::vector<VirtualNetwork> all;
  for (const std::string& word : network_words())
    if (is_port_rate(word)) {
      const PortSpec port = parse_port(word);
      all.push_back({port.bytes_per_second, latency_of(port), ""});
    } else {
      all.push_back({0, Time{}, parse_network_spec(word).topology});
    }
  return all;
}

double VirtualRun::parsed_speed() const { return parse_rate(speed, "--compute speed"); }

training::CodecCost VirtualRun::codec_of(const training::GradientOptions& gradients,
                                         Count elements) const {
  if (!gradients.compressor) return {};
  if (codec_cost == "measured") {
    static std::map<std::string, training::CodecCost>
        measured;  // by compressor: a study asks for it often
    constexpr Count kMost = 1 << 20;
    const auto [found, is_new] = measured.try_emplace(training::text(*gradients.compressor));
    if (is_new)
      found->second =
          training::measured_codec_cost(*gradients.compressor, std::min(elements, kMost));
    return found->second;
  }
  return given_codec_cost();
}

training::CodecCost VirtualRun::given_codec_cost() const {
  return parse_codec_cost(codec_cost, ", or measured");
}

std::vector<double> VirtualRun::slowdown_on(Rank ranks) const {
  if (slowdown.empty()) return {};
  std::vector<double> all = slowdown;
  all.resize(static_cast<std::size_t>(ranks), slowdown.size() == 1 ? slowdown.front() : 1.0);
  return all;
}

collectives::Backend VirtualRun::backend(const VirtualNetwork& network, std::uint64_t seed) const {
  return training::emulated_backend(
      [run = *this, network, seed](Rank ranks,
                                   const std::function<void(collectives::Communicator&)>& body) {
        if (static_cast<Rank>(run.slowdown.size()) > ranks)
          fail(Blame::usage, fmt::format("--compute slowdown has {} factors, but there are {}",
                                         run.slowdown.size(), show_plural(ranks, "rank")));
        const training::EmulationOptions options{run.slowdown_on(ranks), run.jitter, seed};
        training::on_emulated_ranks(*made(network, ranks, seed), ranks, body, options);
      });
}

}  // namespace arlab::bench
