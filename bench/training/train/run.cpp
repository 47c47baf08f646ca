#include "bench/training/train/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <mutex>
#include <optional>

#include "algorithms/base/error.hpp"
#include "bench/results/context.hpp"
#include "bench/text/say.hpp"
#include "bench/text/units.hpp"
#include "bench/text/write_file.hpp"
#include "bench/training/train/gpu/codes.hpp"
#include "bench/training/train/gpu/gradients.hpp"
#include "bench/training/train/report.hpp"
#include "bench/training/train/steps.hpp"
#include "collectives/host/gatherv.hpp"
#include "collectives/local_rank.hpp"
#include "training/io/json.hpp"
#include "training/telemetry/event_file.hpp"
#include "training/telemetry/step_trace.hpp"
#include "training/trainer/checkpointing.hpp"

namespace arlab::bench {
namespace {

/// Keeps the spans of this rank in memory until the end of the run.
class Tracer {
 public:
  explicit Tracer(Rank rank) : rank_(rank) {}

  void step(const training::StepReport& r) {
    const double computed = r.begin + r.input;
    if (r.input > 0)
      add({training::StepSpan::Kind::input, rank_, "input", r.step.number, 0, r.begin, computed});
    add({training::StepSpan::Kind::compute, rank_, "step", r.step.number, 0, computed,
         r.begin + r.seconds - r.exposed});
  }
  // Called on the thread of the exchange.
  void collective(const training::CollectiveId& id, double begin, double end) {
    add({training::StepSpan::Kind::communicate, rank_, name(id), id.step, 0, begin, end});
  }
  std::string encoded() const { return training::encode_spans(spans_); }

 private:
  void add(training::StepSpan span) {
    const std::lock_guard lock(mutex_);
    spans_.push_back(std::move(span));
  }
  Rank rank_;
  std::mutex mutex_;
  std::vector<training::StepSpan> spans_;
};

/// Prints the progress of a run, and writes TensorBoard events; on rank 0.
class ProgressPrinter {
 public:
  ProgressPrinter(const TrainOptions& options, Count all_steps, std::string label)
      : progress_(static_cast<std::size_t>(all_steps)), label_(std::move(label)) {
    if (!options.tensorboard.empty()) events_.emplace(options.tensorboard);
  }

  void note(const std::string& text) {
    progress_.clear();
    say("note: {}\n", Message{text});
  }

  void model(training::Replica& replica) {
    if (!events_) return;
    if (const training::ModelGraph graph = replica.graph(); !graph.empty()) events_->graph(graph);
  }

  void step(const training::StepReport& r) {
    recent_ += r.outcome;
    seconds_ += r.seconds;
    exposed_ += r.exposed;
    samples_ += r.step.global;
    ++steps_;
    const auto n = static_cast<double>(std::max<Count>(recent_.samples, 1));
    const double loss = recent_.loss / n, rate = static_cast<double>(samples_) / seconds_;
    progress_.show(
        static_cast<std::size_t>(r.step.number + 1),
        fmt::format("{}epoch {}, loss {:.3f}, accuracy {:.1f}%, {:.0f} images/s, exposed "
                    "communication {:.0f}%",
                    label_, r.position.epoch + 1, loss,
                    100 * static_cast<double>(recent_.correct) / n, rate,
                    100 * exposed_ / seconds_));
    if (steps_ < kRecent) return;
    if (events_) {
      events_->scalar("batch/loss", loss, r.step.number);
      events_->scalar("batch/images_per_second", rate, r.step.number);
      events_->scalar("batch/learning_rate", r.step.learning_rate, r.step.number);
    }
    recent_ = {}, seconds_ = exposed_ = 0, steps_ = samples_ = 0;
  }

  void epoch(const training::EpochReport& r, training::Replica& replica) {
    if (!events_) return;
    const auto mean = [](double sum, Count n) { return sum / static_cast<double>(n); };
    events_->scalar("epoch/loss", mean(r.train.loss, r.train.samples), r.epoch);
    events_->scalar("epoch/accuracy", mean(static_cast<double>(r.train.correct), r.train.samples),
                    r.epoch);
    if (r.validation.samples > 0) {
      events_->scalar("epoch/validation_loss", mean(r.validation.loss, r.validation.samples),
                      r.epoch);
      events_->scalar("epoch/validation_accuracy",
                      mean(static_cast<double>(r.validation.correct), r.validation.samples),
                      r.epoch);
    }
    events_->scalar("epoch/exposed_seconds", r.exposed, r.epoch);
    for (const training::Variable& v : replica.variables())
      events_->histogram("weights/" + v.name,
                         replica.weights().subspan(static_cast<std::size_t>(v.offset),
                                                   static_cast<std::size_t>(v.elements)),
                         r.epoch);
  }

 private:
  static constexpr Count kRecent = 20;  // steps per mean loss
  Progress progress_;
  std::string label_;
  std::optional<training::EventFile> events_;
  training::BatchResult recent_;
  double seconds_ = 0, exposed_ = 0;
  Count steps_ = 0, samples_ = 0;  // samples: of all workers
};

// The ranks that share this one's machine. All ranks call it together.
Rank ranks_here(collectives::Communicator& c) {
  const std::vector<Rank> machines = c.machines();
  return static_cast<Rank>(
      std::ranges::count(machines, machines[static_cast<std::size_t>(c.rank())]));
}

std::vector<training::RunParameter> run_parameters_of(const TrainConfig& config,
                                                      const TrainOptions& options,
                                                      const Datasets& data,
                                                      const training::Sampling& sampling) {
  return {{"the model's name", std::string(config.architecture->name)},
          {"the data", data.train.name + "; " + training::to_string(sampling)},
          {"the seed", std::to_string(options.seed)},
          {"synchronized batch normalization", options.sync_batch_norm ? "on" : "off"},
          {"checkpoints",
           options.checkpoint + ", every " + std::to_string(options.policy.every_steps), false},
          {"a trace", options.trace.empty() ? "no" : "yes", false}};
}

// Evaluates often, where that does not change what is learned: strategies whose replicas differ
// average them first.
void set_steps(training::TrainerOptions& learning, Count steps_of_epoch, const TrialRun& trial) {
  constexpr Count kEvaluations = 8;  // per epoch
  const Count steps = last_step(learning, steps_of_epoch);
  const training::StrategyKind& kind = training::find_strategy(learning.strategy);
  if (kind.equal_replicas && !kind.periodic)
    learning.report_every = std::max<Count>(1, std::min(steps, steps_of_epoch) / kEvaluations);
  learning.max_steps = steps * trial.more;
  learning.epochs = (learning.max_steps + steps_of_epoch - 1) / steps_of_epoch;
}

void write_trace(const TrainOptions& options, const std::vector<std::string>& encoded) {
  std::vector<training::StepSpan> spans;
  for (const std::string& text : encoded)
    for (training::StepSpan& span : training::decode_spans(text)) spans.push_back(std::move(span));
  write_file(options.trace,
             training::json_text(training::make_trace(spans, context(options.command))) + "\n");
}

}  // namespace

TrainResult train(collectives::Executor& executor, const TrainConfig& config,
                  const TrainOptions& options, const Datasets& data, const TrialRun* trial) {
  collectives::Communicator& c = executor.control();
  training::use_threads(options.threads);
  const bool is_root = c.rank() == 0, is_worker = c.rank() < config.workers;
  const training::Sampling sampling =
      training_samples(options, config, data.train, is_worker ? c.rank() : 0);
  if (options.sync_batch_norm) check_equal_shares(sampling);
  const Count steps = training::Sampler(sampling).steps();
  training::TrainerOptions learning = config.learning;
  set_epochs(learning, options, steps);
  learning.route_options.executor = &executor;
  if (trial) set_steps(learning, steps, *trial);
  const bool emulated = config.backend->placement == collectives::Placement::emulated;
  const bool cuda = options.device != "cpu";
  const bool on_gpus = cuda || config.backend->devices != nullptr;
  const Rank local_rank = on_gpus ? collectives::local_rank(c) : 0;
  TrainResult result;
  result.input_range = options.feed.makers(emulated ? 1 : ranks_here(c), !emulated);
  if (auto& codes = learning.options.gradients.compressor; codes && on_gpus) {
    const bool exchanges_gradients = training::find_strategy(learning.strategy).on_device;
    if (codes->kind->on_gpu && exchanges_gradients) codes->kernels = gpu_codes(local_rank);
  }
  const GradientPlace place = place_of_gradients(learning, cuda);
  if (on_gpus) result.gradients = place.text;
  training::Trainer trainer(
      c, learning,
      [&](const training::SumOverWorkers& sum) {
        return training::make_replica(
            *config.architecture,
            {.seed = options.seed,
             .sum_over_workers = options.sync_batch_norm ? sum : training::SumOverWorkers{},
             .cuda = cuda,
             .local_rank = local_rank,
             .math = place.math});
      },
      run_parameters_of(config, options, data, sampling));
  if (options.sync_batch_norm && trainer.replica().statistics().empty())
    fail(Blame::usage, fmt::format("--compute sync_bn has no effect here: model {} has no batch "
                                   "normalization, leave it out or use another model",
                                   config.architecture->name));
  std::optional<ProgressPrinter> printer;
  if (is_root) {
    printer.emplace(options, last_step(learning, steps), trial ? trial->label : "");
    if (const std::string note = note_on_steps(learning, steps); !note.empty()) printer->note(note);
    printer->model(trainer.replica());
  }
  std::optional<training::Checkpointer> backup;
  if (!options.checkpoint.empty()) {
    backup.emplace(trainer, options.checkpoint, options.policy);
    for (const std::string& note : backup->resume())
      if (printer) printer->note(note);
  }
  result.steps_before = trainer.steps_done();
  result.steps_run = std::max<Count>(0, last_step(learning, steps) - result.steps_before);
  result.warmup_asked = emulated ? 0 : options.warmup_steps;
  result.left_out = steps_left_out(options, config, result.steps_run);
  if (const training::GradientOptions& g = config.learning.options.gradients;
      is_root && g.compressor) {
    result.codes = training::code_route(g, trainer.replica().variables(), config.workers);
    if (on_gpus)
      result.place_of_codes = training::place_of_codes(*learning.options.gradients.compressor,
                                                       result.codes.way, &executor);
  }
  std::optional<training::Pipeline> feed, validation;
  if (is_worker) {
    feed.emplace(data.train, sampling, options.feed.prefetch, result.input_range);
    validation.emplace(data.validation, validation_samples(sampling, data.validation),
                       options.feed.prefetch);
    if (!emulated) make_samples(data.train, sampling, result.steps_before, result.steps_run);
  }
  if (!emulated) c.barrier();  // no rank begins before the samples of all are made
  StepPace pace;
  Count seen = 0;  // steps
  Tracer tracer(c.rank());
  const bool traces = !options.trace.empty();
  training::Observer observer;
  observer.leave_out = result.left_out;
  observer.step = [&](const training::StepReport& r) {
    if (traces) tracer.step(r);
    if (!is_root) return;
    printer->step(r);
    pace.step(r.begin, r.seconds);
    if (seen++ >= result.left_out) result.step_us.push_back(r.seconds * 1e6);
  };
  observer.epoch = [&](const training::EpochReport& r) {
    if (!is_root) return;
    printer->epoch(r, trainer.replica());
    result.epochs.push_back(r);
  };
  if (trial)
    observer.enough = [&](const training::EpochReport& r) {
      pace.evaluated();
      result.trial.step = c.max(is_root ? pace.mean() : 0);
      result.trial.curve.push_back({trainer.steps_done(), accuracy(r.validation)});
      return ends(result.trial, trial->goal);
    };
  if (traces)
    observer.collective = [&](const training::CollectiveId& id, double begin, double end) {
      tracer.collective(id, begin, end);
    };
  trainer.run({feed ? &*feed : nullptr, validation ? &*validation : nullptr}, steps, observer);
  if (trainer.steps_done() == result.steps_before)
    result.evaluation = trainer.evaluate(validation ? &*validation : nullptr);
  result.staleness = trainer.staleness();
  if (!emulated) result.input_threads = static_cast<int>(c.max(feed ? feed->threads() : 0));
  if (traces) {
    const std::vector<std::string> all = collectives::gather(c, tracer.encoded());
    if (is_root) write_trace(options, all);
  }
  result.config = config;
  result.route = trainer.exchange().route().name(c);
  result.lanes = trainer.exchange().route().lanes();
  return result;
}

}  // namespace arlab::bench
