// arlab run: executes a sweep for real, beside the library's own collective. Every run is checked.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "algorithms/base/error.hpp"
#include "algorithms/base/random.hpp"
#include "algorithms/base/stop.hpp"
#include "algorithms/groups.hpp"
#include "bench/commands/commands.hpp"
#include "bench/measure/binding.hpp"
#include "bench/measure/job.hpp"
#include "bench/measure/memory_rate.hpp"
#include "bench/measure/samples_file.hpp"
#include "bench/options/rare_options.hpp"
#include "bench/results/context.hpp"
#include "bench/run/library_rows.hpp"
#include "bench/run/run_options.hpp"
#include "bench/run/run_plan.hpp"
#include "bench/run/run_record.hpp"
#include "bench/study/verdicts.hpp"
#include "bench/sweep/proofs.hpp"
#include "bench/text/write_file.hpp"
#include "collectives/backends/gpus.hpp"

namespace arlab::bench {
namespace {

using collectives::Backend;
using collectives::Executor;

// Configurations that are measured in turns: one problem and operand, all algorithms, segments and
// modes, and the native one.
struct Group {
  std::size_t position = 0;  // in the table
  std::vector<Config> configs;
};

std::vector<Group> groups_of(const std::vector<Config>& configs) {
  std::vector<Group> groups;
  for (const Config& c : configs) {
    if (groups.empty() || !compete(groups.back().configs.front(), c))
      groups.push_back({groups.size(), {}});
    groups.back().configs.push_back(c);
  }
  return groups;
}

// Shuffles within each number of ranks, which a backend sets up once.
void shuffle_sizes(std::vector<Group>& groups, const Random& random) {
  const auto ranks = [](const Group& g) { return g.configs.front().problem.ranks; };
  std::vector<Group> all;
  for (std::size_t i = 0; i < groups.size();) {
    std::vector<Group> part;
    const Rank p = ranks(groups[i]);
    for (; i < groups.size() && ranks(groups[i]) == p; ++i) part.push_back(std::move(groups[i]));
    shuffle(part, random.of(all.size()));
    for (Group& group : part) all.push_back(std::move(group));
  }
  groups = std::move(all);
}

// The native collective in each mode of the group, unless it is there.
void add_native(std::vector<Config>& group) {
  std::vector<Config> native;
  for (const Config& config : group) {
    const auto same = [&](const Config& other) {
      return !other.algorithm && other.native.empty() && !other.by_table &&
             other.mode == config.mode;
    };
    if (std::any_of(native.begin(), native.end(), same)) continue;
    if (std::any_of(group.begin(), group.end(), same)) continue;
    native.push_back(config);
    native.back().algorithm = nullptr;
    native.back().segments = 1;
    native.back().native.clear();
    native.back().by_table = false;
  }
  group.insert(group.end(), native.begin(), native.end());
}

// What rank 0 writes; null members elsewhere.
struct Written {
  std::unique_ptr<Output> output;
  std::unique_ptr<SamplesFile> samples;
};

// Of the ranks that one backend runs.
struct Ranks {
  Executor& executor;
  std::string binding;
  double memory_rate = 0;  // 0: not measured; below 0: they do not share a memory
};

// Whether the vectors of all ranks are too many bytes for a cache: memory then limits a collective.
bool fills_memory(const Config& config) {
  constexpr Bytes kBytes = Bytes{64} << 20;
  const Bytes each = config.bytes();
  return each * config.problem.ranks >= kBytes;
}

// The records of a group before it is measured, with the reason of those that are skipped. Output
// is null on other ranks than 0, which do not know what is too big.
std::vector<Record> planned_records(RunCommand& command, const Backend& backend, Executor& executor,
                                    const std::vector<Config>& configs, const Output* output) {
  std::vector<Record> records;
  for (const Config& config : configs) {
    Record& r = records.emplace_back(run_record(command, backend, executor, config));
    if (std::string why = library_refusal(config, executor); !why.empty()) r.skipped = why;
    if (!output || r.skipped || output->holds(r)) continue;
    std::string why = too_big(command.sweep, estimate(command, backend, config));
    if (!why.empty()) r.skipped = std::move(why);
  }
  return records;
}

// Which records the file holds. Those that compete were measured in turns, or they are measured
// again, since times and tests of several runs do not compare.
std::vector<char> held_records(Output& output, const std::vector<Config>& configs,
                               const std::vector<Record>& records) {
  std::vector<char> held;
  for (std::size_t i = 0; i < configs.size(); ++i) {
    held.push_back(output.holds(records[i]));
    if (!held.back() || records[i].skipped) continue;
    std::vector<Record> contest;
    for (std::size_t k = 0; k < configs.size(); ++k)
      if (configs[k].mode == configs[i].mode && !records[k].skipped) contest.push_back(records[k]);
    held.back() = output.holds_together(contest);
    if (!held.back()) output.repeat();
  }
  return held;
}

// All ranks call it. Rank 0 decides for all what is skipped.
void run_group(RunCommand& command, const Backend& backend, Ranks& ranks, Group group,
               const Written& written) {
  Executor& executor = ranks.executor;
  Output* const output = executor.control().rank() == 0 ? written.output.get() : nullptr;
  group.configs = checked_library_rows(group.configs, executor);
  if (!executor.baseline().name_of(group.configs.front().problem).empty())
    add_native(group.configs);
  std::vector<Record> all = planned_records(command, backend, executor, group.configs, output),
                      records;
  const std::vector<char> held =
      output ? held_records(*output, group.configs, all) : std::vector<char>(all.size());
  std::vector<Config> todo;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (held[i]) output->keep(all[i]);
    if (executor.control().max(held[i] || all[i].skipped ? 1 : 0) == 0) {
      todo.push_back(group.configs[i]);
      records.push_back(std::move(all[i]));
    } else if (output && !held[i]) {
      output->add(std::move(all[i]), group.position);
    }
  }
  if (todo.empty()) return;
  if (output) output->show(records.front());
  const Measurements measured = measure_all(executor, todo, command.measure);
  const bool on_host = !backend.devices && fills_memory(todo.front());
  if (on_host && ranks.memory_rate == 0) {
    const bool one = Groups(executor.control().machines()).count() == 1;
    ranks.memory_rate = one ? memory_rate(executor.control()) : -1;
  }
  if (!output) return;
  for (std::size_t i = 0; i < todo.size(); ++i) {
    const bool on_device = backend.devices && measured.of[i].traffic > 0;
    fill_record(records[i], todo[i], measured.of[i], measured,
                on_device ? collectives::gpu_copy_limit()
                : on_host ? ranks.memory_rate
                          : 0);
  }
  for (std::size_t i = 0; i < todo.size(); ++i) {
    auto& body = records[i].as<RunBody>();
    body.binding = ranks.binding;
    body.modelled_us = modelled_us(command.model, todo[i]);
  }
  compare_with_fastest(records, measured.of);
  for (std::size_t i = 0; i < todo.size(); ++i) {
    if (written.samples) written.samples->add(records[i], measured.of[i]);
    output->add(std::move(records[i]), group.position);
  }
}

std::vector<Config> planned(const RunCommand& command,
                            const std::shared_ptr<const Groups>& groups_of_job) {
  const LayoutOf known[] = {[&](Rank ranks, bool) {
    const bool fits = groups_of_job && groups_of_job->ranks() == ranks;
    return RankLayout{fits ? groups_of_job : nullptr, nullptr, nullptr};
  }};
  return in_all_modes(command, with_library_rows(command.sweep.configs(known), command.library));
}

void check_late_rank(const RunCommand& command, const std::vector<Config>& configs) {
  for (const Config& config : configs)
    if (command.measure.late_rank >= config.problem.ranks)
      fail(Blame::usage,
           fmt::format("--start late names rank {} of {}: give 0 to {}", command.measure.late_rank,
                       config.problem.ranks, config.problem.ranks - 1));
}

// A job has one number of ranks.
void check_job_ranks(const RunCommand& command, const Job& job, const Backend& backend) {
  const std::vector<Rank> ranks = command.sweep.parsed_ranks();
  if (job.placement(backend) != collectives::Placement::processes || ranks.size() < 2) return;
  const std::string wanted = fmt::format("{}", fmt::join(ranks, ", "));
  constexpr const char* kRemedy = "add --launches 1, which starts a job for each number of ranks";
  if (job.ranks() == 0)
    fail(Blame::usage,
         fmt::format("backend {} needs jobs of {} ranks: {}", backend.name, wanted, kRemedy));
  fail(Blame::usage,
       fmt::format("ranks are {}, but the MPI job has {}: leave out -p, or start arlab "
                   "without a launcher, with -b {}, and {}",
                   wanted, job.ranks(), backend.name, kRemedy));
}

void check_samples(const RunCommand& command) {
  if (command.samples.empty()) return;
  const std::pair<const char*, const std::string&> others[] = {{"--json", command.sweep.json},
                                                               {"--csv", command.sweep.csv},
                                                               {"--output", command.sweep.output}};
  for (const auto& [option, path] : others)
    if (!path.empty() && same_file(path, command.samples))
      fail(Blame::usage, fmt::format("--raw and {} are both {}: name a file for each", option,
                                     path == "-" ? "stdout" : path));
}

Written files_of(RunCommand& command, const Backend& backend, std::size_t steps) {
  if (backend.devices) command.sweep.machine = std::make_shared<Json>(device_context());
  Written written{std::make_unique<Output>(command.sweep, steps), nullptr};
  if (!command.samples.empty()) written.samples = std::make_unique<SamplesFile>(command.samples);
  return written;
}

// Throws what all ranks of a job throw alike.
std::vector<Config> checked_plan(const RunCommand& command, const Job& job, const Backend& backend,
                                 const std::shared_ptr<const Groups>& groups_of_job) {
  command.model.check_machine();
  std::vector<Config> configs = planned(command, groups_of_job);
  check_late_rank(command, configs);
  check_job_ranks(command, job, backend);
  check_samples(command);
  if (command.sweep.plan) return configs;
  Proofs proofs;
  for (const Config& config : configs)  // one that waits for ever would hang
    if (const std::string& why = proofs.refuted(config); !why.empty()) fail(Blame::check, why);
  for (const Config& config : configs) job.check(backend, config.problem.ranks);
  return configs;
}

int run(RunCommand& command, Job& job) {
  MeasureOptions& how = command.measure;
  if (how.precision > 0 && how.min_runs < how.max_runs) how.max_runs = 1'000'000;
  how.stoppable = command.sweep.caller != nullptr;
  if (job.ranks() > 0) {
    const std::string job_words[] = {"mpirun", "-n", std::to_string(job.ranks())};
    command.sweep.command.insert(command.sweep.command.begin(), std::begin(job_words),
                                 std::end(job_words));
  }
  const Backend* chosen = nullptr;
  std::vector<Config> configs;
  const std::shared_ptr<const Groups> groups_of_job = job.groups();
  const auto plan = [&] {
    chosen = &job.backend(command.backend);
    command.sweep.take_defaults(std::to_string(job.default_ranks(*chosen)));
    configs = checked_plan(command, job, *chosen, groups_of_job);
    return agreement(command, *chosen, configs);
  };
  job.agree(plan, shell_quoted(command.sweep.command));
  const Backend& backend = *chosen;
  if (job.is_root()) check_outputs(command.sweep);
  if (command.sweep.plan) {
    if (job.is_root()) print_plan(command, backend, configs);
    return 0;
  }
  if (job.is_root()) check_table(command.sweep, RunBody::kKind);
  std::vector<Group> groups = groups_of(configs);
  if (command.measure.seed) shuffle_sizes(groups, Random(*command.measure.seed));
  const auto ranks_of = [&](std::size_t i) { return groups[i].configs.front().problem.ranks; };
  Written written;
  if (job.is_root()) written = files_of(command, backend, configs.size() + groups.size());
  // A backend sets up a number of ranks once, for all groups of that number.
  const auto run_from = [&](std::size_t i, std::size_t& next) {
    const Rank ranks = ranks_of(i);
    for (next = i; next < groups.size() && ranks_of(next) == ranks;) ++next;
    job.run(backend, {.ranks = ranks, .patience = command.patience}, [&](Executor& executor) {
      bind_rank(executor, command.processors);
      Ranks all{executor, binding_of_all(executor)};
      for (std::size_t k = i; k < next; ++k) run_group(command, backend, all, groups[k], written);
    });
  };
  const auto finish = [&] { return written.output->finish(decide_verdicts); };
  std::size_t i = 0;
  try {
    for (std::size_t next = 0; i < groups.size(); i = next) {
      stop_if_asked();
      run_from(i, next);
    }
  } catch (...) {
    if (written.output && !written.output->empty()) finish();  // what is measured is kept
    throw;
  }
  return written.output ? finish() : 0;
}

}  // namespace

void add_run(CLI::App& command, Session& session) {
  command.footer(
      "Examples:\n  arlab run all -p 4 -s 1K..1M\n  mpirun -n 4 arlab run all -s 1K..4M --json "
      "results.jsonl\n  arlab run ring,butterfly -p 4 -s 4K -b mpi --launches 10 --json "
      "launches.jsonl\n  arlab run ring -p 4 -s 1M --buffers in-place,out-of-place --mode "
      "alone,streaming --time 5s:precision=2%");
  const auto options = std::make_shared<RunCommand>();
  options->sweep.add_axes(command, true);
  add_run_options(command, *options);
  options->sweep.add_outputs(command);
  make_rare(command, {"--limit", "--layout"});
  command.callback([options, &session] {
    SweepOptions& o = options->sweep;
    o.command = session.command;
    o.caller = session.caller;
    o.progress = session.progress;
    if (o.elements.empty() && o.sizes.empty()) o.sizes = {"1K..1Mx32"};
    if (options->launches.launches > 0) {
      o.take_defaults("4");
      options->launches.words = session.words;
      session.exit_code = run_in_launches(options->launches, o, options->backend, options->samples);
      return;
    }
    if (!options->launches.launcher.empty())
      fail(Blame::usage, "--launches has a launcher, but no number: write 10:launcher=...");
    options->library = take_library_names(o);
    if (!options->library.native.empty() || !options->library.tables.empty())
      collectives::prepare_library_algorithms();
    session.exit_code = in_job([&](Job& job) { return run(*options, job); }, options->patience,
                               session.caller != nullptr);
  });
}

}  // namespace arlab::bench
