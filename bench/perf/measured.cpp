#include "bench/perf/measured.hpp"

#include <unistd.h>

#include <cmath>
#include <map>
#include <thread>
#include <utility>

#include "algorithms/base/error.hpp"
#include "bench/options/options.hpp"
#include "bench/results/context.hpp"
#include "bench/text/say.hpp"
#include "collectives/backends/gpus.hpp"
#include "collectives/host/checked_runner.hpp"
#include "collectives/host/gatherv.hpp"

namespace arlab::bench {
namespace {

using collectives::CheckedRun;
using collectives::Executor;
using collectives::RunRequest;

// Every rank's line: its process, host and device.
std::vector<PerfDevice> devices_of(Executor& executor, const collectives::Backend& backend) {
  collectives::Communicator& control = executor.control();
  const std::string info = backend.devices ? collectives::gpu_names()
                                           : std::to_string(std::thread::hardware_concurrency()) +
                                                 " CPU cores (no NVIDIA GPU)";
  const std::vector<std::string> hosts = collectives::gather(control, host_name());
  const std::vector<std::string> pids = collectives::gather(control, std::to_string(getpid()));
  std::vector<PerfDevice> all;
  const Rank here = executor.ranks_here();
  for (std::size_t i = 0; i < hosts.size(); ++i)
    for (Rank k = 0; k < here; ++k) {
      const auto rank = static_cast<Rank>(all.size());
      all.push_back({.rank = rank,
                     .pid = std::stoi(pids[i]),
                     .host = hosts[i],
                     .device = rank,
                     .info = info});
    }
  return all;
}

class PerfRun {
 public:
  PerfRun(const PerfOptions& options, Executor& executor)
      : options_(options), executor_(executor), runner_(executor), control_(executor.control()) {
    const Collective collective = options.program.collective;
    const std::string native = executor.baseline().name_of(
        {.collective = collective, .ranks = control_.ranks(), .elements = control_.ranks()});
    std::string chosen = options.algorithm;
    if (chosen.empty()) chosen = native.empty() ? default_algorithm(collective) : "native";
    if (chosen == "native" && native.empty())
      fail(Blame::usage, "this backend has no " + std::string(name(collective)) +
                             " of its own: name an algorithm with --algorithm");
    if (chosen != "native") algorithm_ = &find_algorithm(chosen);
    what_ = algorithm_ ? chosen : native;
  }

  static std::string default_algorithm(Collective collective) {
    return collective == Collective::reduce || collective == Collective::broadcast ? "tree"
                                                                                   : "ring";
  }
  const std::string& what() const { return what_; }

  bool takes(const Problem& problem, collectives::Operand operand) {
    if (algorithm_ || !problem.reduces()) return true;
    const auto [known, is_new] = takes_.try_emplace({operand.dtype, operand.op});
    if (is_new) known->second = library_takes(options_, executor_, operand);
    return known->second;
  }

  PerfRow row(const PerfShape& shape, const Problem& problem, collectives::Operand operand) {
    if (algorithm_)
      if (const std::string why = unsupported(*algorithm_, problem); !why.empty())
        fail(Blame::usage, why);
    runner_.load_input(problem, operand);
    PerfRow row = perf_row(options_, shape, problem, operand);
    const std::size_t element = size_of(operand.dtype);
    for (const bool in_place : {false, true}) {
      const auto [us, wrong] = time(in_place);
      (in_place ? row.in_place : row.out_of_place) =
          perf_time(problem.collective, shape, element, problem.ranks, us, wrong);
    }
    return row;
  }

 private:
  struct Timed {
    double us = 0;
    Count wrong = 0;
  };

  // As many samples as options ask for; every one is checked.
  Timed time(bool in_place) {
    RunRequest request{.algorithm = algorithm_};
    request.mode.in_place = in_place;
    for (int k = 0; k < options_.warm_ups; ++k) runner_.run(request);
    request.mode.repeats = options_.streamed();
    Timed all;
    for (int k = 0; k < options_.samples(); ++k) {
      const CheckedRun run = runner_.run(request);
      all.us += over_ranks(run, request.mode.repeats) / options_.samples();
      all.wrong += run.wrong;
    }
    all.wrong = control_.sum(all.wrong);
    return all;
  }

  // Of rank 0, the mean, the least, or the most; where ranks have no times of their own, the time.
  double over_ranks(const CheckedRun& run, int repeats) {
    if (!run.interval) return run.us;
    const double mine = 1e6 * (run.interval->leave - run.interval->enter) / repeats;
    switch (options_.average) {
      case 0:
        return control_.max(control_.rank() == 0 ? mine : 0);
      case 1:  // in picoseconds
        return static_cast<double>(control_.sum(std::llround(1e6 * mine))) / 1e6 / control_.ranks();
      case 2:
        return -control_.max(-mine);
      default:
        return run.us;
    }
  }

  const PerfOptions& options_;
  Executor& executor_;
  collectives::CheckedRunner runner_;
  collectives::Communicator& control_;
  const Algorithm* algorithm_ = nullptr;  // null: the library's own
  std::string what_;
  std::map<std::pair<collectives::DType, collectives::Op>, bool> takes_;
};

}  // namespace

bool library_takes(const PerfOptions& options, Executor& executor, collectives::Operand operand) {
  const std::string why = executor.baseline().unsupported("", operand);
  if (why.empty()) return true;
  if (options.dtype != "all") fail(Blame::environment, why);
  if (executor.control().rank() == 0)
    say("note: {} {} is left out: {}\n", perf_name(operand.dtype), name(operand.op), why);
  return false;
}

void for_all_perf_rows(
    const PerfOptions& options, Rank ranks,
    const std::function<void(const PerfShape&, const Problem&, collectives::Operand)>& use) {
  const Collective collective = options.program.collective;
  for (const collectives::DType dtype : options.dtypes())
    for (const collectives::Op op : options.ops())
      for (const Rank root : options.roots(ranks))
        for (const std::int64_t bytes : options.sizes()) {
          const PerfShape shape = perf_shape(collective, bytes, size_of(dtype), ranks);
          use(shape,
              {.collective = collective, .ranks = ranks, .elements = shape.elements, .root = root},
              {dtype, op});
        }
}

PerfRow perf_row(const PerfOptions& options, const PerfShape& shape, const Problem& problem,
                 collectives::Operand operand) {
  return {.shape = shape,
          .type = perf_name(operand.dtype),
          .op = options.program.has_op ? std::string(name(operand.op)) : "none",
          .root = options.program.has_root ? problem.root : -1,
          .out_of_place = {},
          .in_place = {}};
}

void measure_perf(const PerfOptions& options, Job& job, const PerfSink& sink) {
  const collectives::Backend& backend = job.backend(options.backend);
  const Rank here = options.ranks();
  const bool processes = job.placement(backend) == collectives::Placement::processes;
  if (processes && here > 1)
    fail(Blame::usage, "each process is one rank: leave out -t and -g, and start more processes");
  const Rank ranks = processes ? job.ranks() : here;
  collectives::RunOptions run{.ranks = ranks};
  if (options.timeout > 0) run.patience.seconds = options.timeout;
  job.run(backend, run,
          [&](Executor& executor) { measure_perf(options, executor, backend, ranks, sink); });
}

void measure_perf(const PerfOptions& options, Executor& executor,
                  const collectives::Backend& backend, Rank ranks, const PerfSink& sink) {
  const bool root = executor.control().rank() == 0;
  PerfRun perf(options, executor);
  const std::vector<PerfDevice> devices = devices_of(executor, backend);
  if (root) sink.devices(devices, perf.what() + " on " + std::string(backend.name));
  for_all_perf_rows(
      options, ranks,
      [&](const PerfShape& shape, const Problem& problem, collectives::Operand operand) {
        if (!perf.takes(problem, operand)) return;
        const PerfRow row = perf.row(shape, problem, operand);
        if (root) sink.row(row);
      });
}

}  // namespace arlab::bench
