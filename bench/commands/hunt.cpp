// arlab hunt: which rank, port, link or group of a cluster is slow.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>

#include "algorithms/base/error.hpp"
#include "bench/commands/commands.hpp"
#include "bench/hunt/hunt_changes.hpp"
#include "bench/hunt/hunt_report.hpp"
#include "bench/hunt/ranks_probe.hpp"
#include "bench/hunt/simulated_probe.hpp"
#include "bench/measure/job.hpp"
#include "bench/options/network_spec.hpp"
#include "bench/results/context.hpp"
#include "bench/results/result_file.hpp"
#include "bench/text/progress.hpp"
#include "bench/text/say.hpp"
#include "bench/text/units.hpp"
#include "bench/text/write_file.hpp"
#include "collectives/host/gatherv.hpp"

namespace arlab::bench {
namespace {

using collectives::Backend;

struct HuntCommand {
  std::string ranks, json;
  std::string against;  // record of an earlier hunt; empty: none
  std::string network;  // as given; empty: real ranks
  ModelOptions model;
  Disturbance disturbance;
  std::vector<std::string> command;
  std::shared_ptr<Progress> progress;
};

// Says how long it will take, as soon as the first round is measured.
class HuntProgress {
 public:
  HuntProgress(const HuntCommand& command, Rank ranks)
      : progress_(command.progress), is_simulated_(!command.network.empty()) {
    const hunt::Plan plan = hunt::plan_of(ranks);
    say("{}: {} of pairs at once, {} times each, and up to {} of suspects\n",
        show_plural(ranks, "rank"), show_plural(plan.scan, "round"), hunt::kPasses,
        plan.most_tests);
  }

  void operator()(Count done, Count known) {
    if (done == 0) start_ = Clock::now();
    if (done == 1) {
      const double seconds = std::chrono::duration<double>(Clock::now() - start_).count();
      if (const double all = seconds * static_cast<double>(known); all >= 1 && !is_simulated_)
        say("about {:.0f} s\n", all);
      if (progress_) progress_->begin(static_cast<std::size_t>(known));
    }
    if (progress_) progress_->show(static_cast<std::size_t>(done), "rounds of pairs");
  }

  void end() {
    if (progress_) progress_->clear();
  }

 private:
  using Clock = std::chrono::steady_clock;
  std::shared_ptr<Progress> progress_;
  bool is_simulated_;  // then what is the same is simulated once
  Clock::time_point start_ = Clock::now();
};

// What is written and printed, and whether something is slow, or all became slower.
struct Conclusion {
  Json record;
  std::string text;
  bool is_slow = false;
};

Conclusion conclusion(const std::optional<HuntFile>& earlier, const Hunted& hunted,
                      const hunt::Search& found) {
  Conclusion its{.record = hunt_record(hunted, found),
                 .text = hunt_text(hunted, found),
                 .is_slow = found.verdict == hunt::Verdict::slow};
  if (!earlier) return its;
  const HuntChanges changes = hunt_changes(*earlier, its.record);
  its.record["against"] = changes_json(changes, *earlier);
  its.text += "\n" + changes_text(changes, *earlier);
  its.is_slow = its.is_slow || changes.is_slower();
  return its;
}

void conclude(const HuntCommand& command, const Conclusion& its) {
  if (!command.json.empty()) {
    ResultFile file(command.json, ResultFile::Mode::fresh, context(command.command));
    file.add(its.record);
  }
  if (command.json != "-") print("{}", Lines{its.text});
}

std::optional<HuntFile> earlier_hunt(const HuntCommand& command) {
  if (command.against.empty()) return {};
  return read_hunt(command.against);
}

std::string written_record(const HuntCommand& command) {
  return command.json == "-" ? "" : command.json;
}

int hunt_simulated(const HuntCommand& command) {
  constexpr Rank kMostSimulated = 1 << 14;
  const ModelOptions& model = command.model;
  model.check_effects();
  command.disturbance.check();
  Hunted hunted{.ranks = 16, .network = command.network};
  if (!command.ranks.empty())
    hunted.ranks = checked_number(parse_count(command.ranks, "-p"), "-p", 1, kMostSimulated);
  hunted.disturbance = command.disturbance.text();
  if (model.parsed_model().has_links) hunted.topology = model.topology_text(0, hunted.ranks);
  hunted.hosts = simulated_hosts(model, hunted.ranks);
  hunted.record = written_record(command);
  const std::optional<HuntFile> earlier = earlier_hunt(command);
  check_can_write(command.json);
  const hunt::Probe probe = simulated_probe(model, command.disturbance, hunted.ranks);
  hunted.bytes = hunt::fitting_bytes(probe);
  HuntProgress progress(command, hunted.ranks);
  const hunt::Search found = hunt::search(
      probe,
      {.bytes = hunted.bytes, .progress = [&](Count done, Count known) { progress(done, known); }});
  progress.end();
  const Conclusion its = conclusion(earlier, hunted, found);
  conclude(command, its);
  return its.is_slow ? 1 : 0;
}

int hunt_real(const HuntCommand& command, Job& job) {
  const Backend& backend = job.backend("");
  Hunted hunted{.ranks = job.default_ranks(backend)};
  if (!command.ranks.empty())
    hunted.ranks = checked_number(parse_count(command.ranks, "-p"), "-p", 1, kMostRanks);
  job.check(backend, hunted.ranks);
  std::optional<HuntFile> earlier;
  if (job.is_root()) {
    earlier = earlier_hunt(command);
    check_can_write(command.json);
  }
  job.expect_same(shell_quoted(command.command), shell_quoted(command.command));
  hunted.backend = backend.name;
  hunted.record = written_record(command);
  std::optional<Conclusion> result;
  std::atomic<bool> is_slow = false;  // known to all ranks, whose processes end alike
  job.run(backend, {.ranks = hunted.ranks}, [&](collectives::Executor& executor) {
    collectives::Communicator& ranks = executor.control();
    std::vector<std::string> hosts = collectives::share_all(ranks, host_name());
    const double crowd = ranks_per_processor(ranks);
    const hunt::Probe probe = ranks_probe(ranks, hunt::kMostBytes);
    hunt::SearchOptions options{.bytes = hunt::fitting_bytes(probe)};
    std::optional<HuntProgress> progress;
    if (ranks.rank() == 0) {
      progress.emplace(command, ranks.ranks());
      options.progress = [&](Count done, Count known) { (*progress)(done, known); };
    }
    const hunt::Search found = hunt::search(probe, options);
    if (ranks.rank() == 0) {
      progress->end();
      hunted.bytes = options.bytes;
      hunted.hosts = std::move(hosts);
      hunted.ranks_per_processor = crowd;
      result = conclusion(earlier, hunted, found);
    }
    const bool mine = ranks.rank() == 0 && result->is_slow;
    if (!collectives::share_all(ranks, mine ? "slow" : "").front().empty()) is_slow = true;
  });
  if (result) conclude(command, *result);
  return is_slow ? 1 : 0;
}

void add_hunt_options(CLI::App& command, const std::shared_ptr<HuntCommand>& options) {
  command
      .add_option("earlier", options->against,
                  "Record of an earlier hunt, written with --json: also says what changed since, "
                  "and ends with status 1 if all ranks became slower")
      ->type_name("");
  command
      .add_option("-p,--ranks", options->ranks,
                  "Ranks (default: those of the job, else 4; simulated 16)")
      ->type_name("COUNT");
  command
      .add_option_function<std::vector<std::string>>(
          "--network",
          [options](const std::vector<std::string>& lists) {
            options->network = fmt::format("{}", fmt::join(lists, ","));
            use_networks(options->model, lists);
          },
          network_help("none (real ranks)"))
      ->type_name("NETWORKS")
      ->allow_extra_args(false)
      ->take_all();
  options->disturbance.add(command);
  command.add_option("--json", options->json, "Write the record to this file; - is stdout")
      ->type_name("FILE");
}

// Throws Error(usage) for options that simulated ranks, or real ones, do not have.
void check_used(const HuntCommand& o) {
  if (o.network.empty()) {
    if (o.disturbance.any()) fail_without_effect("--disturb", "--network");
    return;
  }
  if (o.model.topologies.size() > 1)
    fail(Blame::usage,
         fmt::format("--network {} names several networks: hunt on one at a time", o.network));
}

}  // namespace

void add_hunt(CLI::App& command, Session& session) {
  command.footer(
      "Examples:\n  mpirun -n 16 --map-by node arlab hunt --json hunt.jsonl\n"
      "  mpirun -n 16 --map-by node arlab hunt last_week.jsonl --json today.jsonl\n"
      "  arlab hunt -p 4\n"
      "  arlab hunt -p 16 --network leaf_spine:hosts=16,slow=h3--leaf0:2\n"
      "  arlab hunt -p 16 --network leaf_spine:hosts=4,spines=2,slow=leaf0--spine1:4\n"
      "  arlab hunt -p 8 --network fluid:topology=crossbar --disturb late=3:100us\n"
      "Names a rank (slow by itself), a port (slow with all others: its NIC or cable), a link (one "
      "pair), or a group (what lies between switches). Exit status 1: something is slow.");
  const auto options = std::make_shared<HuntCommand>();
  add_hunt_options(command, options);
  command.callback([options, &session] {
    options->command = session.command;
    options->progress = session.progress;
    check_used(*options);
    session.exit_code = options->network.empty()
                            ? in_job([&](Job& job) { return hunt_real(*options, job); })
                            : hunt_simulated(*options);
  });
}

}  // namespace arlab::bench
