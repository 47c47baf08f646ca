// arlab run: executes a sweep for real, beside the library's own collective. Every run is checked.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "algorithms/base/error.hpp"
#include "bench/cli/units.hpp"
#include "bench/commands/commands.hpp"
#include "bench/commands/run_plan.hpp"
#include "bench/measure/job.hpp"
#include "bench/measure/timeout.hpp"
#include "bench/results/context.hpp"
#include "bench/sweep/proofs.hpp"
#include "collectives/backends/gpus.hpp"

namespace arlab::bench {
namespace {

using collectives::Backend;
using collectives::Executor;

// Configurations that are measured in turns: one problem and operand, all algorithms and segments,
// and the native one.
using Group = std::vector<Config>;

std::vector<Group> groups_of(const std::vector<Config>& configs) {
  std::vector<Group> groups;
  for (const Config& c : configs) {
    const auto same = [&](const Config& first) {
      return first.problem.ranks == c.problem.ranks &&
             first.problem.elements == c.problem.elements && first.problem.root == c.problem.root &&
             first.operand.dtype == c.operand.dtype && first.operand.op == c.operand.op;
    };
    if (groups.empty() || !same(groups.back().front())) groups.emplace_back();
    groups.back().push_back(c);
  }
  return groups;
}

// The backend's name, with how its messages reach device memory where it has several ways.
std::string recorded_name(const Backend& backend, const Executor& executor) {
  const std::string how = executor.transport();
  return how.empty() ? std::string(backend.name) : fmt::format("{} ({})", backend.name, how);
}

Record run_record(const Backend& backend, const Executor& executor, const Config& config) {
  Record r = record_of(RunBody{.backend = recorded_name(backend, executor)}, config);
  if (config.algorithm) return r;
  r.algorithm = r.label = executor.native_name_for(config.problem);
  r.color = "#000000";
  r.family = "native";
  return r;
}

// Context keys of the GPUs, where vectors lie on them.
Json device_context() {
  const std::string links = collectives::gpu_links(), nccl = collectives::nccl_version_or_none();
  return {{"gpu", fmt::format("{} ({})", collectives::gpu_names(),
                              collectives::gpu_infos().front().details)},
          {"gpu_links", links.empty() ? Json(nullptr) : Json(links)},
          {"copy_limit_gbps", collectives::gpu_copy_limit()},
          {"cuda", collectives::cuda_versions()},
          {"nccl", nccl.empty() ? Json(nullptr) : Json(nccl)}};
}

// Fills in the measurement. `limit`: rate at which a GPU copies its own memory, in GB/s.
void fill_record(Record& r, const Config& config, const Measurement& m, const Executor& executor,
                 double limit) {
  auto& body = r.as<RunBody>();
  body.time_us = m.time_us;
  r.wrong = m.wrong;
  if (!r.claimed) {
    const bool known = config.problem.collective == Collective::allreduce;
    if (const std::string chosen = known ? executor.native_choice(r.bytes()) : ""; !chosen.empty())
      body.native_choice = chosen;
    return;
  }
  r.sent = m.sent;
  r.claimed->rounds = most_rounds(*config.algorithm, config.problem, config.segments);
  if (m.traffic > 0 && m.time_us.median > 0)
    body.copy_limit_fraction = m.traffic / m.time_us.median / 1e3 / limit;
}

// All ranks call it. `output` is null except on rank 0, which decides for all what is skipped.
void run_group(RunCommand& command, const Backend& backend, Executor& executor, Group group,
               Output* output) {
  if (!executor.native_name_for(group.front().problem).empty()) {
    Config native = group.front();
    native.algorithm = nullptr;
    group.push_back(native);
  }
  std::vector<Record> records;
  Group todo;
  for (const Config& config : group) {
    Record r = run_record(backend, executor, config);
    bool skip = r.skipped.has_value();
    if (output && output->has(r)) {
      skip = true;
    } else if (output && !skip) {
      const std::string why = too_big(command.sweep, estimate(command, backend, config));
      if (!why.empty()) r.skipped = why, skip = true;
    }
    if (executor.control().max(skip ? 1 : 0) == 0) {
      todo.push_back(config);
      records.push_back(std::move(r));
    } else if (output && r.skipped) {
      output->add(std::move(r));
    }
  }
  if (todo.empty()) return;
  if (output) output->show(records.front());
  const std::vector<Measurement> measured = measure(executor, todo, command.measure);
  if (!output) return;
  for (std::size_t i = 0; i < todo.size(); ++i) {
    fill_record(records[i], todo[i], measured[i], executor,
                measured[i].traffic > 0 ? collectives::gpu_copy_limit() : 0);
    output->add(std::move(records[i]));
  }
}

int run(RunCommand& command, Job& job) {
  const Backend& backend = job.backend(command.backend);
  if (command.sweep.ranks.empty())
    command.sweep.ranks = {std::to_string(job.default_ranks(backend))};
  if (job.ranks() > 0) {
    const std::string job_words[] = {"mpirun", "-n", std::to_string(job.ranks())};
    command.sweep.command.insert(command.sweep.command.begin(), std::begin(job_words),
                                 std::end(job_words));
  }
  const auto groups_of_job = job.groups();
  const LayoutOf known[] = {[&](Rank ranks, bool) {
    const bool fits = groups_of_job && groups_of_job->ranks() == ranks;
    return RankLayout{fits ? groups_of_job : nullptr, nullptr, nullptr};
  }};
  const std::vector<Config> configs = command.sweep.configs(known);
  job.expect_same(agreement(command, backend, configs), shell_quoted(command.sweep.command));
  if (job.is_root()) check_outputs(command.sweep);
  if (command.sweep.plan) {
    if (job.is_root()) print_plan(command, backend, configs);
    return 0;
  }
  Proofs proofs;
  for (const Config& config : configs)  // one that waits for ever would hang
    if (const std::string& why = proofs.refuted(config); !why.empty()) fail(Blame::check, why);
  const std::vector<Group> groups = groups_of(configs);
  for (const Group& group : groups) job.check(backend, group.front().problem.ranks);
  std::unique_ptr<Output> output;
  if (job.is_root() && backend.devices)
    command.sweep.machine = std::make_shared<Json>(device_context());
  if (job.is_root())
    output = std::make_unique<Output>(command.sweep, configs.size() + groups.size());
  // A backend sets up a number of ranks once, for all groups of that number.
  const auto run_from = [&](std::size_t i, std::size_t& next) {
    const Rank ranks = groups[i].front().problem.ranks;
    for (next = i; next < groups.size() && groups[next].front().problem.ranks == ranks;) ++next;
    job.run(backend, {.ranks = ranks, .patience = command.patience}, [&](Executor& executor) {
      for (std::size_t k = i; k < next; ++k)
        run_group(command, backend, executor, groups[k],
                  executor.control().rank() == 0 ? output.get() : nullptr);
    });
  };
  std::size_t i = 0;
  try {
    for (std::size_t next = 0; i < groups.size(); i = next) run_from(i, next);
  } catch (...) {
    if (output && i > 0) output->finish();  // what is measured is kept
    throw;
  }
  return output ? output->finish() : 0;
}

}  // namespace

void add_run(CLI::App& app, Session& session) {
  CLI::App* command =
      app.add_subcommand("run", "Run algorithms for real, checked, beside the library's own");
  command->footer(
      "Examples:\n  arlab run all -p 4 -s 1K..1M\n  mpirun -n 4 arlab run all -s 1K..4M --json "
      "results.jsonl\n"
      "  arlab run ring,butterfly -p 2,4,8 -n 1000003 -t float16 --op max");
  const auto options = std::make_shared<RunCommand>();
  options->sweep.add_axes(*command, true);
  command
      ->add_option("-b,--backend", options->backend,
                   fmt::format("{}; default {}, under mpirun and srun {}",
                               backend_names([](const Backend&) { return true; }),
                               backend_names([](const Backend& b) { return b.default_alone; }),
                               backend_names([](const Backend& b) { return b.default_in_job; })))
      ->type_name("NAME");
  command
      ->add_option_function<std::string>(
          "--time",
          [options](const std::string& text) {
            options->measure.seconds = parse_time(text, "--time") / 1e12;
          },
          "Time to spend on each configuration: 200ms (default), 1s, 0 (a few runs)")
      ->type_name("TIME");
  const auto number = [&](const char* names, const char* help, std::int64_t least, auto use) {
    constexpr std::int64_t kMost = 1'000'000;
    command
        ->add_option_function<std::string>(
            names,
            [=](const std::string& text) {
              const std::int64_t n = parse_count(text, names);
              if (n < least || n > kMost)
                fail(Blame::usage, fmt::format("{} is {}: give {} to {}", names, n, least, kMost));
              use(static_cast<int>(n));
            },
            help)
        ->type_name("NUMBER");
  };
  number("--runs", "Timed runs of each configuration, instead of a time", 1,
         [options](int n) { options->measure.min_runs = options->measure.max_runs = n; });
  number("--warmup", "Runs before those that are timed (default 1)", 0,
         [options](int n) { options->measure.warm_ups = n; });
  add_timeout(*command, options->patience);
  options->sweep.add_outputs(*command);
  command->callback([options, &session] {
    SweepOptions& o = options->sweep;
    o.command = session.command;
    o.progress = session.progress;
    if (o.elements.empty() && o.sizes.empty()) o.sizes = {"1K..1Mx32"};
    session.exit_code = in_job([&](Job& job) { return run(*options, job); }, options->patience);
  });
}

}  // namespace arlab::bench
