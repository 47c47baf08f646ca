// arlab hunt: which rank, port, link or group of a cluster is slow.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>

#include "algorithms/base/error.hpp"
#include "bench/commands/commands.hpp"
#include "bench/hunt/device_probe.hpp"
#include "bench/hunt/hunt_output.hpp"
#include "bench/hunt/ranks_probe.hpp"
#include "bench/hunt/simulated_probe.hpp"
#include "bench/hunt/watch.hpp"
#include "bench/measure/job.hpp"
#include "bench/options/network_spec.hpp"
#include "bench/results/context.hpp"
#include "bench/text/progress.hpp"
#include "bench/text/say.hpp"
#include "bench/text/units.hpp"
#include "bench/text/write_file.hpp"
#include "collectives/gpu/device.hpp"
#include "collectives/host/gatherv.hpp"

namespace arlab::bench {
namespace {

using collectives::Backend;

struct HuntCommand {
  std::string backend, ranks, json;
  std::string against;  // record of an earlier hunt; empty: none
  WatchPlan watch;
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
      : progress_(command.watch.is_on ? nullptr : command.progress),
        is_simulated_(!command.network.empty()) {
    const hunt::Plan plan = hunt::plan_of(ranks);
    say("{}: {} of pairs at once, {} times each, and up to {} of suspects\n",
        show_plural(ranks, "rank"), show_plural(plan.scan, "round"), hunt::kPasses, plan.most());
  }

  void operator()(Count done, Count known) {
    if (done == 0) start_ = Clock::now();
    if (done == 1 && !std::exchange(is_said_, true)) {
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
  bool is_said_ = false;
  Clock::time_point start_ = Clock::now();
};

HuntOutput::To outputs_of(const HuntCommand& command) {
  return {.json = command.json,
          .command = command.command,
          .is_watch = command.watch.is_on,
          .has_dates = command.network.empty()};
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
  if (model.parsed_model().has_links) hunted.topology = model.topology_text(0, hunted.ranks);
  hunted.hosts = simulated_hosts(model, hunted.ranks);
  hunted.nics = simulated_nics(model, hunted.ranks);
  hunted.record = written_record(command);
  std::optional<HuntFile> earlier = earlier_hunt(command);
  check_can_write(command.json);
  HuntOutput output(outputs_of(command), std::move(earlier));
  HuntProgress progress(command, hunted.ranks);
  const auto show = [&](Count done, Count known) { progress(done, known); };
  std::optional<StopNote> stop;
  if (command.watch.is_on) stop.emplace();
  Disturbance disturbance = command.disturbance;
  for (Count round = 1;; ++round) {
    const auto start = std::chrono::steady_clock::now();
    hunted.disturbance = disturbance.text();
    const hunt::Probe probe = simulated_probe(model, disturbance, hunted.ranks);
    hunted.bytes = hunt::fitting_bytes(probe);
    const hunt::Search found = hunt::search(probe, {.bytes = hunted.bytes, .progress = show});
    progress.end();
    output.add(hunted, found);
    if (command.watch.is_last(round) ||
        !wait_for_next(command.watch, start, true, [](double mine) { return mine; }))
      return output.end();
    ++disturbance.seed;  // other random delays each round
  }
}

// The ranks of a hunt, each with what it measures.
struct RealRanks {
  collectives::Communicator& ranks;
  hunt::Probe probe;
  std::vector<std::string> hosts;  // with the GPU, where there is one
  double crowd = 0;                // ranks per processor; 0: they compute on GPUs
};

RealRanks real_ranks(collectives::Executor& executor) {
  collectives::Communicator& ranks = executor.control();
  if (collectives::Device* const gpu = executor.device()) {
    const std::string& identity = gpu->info().identity;
    const std::string place = host_name() + (identity.empty() ? "" : " " + identity);
    return {.ranks = ranks,
            .probe = device_probe(executor, kMostDeviceBytes),
            .hosts = collectives::share_all(ranks, place)};
  }
  return {.ranks = ranks,
          .probe = ranks_probe(ranks, hunt::kMostBytes),
          .hosts = collectives::share_all(ranks, host_name()),
          .crowd = ranks_per_processor(ranks)};
}

// Hunts in all ranks together. Returns whether something is slow, alike in all of them.
bool hunt_together(const HuntCommand& command, Hunted hunted, HuntOutput* output,
                   const RealRanks& real) {
  collectives::Communicator& ranks = real.ranks;
  hunted.hosts = real.hosts;
  hunted.ranks_per_processor = real.crowd;
  hunt::SearchOptions options{.bytes = hunt::fitting_bytes(real.probe)};
  hunted.bytes = options.bytes;
  std::optional<HuntProgress> progress;
  if (output) {
    progress.emplace(command, ranks.ranks());
    options.progress = [&](Count done, Count known) { (*progress)(done, known); };
  }
  for (Count round = 1;; ++round) {
    const auto start = std::chrono::steady_clock::now();
    const hunt::Search found = hunt::search(real.probe, options);
    if (output) {
      progress->end();
      output->add(hunted, found);
    }
    if (command.watch.is_last(round) ||
        !wait_for_next(command.watch, start, output != nullptr,
                       [&](double mine) { return ranks.max(mine); }))
      break;
  }
  return ranks.max(output ? output->end() : 0) > 0;
}

int hunt_real(const HuntCommand& command, Job& job) {
  const Backend& backend = job.backend(command.backend);
  if (backend.placement == collectives::Placement::colocated)
    fail(Blame::usage,
         fmt::format("backend {} has all its ranks in one thread, which cannot time pairs of them: "
                     "use --backend {}",
                     backend.name, backend_names([](const Backend& b) {
                       return b.placement != collectives::Placement::colocated;
                     })));
  Hunted hunted{.ranks = job.default_ranks(backend)};
  if (!command.ranks.empty())
    hunted.ranks = checked_number(parse_count(command.ranks, "-p"), "-p", 1, kMostRanks);
  job.check(backend, hunted.ranks);
  std::optional<HuntOutput> output;
  if (job.is_root()) {
    output.emplace(outputs_of(command), earlier_hunt(command));
    check_can_write(command.json);
  }
  job.expect_same(shell_quoted(command.command), shell_quoted(command.command));
  hunted.backend = backend.name;
  hunted.is_on_gpus = backend.rank_per_device;
  hunted.record = written_record(command);
  std::optional<StopNote> stop;
  if (command.watch.is_on) stop.emplace();
  std::atomic<bool> is_slow = false;  // known to all ranks, whose processes end alike
  job.run(backend, {.ranks = hunted.ranks}, [&](collectives::Executor& executor) {
    const RealRanks real = real_ranks(executor);
    HuntOutput* const mine = real.ranks.rank() == 0 ? &*output : nullptr;
    if (hunt_together(command, hunted, mine, real)) is_slow = true;
  });
  return is_slow ? 1 : 0;
}

void add_hunt_options(CLI::App& command, const std::shared_ptr<HuntCommand>& options) {
  command
      .add_option("earlier", options->against,
                  "Record of an earlier hunt, written with --json: also says what changed since, "
                  "and ends with status 1 if all ranks became slower")
      ->type_name("");
  command
      .add_option("-b,--backend", options->backend,
                  "Where messages go (default: as `arlab run`); nccl: from GPU to GPU")
      ->type_name("NAME");
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
  add_watch(command, options->watch);
  command.add_option("--json", options->json, "Write the record to this file; - is stdout")
      ->type_name("FILE");
}

// Throws Error(usage) for options that simulated ranks, or real ones, do not have.
void check_used(const HuntCommand& o) {
  if (o.network.empty()) {
    if (o.disturbance.any()) fail_without_effect("--disturb", "--network");
    return;
  }
  if (!o.backend.empty())
    fail(Blame::usage, fmt::format("--backend {} has no effect with --network, which is simulated: "
                                   "leave one of them out",
                                   o.backend));
  if (o.model.topologies.size() > 1)
    fail(Blame::usage,
         fmt::format("--network {} names several networks: hunt on one at a time", o.network));
}

}  // namespace

void add_hunt(CLI::App& command, Session& session) {
  command.footer(
      "Examples:\n  mpirun -n 16 --map-by node arlab hunt --json hunt.jsonl\n"
      "  mpirun -n 16 --map-by node arlab hunt last_week.jsonl --json today.jsonl\n"
      "  mpirun -n 16 --map-by node arlab hunt --watch 600s --json watched.jsonl\n"
      "  arlab hunt -p 4\n"
      "  arlab hunt -p 16 --network leaf_spine:hosts=16,slow=h3--leaf0:2\n"
      "  arlab hunt -p 16 --network leaf_spine:hosts=4,spines=2,slow=leaf0--spine1:4\n"
      "  arlab hunt -p 8 --network fluid:topology=crossbar --disturb late=3:100us\n"
      "Names a rank (slow by itself), a port (slow with all others: its NIC or cable), a link (one "
      "pair), or a group (what lies between switches). Exit status 1: something is slow, or was "
      "in a round of --watch.");
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
