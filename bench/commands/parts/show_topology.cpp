// arlab show topology fat_tree:k=8: prints the metrics of a network and draws it.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "algorithms/base/error.hpp"
#include "bench/commands/commands.hpp"
#include "bench/formats/topology_svg.hpp"
#include "bench/options/topology_options.hpp"
#include "bench/text/say.hpp"
#include "bench/text/table.hpp"
#include "bench/text/units.hpp"
#include "bench/text/write_file.hpp"
#include "simulator/topologies/analysis/metrics.hpp"
#include "simulator/topologies/build/topology.hpp"
#include "simulator/topologies/routing/routing.hpp"

namespace arlab::bench {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string range(const std::string& min, const std::string& max) {
  return min == max ? min : min + " to " + max;
}

std::string show_latency(Time t) { return show_picoseconds(picoseconds(t)); }

std::string bisection_text(const simulator::Metrics& m) {
  const std::string most = show_bandwidth(m.bisection);
  if (m.bisection_bound == m.bisection) return most;
  if (m.bisection_bound == 0) return "at most " + most;
  return fmt::format("{} to {} (bounds)", show_bandwidth(m.bisection_bound), most);
}

// Which hosts pass messages on; empty: none.
std::string forwarding(const simulator::Topology& topology) {
  Count count = 0;
  for (Rank h = 0; h < topology.hosts(); ++h) count += topology.forwards(h) ? 1 : 0;
  return count == topology.hosts() ? "all" : count == 0 ? "" : show_count(count);
}

void print_metrics(const simulator::Topology& topology, const simulator::Metrics& m,
                   simulator::Routing routing) {
  const auto about = [&](const std::string& text) {
    return m.sampled ? text + " (of a sample of targets)" : text;
  };
  Rows rows{
      {"hosts", show_count(m.hosts)},
      {"switches", show_count(m.switches)},
      {"links (a cable is two)", show_count(m.links)},
      {"diameter", about(fmt::format("{} links, {}", m.diameter, show_latency(m.longest_latency)))},
      {"average distance", about(fmt::format("{:.3f} links", m.average_distance))}};
  if (!m.halves.empty()) {
    rows.push_back({"bisection bandwidth", bisection_text(m)});
    rows.push_back(
        {"  from " + m.halves,
         fmt::format("{}, {} per host", show_bandwidth(m.first_half), show_bandwidth(m.per_host))});
  }
  if (const std::string hosts = forwarding(topology); m.switches > 0 && !hosts.empty())
    rows.push_back({"hosts forward messages", hosts});
  if (topology.groups() > 0)
    rows.push_back({"groups", fmt::format("{} (by {})", show_count(topology.groups()),
                                          topology.group_word())});
  rows.push_back({"routing", std::string(name(routing))});
  if (!m.disconnection.empty()) rows.push_back({"not connected", m.disconnection});
  print("{}\n\n{}\n", topology.spec(), Lines{markdown({"metric", "value"}, rows)});
}

void print_tiers(const simulator::Metrics& m) {
  Rows rows;
  for (const simulator::TierMetrics& tier : m.tiers)
    rows.push_back({tier.name, show_count(tier.links),
                    range(show_bandwidth(tier.slowest), show_bandwidth(tier.fastest)),
                    range(show_latency(tier.shortest), show_latency(tier.longest))});
  print("{}", Lines{markdown({"tier", "links", "bandwidth", "latency"}, rows)});
}

struct ShowOptions {
  std::string topology;
  std::string output = "-";  // a picture: beside the tables on stdout
  bool hosts = false;
  Rank ranks = 0;
};

void show(const ShowOptions& options) {
  if (options.topology.empty())
    fail(Blame::usage,
         "show topology needs a topology: add one of `arlab list topologies`, such as "
         "`arlab show topology torus`, or a file of a network");
  const TopologyOptions network = topology_options(options.topology);
  const bool draws = options.output.ends_with(".svg");
  if (draws && options.hosts)
    fail(Blame::usage, fmt::format("--output {} is a picture, and --hosts prints a list: leave out "
                                   "--hosts, or name a file without .svg",
                                   options.output));
  check_writable(options.output);
  RedirectedStdout file(draws ? "-" : options.output);
  const simulator::Topology topology = network.open(options.ranks);
  const simulator::Router router(
      topology,
      network.parsed_routing().routing);  // throws if the routing does not fit
  const Rank ranks = options.ranks > 0 ? options.ranks : topology.hosts();
  const std::vector<Rank> hosts = network.hosts_of(topology, ranks);
  if (options.hosts) {
    for (const Rank host : hosts) print("{}\n", topology.node(host).name);
    return file.finish();
  }
  const simulator::Metrics m = simulator::metrics(topology, hosts);
  print_metrics(topology, m, router.routing());
  print_tiers(m);
  if (draws) {
    write_file(options.output, svg_of(topology));
    say_written(options.output);
  }
  file.finish();
}

}  // namespace

void add_show_topology(CLI::App& show_command) {
  CLI::App* command =
      show_command.add_subcommand("topology", "Print the metrics of a network, and draw it as SVG");
  command->footer(
      "Examples:\n  arlab show topology fat_tree:k=8,oversubscription=4\n"
      "  arlab show topology torus -p 256 -o torus.svg\n  arlab show topology network.graphml");
  const auto options = std::make_shared<ShowOptions>();
  command
      ->add_option("topology", options->topology,
                   "Topology with its parameters, or a file of a network; with placement=block "
                   "(default), cyclic, random or a file with a host for each rank, routing, seed, "
                   "and broken links: torus:placement=random,dead=h0--h1,slow=h1-h2:4")
      ->type_name("TOPOLOGY");
  command
      ->add_option_function<std::string>(
          "-p,--ranks",
          [options](const std::string& text) {
            options->ranks = checked_number(parse_count(text, "--ranks"), "--ranks", 1, 1 << 30);
          },
          "Ranks: sizes that are left out are chosen to hold at least this many hosts; the "
          "bisection divides the hosts of the ranks")
      ->type_name("COUNT");
  command
      ->add_option("-o,--output", options->output,
                   "Write the tables to this file (default -, stdout); NAME.svg: a picture, with "
                   "the tables on stdout")
      ->type_name("FILE");
  command->add_flag("--hosts", options->hosts,
                    "Print only the host of each rank, one per line: a placement file");
  command->callback([options] { show(*options); });
}

}  // namespace arlab::bench
