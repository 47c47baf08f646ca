#include "bench/training/train/options/emulation_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cmath>
#include <map>

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
  TopologyOptions chosen;
  chosen.topology = network.topology;
  chosen.seed = seed;
  return simulator::make_network(simulator::find_model("fluid"), {}, ranks, chosen.fabric(ranks));
}

}  // namespace

void VirtualRun::add(CLI::App& command) {
  const std::string group = "Virtual ranks (--backend virtual)";
  command
      .add_option("--network", specs,
                  "Networks, 10G by default: a port's rate (100M,1G,10G) or a topology "
                  "(fat_tree:k=4,bandwidth=10Gbps), whose links messages share; with --tune on "
                  "real ranks, that of its search, also a machine file (machine.toml)")
      ->allow_extra_args(false)
      ->take_all()
      ->type_name("NETWORKS")
      ->group(group);
  command.add_option("--latency", latency, "Of a message between ports (default 20us)")
      ->type_name("TIME")
      ->group(group);
  command.add_option("--speed", speed, "Multiply-adds per second of a worker (default 1T)")
      ->type_name("RATE")
      ->group(group);
  command
      .add_option("--slowdown", slowdown,
                  "Factors on the compute time: 2.5 for all, or one per rank, such as 1,1,2.5 "
                  "(default 1)")
      ->delimiter(',')
      ->type_name("FACTORS")
      ->group(group);
  command
      .add_option("--jitter", jitter, "Random extra compute time, up to this fraction (default 0)")
      ->type_name("PART")
      ->group(group);
  command
      .add_option("--codec-cost", codec_cost,
                  "Nanoseconds per element to encode and to decode: 1.2,0.4, or measured (default: "
                  "measured on this machine, so times differ slightly between runs)")
      ->type_name("NS,NS")
      ->group(group);
}

void VirtualRun::check_values() const {
  networks();
  parsed_speed();
  if (codec_cost != "measured") given_codec_cost();
  for (const double factor : slowdown)
    if (!(factor > 0) || !std::isfinite(factor))
      fail(Blame::usage,
           fmt::format("--slowdown has the factor {}: give factors above 0, such as 1 "
                       "or 2.5",
                       factor));
  if (!(jitter >= 0) || !std::isfinite(jitter))
    fail(Blame::usage, fmt::format("--jitter is {}: give 0 or more, such as 0.1", jitter));
}

std::vector<std::string> VirtualRun::network_words() const {
  return specs.empty() ? std::vector<std::string>{"10G"} : without_repeats(split_specs(specs));
}

std::vector<VirtualNetwork> VirtualRun::networks() const {
  const Time each = to_time(parse_time(latency.empty() ? "20us" : latency, "--latency"));
  std::vector<VirtualNetwork> all;
  for (const std::string& word : network_words())
    if (is_port_rate(word))
      all.push_back({parse_port_rate(word, "--network"), each, ""});
    else
      all.push_back({0, Time{}, parse_network_spec(word).topology});
  return all;
}

double VirtualRun::parsed_speed() const { return parse_rate(speed, "--speed"); }

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
      [this, network, seed](Rank ranks,
                            const std::function<void(collectives::Communicator&)>& body) {
        if (static_cast<Rank>(slowdown.size()) > ranks)
          fail(Blame::usage, fmt::format("--slowdown has {} factors, but there are {}",
                                         slowdown.size(), show_plural(ranks, "rank")));
        const training::EmulationOptions options{slowdown_on(ranks), jitter, seed};
        training::on_emulated_ranks(*made(network, ranks, seed), ranks, body, options);
      });
}

}  // namespace arlab::bench
