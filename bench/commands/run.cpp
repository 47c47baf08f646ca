// arlab run: the same sweep for real, beside the library's own allreduce, every run checked.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>

#include "bench/cli/units.hpp"
#include "bench/commands/commands.hpp"
#include "bench/measure/device_target.hpp"
#include "bench/measure/gpu.hpp"
#include "bench/measure/job.hpp"
#include "bench/measure/measure.hpp"
#include "bench/results/sweep.hpp"

namespace arlab::bench {
namespace {

struct RunVerb {
  SweepOptions sweep;
  MeasureOptions measure;
  std::string backend;
};

// Configurations that are measured in turns: one problem, all algorithms, and the native one.
using Group = std::vector<Config>;

std::vector<Group> groups_of(const std::vector<Config>& configs) {
  std::vector<Group> groups;
  for (const Config& c : configs) {
    const bool fresh = groups.empty() || groups.back().front().problem.ranks != c.problem.ranks ||
                       groups.back().front().problem.elements != c.problem.elements;
    if (fresh) groups.emplace_back();
    groups.back().push_back(c);
  }
  return groups;
}

bool on_gpus(const RunVerb& command) {
  return command.backend == "nccl" || command.backend.find("cuda") != std::string::npos;
}

bool is_virtual(const RunVerb& command) { return command.backend.starts_with("cuda"); }

bool has_native(const BenchmarkTarget& subject, const Config& config) {
  return config.problem.collective == Collective::allreduce && !subject.native_name().empty();
}

Record run_record(const std::string& backend, const BenchmarkTarget& subject,
                  const Config& config) {
  Record r = record_of("run", config);
  r.backend = backend;
  if (config.algorithm) return r;
  r.algorithm = r.label = subject.native_name();
  r.color = "#000000";
  r.family = "native";
  return r;
}

// On GPUs: the vectors there, and one at a time on the host.
Estimate estimate_on_gpus(const RunVerb& command, const Config& config) {
  const Problem& p = config.problem;
  double there = 0;
  for (const auto& gpu : gpus()) there += static_cast<double>(gpu->info().memory);
  const double needed = device_bytes(p, config.operand) * p.ranks;
  Estimate e{.memory = device_bytes(p, config.operand) / 3, .seconds = 1.3 * command.measure.seconds};
  if (config.algorithm && unsupported(*config.algorithm, p).empty())
    e.messages = static_cast<double>(claimed(*config.algorithm, p, config.segments).messages);
  if (is_virtual(command) && needed > 0.9 * there)
    e.impossible =
        fmt::format("would take about {} of the GPUs' {}: use fewer ranks or a smaller size",
                    show_bytes(static_cast<Bytes>(needed)), show_bytes(static_cast<Bytes>(there)));
  return e;
}

// The vector and its input on every rank of this machine, and what waits to be added.
Estimate estimate(const RunVerb& command, const Config& config) {
  const Problem& p = config.problem;
  if (on_gpus(command) && why_no_gpu().empty()) return estimate_on_gpus(command, config);
  Count vectors = 2 * p.elements;
  Cost cost_model;
  if (config.algorithm && unsupported(*config.algorithm, p).empty()) {
    cost_model = claimed(*config.algorithm, p, config.segments);
    if (cost_model.messages < Count{1'000'000'000'000})
      vectors += std::max(largest_round(config, p.root).reduced_elements,
                          largest_round(config, p.ranks - 1).reduced_elements);
  }
  return {.messages = static_cast<double>(cost_model.messages),
          .memory = static_cast<double>(vectors) *
                    static_cast<double>(collectives::size_of(config.operand.dtype)) * p.ranks,
          .seconds = 1.3 * command.measure.seconds};
}

int plan(const RunVerb& command, const std::vector<Config>& configs) {
  std::vector<Record> records;
  std::vector<Estimate> estimates;
  for (const Config& c : configs) {
    records.push_back(record_of("run", c));
    estimates.push_back(estimate(command, c));
    if (!records.back().skipped)
      if (const std::string why = too_big(command.sweep, estimates.back()); !why.empty())
        records.back().skipped = why;
  }
  print_plan(records, estimates);
  return 0;
}

// Fills in what was measured. `limit`: what a copy does to a GPU's memory, in GB/s.
void enter(Record& r, const Measurement& m, const BenchmarkTarget& subject, double limit) {
  r.time_us = m.time_us;
  r.wrong = m.wrong;
  if (!r.claimed) {
    if (const std::string chosen = subject.native_choice(r.bytes()); !chosen.empty())
      r.chosen = chosen;
    return;
  }
  r.sent = m.sent;
  if (m.traffic > 0 && m.time_us.median > 0)
    r.of_copy_limit = m.traffic / m.time_us.median / 1e3 / limit;
}

// All ranks run this. `output` is rank 0's, null elsewhere; rank 0 decides for all what is left
// out.
void run_group(const RunVerb& command, const std::string& backend, BenchmarkTarget& subject,
               Group group, Output* output) {
  if (has_native(subject, group.front())) {
    Config native = group.front();
    native.algorithm = nullptr;
    group.push_back(native);
  }
  std::vector<Record> records;
  Group todo;
  for (const Config& config : group) {
    Record r = run_record(backend, subject, config);
    bool skip = r.skipped.has_value();
    if (output && output->has(r)) {
      skip = true;
    } else if (output && !skip) {
      const std::string why = too_big(command.sweep, estimate(command, config));
      if (!why.empty()) r.skipped = why, skip = true;
    }
    if (subject.max(skip ? 1 : 0) == 0) {
      todo.push_back(config);
      records.push_back(std::move(r));
    } else if (output && r.skipped) {
      output->add(std::move(r));
    }
  }
  if (todo.empty()) return;
  if (output) output->show(records.front());
  const std::vector<Measurement> measured = measure(subject, todo, command.measure);
  if (!output) return;
  for (std::size_t i = 0; i < todo.size(); ++i) {
    enter(records[i], measured[i], subject, measured[i].traffic > 0 ? copy_limit_gbps() : 0);
    output->add(std::move(records[i]));
  }
}

int run(RunVerb& command, Job& job) {
  if (command.backend.empty()) command.backend = job.default_backend();
  if (command.sweep.ranks.empty())
    command.sweep.ranks = {std::to_string(job.default_ranks(command.backend))};
  if (job.ranks() > 0) {
    const std::string job_words[] = {"mpirun", "-n", std::to_string(job.ranks())};
    command.sweep.command.insert(command.sweep.command.begin(), std::begin(job_words),
                              std::end(job_words));
  }
  const auto groups_of_job = job.groups();
  const GroupsOf known[] = {[&](Rank ranks) {
    return groups_of_job && groups_of_job->ranks() == ranks ? groups_of_job : nullptr;
  }};
  const std::vector<Config> configs = command.sweep.configs(known);
  if (command.sweep.plan) return job.speaks() ? plan(command, configs) : 0;
  const std::vector<Group> groups = groups_of(configs);
  for (const Group& group : groups) job.check(command.backend, group.front().problem.ranks);
  std::unique_ptr<Output> output;
  if (job.speaks() && on_gpus(command)) command.sweep.machine = std::make_shared<Json>(gpu_context());
  if (job.speaks()) output = std::make_unique<Output>(command.sweep, configs.size() + groups.size());
  // What a backend sets up for a number of ranks serves all its groups.
  for (std::size_t i = 0, next; i < groups.size(); i = next) {
    const Rank ranks = groups[i].front().problem.ranks;
    for (next = i; next < groups.size() && groups[next].front().problem.ranks == ranks;) ++next;
    job.run(command.backend, ranks, [&](BenchmarkTarget& subject, const std::string& backend) {
      for (std::size_t k = i; k < next; ++k)
        run_group(command, backend, subject, groups[k], subject.is_first() ? output.get() : nullptr);
    });
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
  const auto options = std::make_shared<RunVerb>();
  options->sweep.add_axes(*command, true);
  command->add_option(
          "-b,--backend", options->backend,
          "threads (default), mpi (default under mpirun and srun), cuda, cuda-streams, nccl or "
          "mpi-cuda")
      ->type_name("NAME");
  command->add_option_function<std::string>(
          "--time",
          [options](const std::string& text) {
            options->measure.seconds = parse_time(text, "--time") / 1e12;
          },
          "Time to spend on each configuration: 200ms (default), 1s, 0 (a few runs)")
      ->type_name("TIME");
  options->sweep.add_outputs(*command);
  command->callback([options, &session] {
    SweepOptions& o = options->sweep;
    o.command = session.command;
    if (o.elements.empty() && o.sizes.empty()) o.sizes = {"1K..1M*32"};
    session.exit_code = in_job([&](Job& job) { return run(*options, job); });
  });
}

}  // namespace arlab::bench
