// arlab bound fat_tree:k=8: prints how fast collectives could be at all on a network.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/base/error.hpp"
#include "bench/commands/commands.hpp"
#include "bench/options/caller.hpp"
#include "bench/options/model_options.hpp"
#include "bench/options/network_spec.hpp"
#include "bench/options/options.hpp"
#include "bench/results/context.hpp"
#include "bench/results/result_file.hpp"
#include "bench/text/say.hpp"
#include "bench/text/sentences.hpp"
#include "bench/text/table.hpp"
#include "bench/text/units.hpp"
#include "bench/text/write_file.hpp"
#include "simulator/bounds/network_bounds.hpp"
#include "simulator/bounds/weighted_shares.hpp"
#include "simulator/topologies/fabric.hpp"
#include "simulator/topologies/routing/routing.hpp"

namespace arlab::bench {
namespace {

using simulator::NetworkBounds;

struct BoundOptions {
  std::string topology, spec;  // of which one is given
  Rank ranks = 0;
  std::string json;
};

// What an allreduce was shown to reach, in bytes per second.
struct Reached {
  double equal = 0;
  std::optional<double> best{};  ///< by the best share for each root; nothing if not computed
  bool optimal = false;          ///< whether that is the bound, in exact numbers
};

Reached reached(const NetworkBounds& b) {
  Reached all{.equal = b.equal_shares_rate(), .optimal = b.optimal};
  if (b.optimal) {
    all.best = b.allreduce_rate();
  } else if (b.reached) {
    const auto shares = weighted_shares(b.graph);
    if (!shares) return all;
    all.best = std::max(shares->rate, all.equal);
    all.optimal = shares->exact_time == b.allreduce.time;
  }
  return all;
}

// What a bound is: `gap` is how far below it the best known rate is, relative.
std::string verdict(bool optimal, double gap, double raised) {
  constexpr double kNear = 1e-6;  // to which the best shares are computed
  if (optimal && raised == 0) return "the optimum";
  if (!optimal && gap > kNear) return "a bound";
  return fmt::format("a bound, reached within {:.0e}", optimal ? raised : kNear + raised);
}

double gigabytes(double bytes_per_second) { return bytes_per_second / 1e9; }

Json to_json(const NetworkBounds& b, const Reached& reached, const simulator::Topology& topology,
             const std::string& text) {
  return {{"schema", kSchema},
          {"kind", "bound"},
          {"topology", text},
          {"hosts", b.hosts()},
          {"all_gather_gb_per_s", gigabytes(b.all_gather_rate())},
          {"reduce_scatter_gb_per_s", gigabytes(b.reduce_scatter_rate())},
          {"allreduce_gb_per_s", gigabytes(b.allreduce_rate())},
          {"allreduce_equal_shares_gb_per_s", gigabytes(reached.equal)},
          {"allreduce_weighted_shares_gb_per_s",
           reached.best ? Json(gigabytes(*reached.best)) : Json(nullptr)},
          {"reached", b.reached},
          {"allreduce_reached", reached.optimal},
          {"allreduce_tightest", b.tightest},
          {"rounded_up", b.graph.raised},
          {"trees_per_root", b.trees_per_root},
          {"inverse_rate", to_string(b.all_gather.ratio)},
          {"unit_gb_per_s", gigabytes(b.graph.unit)},
          {"latency_us", microseconds(b.latency)},
          {"cut", all_gather_limit(b, topology)},
          {"reduce_scatter_cut", reduce_scatter_limit(b, topology)},
          {"allreduce_cut", allreduce_limit(b, topology)}};
}

void print_bounds(const NetworkBounds& b, const Reached& reached,
                  const simulator::Topology& topology, const std::string& text) {
  const auto rate = [](double bytes_per_second) {
    return fmt::format("{:.6g}", gigabytes(bytes_per_second));
  };
  const auto part = [&](double bytes_per_second) {
    return fmt::format("{} GB/s, {:.1f}% of the bound", rate(bytes_per_second),
                       100 * bytes_per_second / b.allreduce_rate());
  };
  const std::string gathers = verdict(b.reached, 1, b.graph.raised);
  const double gap = 1 - reached.best.value_or(0) / b.allreduce_rate();
  print("{}: {}\n\n{}\n", text, show_plural(b.hosts(), "host"),
        Lines{markdown(
            {"collective", "at most GB/s", "is", "limited by"},
            {{"all_gather", rate(b.all_gather_rate()), gathers, all_gather_limit(b, topology)},
             {"reduce_scatter", rate(b.reduce_scatter_rate()), gathers,
              reduce_scatter_limit(b, topology)},
             {"allreduce", rate(b.allreduce_rate()), verdict(reached.optimal, gap, b.graph.raised),
              allreduce_limit(b, topology)}})});
  const std::string unit = fmt::format("{:.6g} GB/s", gigabytes(b.graph.unit));
  std::vector<std::vector<std::string>> rows{
      {"time of an all-gather, per shard",
       fmt::format("{} / ({})", to_string(b.all_gather.ratio), unit)},
      {"trees per root of an optimal all-gather", show_count(b.trees_per_root)},
      {"allreduce with a share of equal size for each root", part(reached.equal)},
      {"latency, at least",
       fmt::format("{}, from {} to {}", show_picoseconds(picoseconds(b.latency)),
                   topology.node(b.latency_from).name, topology.node(b.latency_to).name)}};
  if (reached.best && *reached.best > reached.equal)
    rows.insert(rows.begin() + 3,
                {"allreduce with the best share for each root", part(*reached.best)});
  if (!b.reached)
    rows.push_back({"note",
                    "a switch has more bandwidth in than out, or less: trees may not reach "
                    "these rates"});
  else if (!reached.best)
    rows.push_back({"note",
                    "the best share for each root was not computed: the network has too many "
                    "links"});
  if (b.graph.raised > 0)
    rows.push_back(
        {"note", fmt::format("bandwidths were rounded up, by {:.0e} at most", b.graph.raised)});
  if (!b.tightest)
    rows.push_back({"note",
                    "not all partitions of the hosts were searched for the bound of "
                    "allreduce"});
  print("{}", Lines{markdown({"detail", "value"}, rows)});
  print_sentences(
      {fmt::format("Allreduce on {} has an algbw of at most {} GB/s ({}), limited by {}.", text,
                   rate(b.allreduce_rate()), verdict(reached.optimal, gap, b.graph.raised),
                   allreduce_limit(b, topology))},
      true);
}

// The network, with the placement and the rates that a machine file states.
ModelOptions network_of(const BoundOptions& options) {
  const std::string& text = options.spec.empty() ? options.topology : options.spec;
  if (text.empty()) fail(Blame::usage, "topology is missing: add it");
  if (!options.spec.empty() && !options.topology.empty())
    fail(Blame::usage, "--network and the topology before it say the same: give one of them");
  ModelOptions all;
  use_networks(all, {text});
  if (!all.has_links())
    fail(Blame::usage, fmt::format("network '{}' has no links that bound a collective: name a "
                                   "topology",
                                   text));
  if (all.networks().size() != 1)
    fail(Blame::usage, "bound takes one network: start it once for each");
  return all;
}

void bound(const BoundOptions& given, const Session& session) {
  const ModelOptions network = network_of(given);
  const TopologyOptions options = network.networks().front();
  check_can_write(given.json);
  if (options.parsed_routing().routing != simulator::Routing::automatic)
    fail_without_effect("routing", "a simulation, since a bound holds for every routing");
  if (options.seed != 0 && options.placement != "random")
    fail_without_effect("seed", "placement=random");
  const simulator::Topology stated = options.open(given.ranks);
  const Rank ranks = given.ranks > 0 ? given.ranks : stated.hosts();
  const auto fabric = network.with_measured_links(std::make_shared<const simulator::Fabric>(
      simulator::Fabric{stated, {}, 0, options.hosts_of(stated, ranks)}));
  const simulator::Topology& topology = fabric->topology;
  const NetworkBounds bounds = network_bounds(topology, fabric->host_of);
  const std::string text = options.text(topology);
  const Reached best = reached(bounds);
  if (session.caller)
    session.caller->records.push_back(to_json(bounds, best, topology, text));
  else if (given.json != "-")
    print_bounds(bounds, best, topology, text);
  if (given.json.empty()) return;
  ResultFile file(given.json, ResultFile::Mode::fresh, context(session.command));
  file.add(to_json(bounds, best, topology, text));
}

}  // namespace

void add_bound(CLI::App& command, Session& session) {
  command.footer(
      "Examples:\n  arlab bound torus:dims=8x8\n"
      "  arlab bound rail_pod -p 64 --json bound.jsonl\n"
      "  arlab bound ring:hosts=8,slow=h0--h1:4\n"
      "Rates are bytes of the vector (all_gather: of the gathered one) per second; 1 GB is 10^9 "
      "bytes.");
  const auto options = std::make_shared<BoundOptions>();
  command.add_option("topology", options->topology, "The same as --network")->type_name("TOPOLOGY");
  command
      .add_option("--network", options->spec,
                  "Networks: a topology (rail_pod:nodes=8) or its file, a model on one "
                  "(packet:topology=torus), or a machine file (machine.toml). On any topology: " +
                      std::string(kHostSettings))
      ->type_name("NETWORKS");
  add_number(command, "-p,--ranks", options->ranks, 1, kMostRanks,
             "Ranks (default: one on every host)");
  command.get_option("--ranks")->type_name("COUNT");
  command.add_option("--json", options->json, "Write a record to this file; - is stdout")
      ->type_name("FILE");
  command.callback([options, &session] { bound(*options, session); });
}

}  // namespace arlab::bench
