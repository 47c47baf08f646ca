// arlab plan: step time, efficiency, and limits of a model on networks and numbers of GPUs, before
// they are bought.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "algorithms/base/printable.hpp"
#include "bench/commands/commands.hpp"
#include "bench/options/caller.hpp"
#include "bench/results/context.hpp"
#include "bench/results/result_file.hpp"
#include "bench/text/progress.hpp"
#include "bench/text/say.hpp"
#include "bench/text/sentences.hpp"
#include "bench/text/table.hpp"
#include "bench/text/units.hpp"
#include "bench/text/write_file.hpp"
#include "bench/training/decisions/breakdown.hpp"
#include "bench/training/decisions/cheapest.hpp"
#include "bench/training/decisions/decision_report.hpp"
#include "bench/training/decisions/scaling.hpp"
#include "bench/training/profiled/alternatives.hpp"

namespace arlab::bench {
namespace {

std::string saving(const Alternative& one, const ScaleRow& row) {
  constexpr double kShown = 0.0005;  // of the step
  if (one.what == row.scheduler || one.what == row.algorithm || one.what == row.strategy ||
      (one.saves < kShown && !one.tie.value_or(false)))
    return "";
  return fmt::format("{} {:+.1f}%{}", one.what, -100 * one.saves,
                     one.tie.value_or(false) ? ", a tie" : "");
}

std::string interval_text(const ScaleRow& row) {
  if (!row.interval) return "";
  return fmt::format("{} to {}", show_time(row.interval->low / 1e6),
                     show_time(row.interval->high / 1e6));
}

std::string plan_table(const std::vector<ScaleRow>& rows, bool costs) {
  std::vector<std::vector<std::string>> table;
  const std::vector<std::string> devices = told_devices(rows);
  const bool several = std::ranges::any_of(
      rows, [&](const ScaleRow& row) { return row.model != rows.front().model; });
  for (const ScaleRow& r : rows) {
    table.push_back({several ? r.model : "", devices[table.size()], r.network,
                     std::to_string(r.ranks), show_count(r.batch * r.ranks), show_count(r.batch),
                     r.algorithm, show_time(r.step / 1e6), interval_text(r),
                     fmt::format("{:.1f}%", 100 * r.efficiency()),
                     show_rate(r.samples_per_second()), std::string(name(r.limit))});
    for (std::string& cell : cost_cells(r, costs)) table.back().push_back(std::move(cell));
    for (const Alternative& one : r.alternatives)
      table.back().push_back(one.is_choice ? saving(one, r)
                                           : fmt::format("{:+.1f}%", -100 * one.saves));
  }
  return compact(
      {"model", "GPU", "network", "GPUs", "batch", "local batch", "algorithm", "step",
       "80% interval", "efficiency", "samples/s", "limited by", kCostColumns[0], kCostColumns[1],
       "2x bandwidth", "scheduler", "other algorithm", "other strategy", "fp16"},
      table);
}

// The number of rows that are done, of all.
class PlannedRows {
 public:
  PlannedRows(std::size_t all, const Session& session) : all_(all), session_(session) {
    if (Progress* const progress = session.progress.get()) progress->begin(all);
  }
  void begin(const std::string& what) const {
    if (Progress* const progress = session_.progress.get()) progress->show(done_, what);
  }
  void end() {
    ++done_;
    if (session_.caller && session_.caller->progress) session_.caller->progress(done_, all_);
  }

 private:
  std::size_t all_, done_ = 0;
  const Session& session_;
};

ScaleRow planned(const PlanOptions& options, const training::ModelProfile& profile,
                 const ScaleNetwork& network, Rank ranks) {
  training::TrainingPlan plan =
      options.plan(profile, options.schedulers.front(), options.compressors.front(), ranks);
  const training::MakeNetwork make = options.place(plan, profile, network);
  plan.algorithm = &choose_algorithm(options.algorithms.front(), plan, make);
  ScaleRow row = simulated_row({.model = profile.name,
                                .device = profile.device,
                                .network = network.text(),
                                .strategy = options.strategy.name(),
                                .scheduler = options.schedulers.front(),
                                .compressor = options.compressors.front(),
                                .batch = profile.batch,
                                .price = price_of(options, profile.device),
                                .alone = options.alone(profile, ranks)},
                               plan, make, training::Ranks::one_for_all);
  if (ranks == 1) return row;
  const RefitSteps refits(options, profile, network);
  const bool is_spread = network.spread() != nullptr;
  row.alternatives =
      alternatives_of(row, plan, make, options, profile, is_spread ? &refits : nullptr);
  if (is_spread) row.interval = refits.interval(plan, row);
  if (network.lacks_intervals())
    row.without_interval = fmt::format(
        " No interval: {} has no table [interval], as older files; calibrate the machine again for "
        "it.",
        network.text());
  return row;
}

std::vector<ScaleRow> planned(const PlanOptions& options,
                              const std::vector<training::ModelProfile>& models,
                              const std::vector<ScaleNetwork>& networks,
                              const std::vector<Rank>& gpus, const Session& session) {
  PlannedRows progress(models.size() * networks.size() * gpus.size(), session);
  std::vector<ScaleRow> rows;
  for (const training::ModelProfile& model : models)
    for (const ScaleNetwork& network : networks)
      for (const Rank ranks : gpus) {
        progress.begin(fmt::format("{}{} on {}", models.size() > 1 ? model.name + ", " : "",
                                   show_plural(ranks, "GPU"), network.text()));
        rows.push_back(planned(options, options.on_each(model, ranks), network, ranks));
        progress.end();
      }
  return rows;
}

Rank most_ranks(const std::vector<ScaleRow>& rows) {
  return std::ranges::max_element(rows, {}, &ScaleRow::ranks)->ranks;
}

// Of all models and networks, on the largest number of GPUs.
std::vector<Decision> decisions(const PlanOptions& options,
                                const std::vector<training::ModelProfile>& models,
                                const std::vector<ScaleNetwork>& networks,
                                const std::vector<ScaleRow>& rows) {
  std::vector<Decision> all;
  const Rank gpus = most_ranks(rows);
  if (gpus == 1) return all;
  for (const training::ModelProfile& model : models) {
    std::vector<Time> asked;  // rates are alike on all ports of one latency
    for (const ScaleNetwork& network : networks) {
      const bool rates =
          network.has_ports() && std::ranges::find(asked, network.latency()) == asked.end();
      if (rates) asked.push_back(network.latency());
      all.push_back(decide(options, options.on_each(model, gpus), network, gpus, rates));
      for (const ScaleRow& row : rows)
        if (row.ranks == gpus && row.model == model.name && row.device == model.device &&
            row.network == network.text())
          all.back().limit = name(row.limit);
    }
  }
  return all;
}

std::string heading(const PlanOptions& options, const training::ModelProfile& profile) {
  return fmt::format(
      "{}: {} parameters, {} of gradients, {}, on {}\n", printable(profile.name),
      with_commas(profile.parameters()), show_bytes(profile.bytes()),
      options.batch > 0
          ? fmt::format("{} {} per step over all GPUs", with_commas(options.batch), profile.samples)
          : fmt::format("{} {} per GPU and step", with_commas(profile.batch), profile.samples),
      profile.device);
}

void run_plan(const PlanOptions& options, Session& session) {
  check_can_write(options.json);
  const std::vector<Rank> gpus = options.chosen_workers();
  const std::vector<training::ModelProfile> models = options.profiles();
  for (const training::ModelProfile& model : models)
    for (const Rank ranks : gpus) options.on_each(model, ranks);  // or throws, early
  const std::vector<ScaleNetwork> networks = options.parsed_networks();
  const std::vector<ScaleRow> rows = planned(options, models, networks, gpus, session);
  if (session.progress) session.progress->clear();
  if (const std::string note = note_on_batch(options.batch, gpus); !note.empty())
    say("note: {}\n", note);
  if (session.caller) {
    for (const ScaleRow& row : rows) session.caller->records.push_back(to_json(row));
    if (options.json.empty()) return;  // deciding takes time
  }
  const bool costs = asks_cost(options);
  const std::vector<Decision> decided = decisions(options, models, networks, rows);
  if (!session.caller && options.json != "-") {
    std::string headings;
    for (const training::ModelProfile& model : models) headings += heading(options, model);
    print(
        "{}\n{}\n"
        "Changes of the step's time by twice the bandwidth, the best other scheduler and "
        "algorithm, diloco, and fp16 gradients, where shown. Only diloco and fp16 change what is "
        "learned.\n",
        Lines{headings}, Lines{plan_table(rows, costs)});
    const std::vector<std::string> devices = told_devices(rows);
    for (std::size_t i = 0; i < rows.size(); ++i)
      if (rows[i].ranks == most_ranks(rows)) print("{}", Lines{explain(rows[i], devices[i])});
    std::vector<std::string> sentences =
        explain_scaling(rows, options.batch > 0 ? Scaling::strong : Scaling::weak);
    std::ranges::move(explain(decided, options.codec_cost.empty()), std::back_inserter(sentences));
    if (costs) std::ranges::move(explain_cost(rows), std::back_inserter(sentences));
    print_sentences(sentences, true);
  }
  if (options.json.empty()) return;
  ResultFile file(options.json, ResultFile::Mode::fresh, context(options.command));
  for (const ScaleRow& row : rows) file.add(to_json(row));
  for (const Decision& decision : decided) file.add(to_json(decision));
}

}  // namespace

void add_plan(CLI::App& command, Session& session) {
  command.footer(
      "Examples:\n  arlab plan -m profile:resnet50 --gpus 8..512x8 --network 10G,100G\n"
      "  arlab plan -m profile:gpt2-xl --gpus 64 --network 100G,rail_pod --json plan.jsonl\n"
      "  arlab plan -m profile:resnet50,profile:bert-base --gpus 64 --network 10G,25G,100G "
      "--compute "
      "gpu=a100\n"
      "  arlab plan -m profile:vgg16 --gpus 64 --network 25G --compressor powersgd\n"
      "  arlab plan -m profile:bert-large --gpus 256 --scheduler fifo mg_wfbp --compressor none "
      "fp16\n"
      "  arlab plan -m profile:gpt2-xl --gpus 64 --network rail_pod -a hierarchical --trace "
      "trace.json");
  const auto options = std::make_shared<PlanOptions>();
  options->add(command);
  command.callback([options, &session] {
    options->command = session.command;
    options->complete_plan();
    if (options->breakdown)
      run_breakdown(*options, session.caller.get());
    else
      run_plan(*options, session);
  });
}

}  // namespace arlab::bench
