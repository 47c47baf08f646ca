// arlab calibrate: measures what the model `connections` knows about a machine, on two or three
// ranks.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <memory>
#include <optional>

#include "algorithms/base/error.hpp"
#include "algorithms/groups.hpp"
#include "bench/calibrate/fit.hpp"
#include "bench/calibrate/machine_text.hpp"
#include "bench/calibrate/spread.hpp"
#include "bench/commands/commands.hpp"
#include "bench/measure/job.hpp"
#include "bench/measure/timeout.hpp"
#include "bench/options/options.hpp"
#include "bench/options/settings.hpp"
#include "bench/options/topology_options.hpp"
#include "bench/results/context.hpp"
#include "bench/results/version.hpp"
#include "bench/simulate/calibration_question.hpp"
#include "bench/text/say.hpp"
#include "bench/text/sentences.hpp"
#include "bench/text/table.hpp"
#include "bench/text/units.hpp"
#include "bench/text/write_file.hpp"
#include "collectives/host/gatherv.hpp"

namespace arlab::bench {
namespace {

using collectives::Backend;

struct CalibrateCommand {
  std::string backend, ranks, output = "machine.toml";
  MachineFile network;  ///< stated
  ProbeOptions probes;
  std::string question;  ///< the calibration measures only what narrows its interval; empty: all
  collectives::Patience patience;
  std::vector<std::string> command;
};

std::string numbers_table(const Fit& fit) {
  const simulator::Machine& m = fit.machine;
  const auto bytes = [](double b) { return show_bytes(static_cast<std::int64_t>(b)); };
  std::vector<std::vector<std::string>> rows = {
      {"latency", show_time(m.latency / 1e6), "of the smallest message"},
      {"gap", show_time(m.gap / 1e6), "for each further message"},
      {"eager", bytes(m.eager), "largest message that does not wait for its receiver"}};
  if (m.shared) {
    constexpr double kBytes = 64 * 1024;
    const auto add = [&](const char* number, const simulator::SizeCurve& curve, const char* what) {
      rows.push_back({number, show_time(curve.at(kBytes) / 1e6), what});
    };
    add("copy", m.host, "of a message of 64 KiB, by its receiver");
    add("copies", m.host_together, "each of two such at the same time");
    add("addition", m.reduction, "of 64 KiB");
    add("addition to sent", m.reduction_sent, "of 64 KiB to elements sent in the same round");
  } else {
    rows.insert(rows.end(),
                {{"port", fmt::format("{:.4g} ns/B", m.beta / 1e3), "of long messages"},
                 {"envelope", bytes(m.envelope), "headers of each message"},
                 {"acks", fmt::format("{:.2g}", m.acks), "bytes of acknowledgments per byte"},
                 {"burst", bytes(m.burst), "pass an idle link at once"},
                 {"burst left", bytes(m.burst_left), "of it at the start, after a barrier"},
                 {"socket", bytes(m.socket), "under way when a send ends"},
                 {"backlog", fit.backlog_measured ? bytes(m.queue) : "not measured: needs 3 ranks",
                  "of a stream in its host's queue"},
                 {"drift", show_time(m.drift / 1e6), "mean random delay before a round"},
                 {"long drift", show_time(m.drift_long / 1e6), "the drift above the eager limit"}});
  }
  return markdown({"number", "value", "meaning"}, rows);
}

std::string fit_table(const Fit& fit) {
  std::map<std::string, std::vector<double>> errors;
  for (const FitRow& r : fit.rows) errors[r.probe].push_back(std::abs(r.error()));
  std::vector<std::vector<std::string>> rows;
  for (auto& [probe, all] : errors) {
    std::sort(all.begin(), all.end());
    rows.push_back({probe, std::to_string(all.size()),
                    fmt::format("{:.1f}%", 100 * all[all.size() / 2]),
                    fmt::format("{:.1f}%", 100 * all.back())});
  }
  return markdown({"fit", "sizes", "median error", "worst"}, rows);
}

// Throws unless the stated network can be built.
void check_network(const MachineFile& network, Rank ranks) {
  topology_options(network.topology.empty() ? "crossbar" : network.topology).fabric(ranks);
}

// Fits, prints, and writes the file.
void conclude(const CalibrateCommand& command, const std::optional<CalibrationQuestion>& question,
              const ProbeTimes& times, bool several_hosts, const Provenance& provenance) {
  const Fit fitted = fit(times, several_hosts);
  MachineFile written = command.network;
  written.machine = fitted.machine;
  written.spread = spread_of_fit(fitted, times, several_hosts);
  if (command.output != "-")
    print("{}\n{}", Lines{numbers_table(fitted)}, Lines{fit_table(fitted)});
  write_file(command.output, to_toml(written, fitted, times, provenance));
  say_written(command.output);
  if (command.output == "-") return;
  std::vector<std::string> said;
  if (question) said = answer_of(*question, written);
  said.push_back(fmt::format(
      "To predict with these numbers: arlab simulate all -p 16 -s 1K..16Mx4 --network {}",
      command.output));
  print_sentences(said, true);
}

int calibrate(const CalibrateCommand& command, Job& job) {
  const Backend& backend = job.backend(command.backend);
  const bool joins = job.ranks() > 0 && backend.joins_job;
  Rank ranks = joins ? job.ranks() : 3;
  if (!command.ranks.empty())
    ranks = checked_number(parse_count(command.ranks, "-p"), "-p", 2, kMostRanks);
  if (backend.devices || backend.placement == collectives::Placement::colocated)
    fail(Blame::usage, fmt::format("backend {} keeps its messages on GPUs, which cannot be "
                                   "calibrated: use --backend {}",
                                   backend.name, backend_names([](const Backend& b) {
                                     return !b.devices &&
                                            b.placement != collectives::Placement::colocated;
                                   })));
  job.check(backend, ranks);
  if (ranks < 2)
    fail(Blame::usage, "1 rank has no network: start 2 or 3, such as mpirun -n 3 arlab calibrate");
  check_network(command.network, ranks);
  std::optional<CalibrationQuestion> question;
  if (!command.question.empty()) {
    question = parse_question(command.question, "--time for");
    check_network(command.network, question->ranks);
  }
  if (job.is_root() && command.output != "-") check_writable(command.output);
  job.run(backend, {.ranks = ranks, .patience = command.patience},
          [&](collectives::Executor& executor) {
            collectives::Communicator& control = executor.control();
            const std::vector<std::string> hosts = collectives::gather(control, host_name());
            ProbeOptions options = command.probes;
            options.several_hosts = Groups(control.machines()).count() > 1;
            if (!options.several_hosts && !command.network.topology.empty())
              fail(Blame::usage,
                   fmt::format("--network {} states a topology, but all ranks are on one machine: "
                               "leave it out, or start the ranks on several hosts",
                               command.network.topology));
            if (question)
              options.plan = planned_probes(*question, command.network, options, control);
            const ProbeTimes times = probe(control, options);
            if (control.rank() != 0) return;
            conclude(command, question, times, options.several_hosts,
                     {.date = utc_now(),
                      .version = fmt::format("{} ({})", kVersion, kCommit),
                      .backend = std::string(backend.name),
                      .library = backend.joins_job ? collectives::mpi_library() : "",
                      .command = shell_quoted(command.command),
                      .hosts = hosts});
          });
  return 0;
}

}  // namespace

void add_calibrate(CLI::App& command, Session& session) {
  command.footer(
      "Examples:\n  mpirun -n 3 --map-by node arlab calibrate -o machine.toml\n"
      "  mpirun -n 3 --map-by node arlab calibrate --network "
      "leaf_spine:leaves=2,spines=1,hosts=4,oversubscription=4\n"
      "  arlab calibrate -b threads -p 2 --time 'for=ring,rabenseifner -p 16 -s 1M'\n"
      "  arlab simulate all -p 8 -s 1M --network machine.toml\n"
      "  mpirun -n 8 arlab run all -s 4K..4M --machine machine.toml");
  const auto options = std::make_shared<CalibrateCommand>();
  command
      .add_option("-b,--backend", options->backend,
                  "Backend whose messages are measured (default: that of `arlab run`)")
      ->type_name("NAME");
  command
      .add_option("-p,--ranks", options->ranks,
                  "Ranks (default: those of the job, else 3); those beyond 3 only wait")
      ->type_name("COUNT");
  command
      .add_option("-o,--output", options->output,
                  "Machine file to write (default machine.toml); - is stdout")
      ->type_name("FILE");
  command
      .add_option("--network", options->network.topology,
                  "Networks: the topology between the hosts, which is not measured but stated "
                  "(default: one "
                  "switch), with the host of each rank: leaf_spine:placement=cyclic, random, or a "
                  "file (default block)")
      ->type_name("NETWORKS");
  using Text = const std::string&;
  add_settings(
      command, "--time",
      "Time to spend on each size of each probe (default 150ms), but at least 5 "
      "repetitions; 150ms:largest=16M: also on messages up to this size (default 4 MiB); for=ring,"
      "rabenseifner -p 16 -s 1M, the last: only what narrows the interval of this ratio",
      {{"", [options](Text text,
                      Text what) { options->probes.seconds = parse_time(text, what) / 1e12; }},
       {"largest",
        [options](Text text, Text what) {
          constexpr std::int64_t kLeast = 1 << 16, kMost = 1 << 26;
          const std::int64_t bytes = parse_count(text, what);
          if (bytes < kLeast || bytes > kMost)
            fail(Blame::usage,
                 fmt::format("{} is {}: give 64 KiB to 64 MiB", what, show_bytes(bytes)));
          options->probes.largest = bytes / 4 * 4;
        }},
       {.name = "for",
        .read =
            [options](Text text, Text what) {
              parse_question(text, what);  // or throws, early
              options->question = text;
            },
        .takes_rest = true}})
      ->type_name("TIME");
  add_timeout(command, options->patience);
  command.callback([options, &session] {
    options->command = session.command;
    session.exit_code =
        in_job([&](Job& job) { return calibrate(*options, job); }, options->patience);
  });
}

}  // namespace arlab::bench
