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

std::string interval_of(const training::SavePolicy& policy) {
  return policy.every_steps > 0 ? show_plural(policy.every_steps, "step") : "an epoch";
}

std::vector<training::RunParameter> run_parameters_of(const TrainConfig& config,
                                                      const TrainOptions& options,
                                                      const Datasets& data,
                                                      const training::Sampling& sampling) {
  std::vector<training::RunParameter> all{
      {"the model's name", std::string(config.architecture->name)},
      {"the data", data.train.name + "; " + training::to_string(sampling)},
      {"the seed", std::to_string(options.seed)},
      {"synchronized batch normalization", options.sync_batch_norm ? "on" : "off"},
      {"checkpoints", options.checkpoint + ", every " + std::to_string(options.policy.every_steps),
       false},
      {"a trace", options.trace.empty() ? "no" : "yes", false}};
  if (learns_with_checkpoints(config))
    all.push_back({"the interval of checkpoints", interval_of(options.policy)});
  return all;
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

/// A rank's part of a run. All ranks make one, and run it, together.
class RankRun {
 public:
  RankRun(collectives::Executor& executor, const TrainConfig& config, const TrainOptions& options,
          const Datasets& data, const TrialRun* trial)
      : executor_(executor),
        c_(executor.control()),
        config_(config),
        options_(options),
        data_(data),
        trial_(trial),
        local_rank_(on_gpus() ? collectives::local_rank(c_) : 0),
        sampling_(checked_samples()),
        steps_(training::Sampler(sampling_).steps()),
        learning_(learning_options()),
        place_(place_of_gradients(learning_, cuda())),
        trainer_(
            c_, learning_,
            [this](const training::SumOverWorkers& sum) { return make_replica(sum); },
            run_parameters_of(config, options, data, sampling_)),
        tracer_(c_.rank()) {}

  TrainResult run() {
    result_.input_range = options_.feed.makers(emulated() ? 1 : ranks_here(c_), !emulated());
    if (on_gpus()) result_.gradients = place_.text;
    if (options_.sync_batch_norm && trainer_.replica().statistics().empty())
      fail(Blame::usage, fmt::format("--compute sync_bn has no effect here: model {} has no batch "
                                     "normalization, leave it out or use another model",
                                     config_.architecture->name));
    if (is_root()) start_printer();
    if (!options_.checkpoint.empty()) resume();
    count_steps();
    choose_codes();
    if (is_worker()) start_feeds();
    if (!emulated()) c_.barrier();  // no rank begins before the samples of all are made
    trainer_.run({feed(), validation()}, steps_, observer());
    finish();
    return std::move(result_);
  }

 private:
  bool is_root() const { return c_.rank() == 0; }
  bool is_worker() const { return c_.rank() < config_.workers; }
  bool cuda() const { return options_.device != "cpu"; }
  bool on_gpus() const { return cuda() || config_.backend->devices != nullptr; }
  bool emulated() const { return config_.backend->placement == collectives::Placement::emulated; }
  bool traces() const { return !options_.trace.empty(); }
  training::Pipeline* feed() { return feed_ ? &*feed_ : nullptr; }
  training::Pipeline* validation() { return validation_ ? &*validation_ : nullptr; }

  training::Sampling checked_samples() const {
    const training::Sampling sampling =
        training_samples(options_, config_, data_.train, is_worker() ? c_.rank() : 0);
    if (options_.sync_batch_norm) check_equal_shares(sampling);
    return sampling;
  }

  training::TrainerOptions learning_options() {
    training::TrainerOptions learning = config_.learning;
    set_epochs(learning, options_, steps_);
    learning.route_options.executor = &executor_;
    if (trial_) set_steps(learning, steps_, *trial_);
    if (auto& codes = learning.options.gradients.compressor; codes && on_gpus()) {
      const bool exchanges_gradients = training::find_strategy(learning.strategy).on_device;
      if (codes->kind->on_gpu && exchanges_gradients) codes->kernels = gpu_codes(local_rank_);
    }
    return learning;
  }

  std::unique_ptr<training::Replica> make_replica(const training::SumOverWorkers& sum) const {
    return training::make_replica(
        *config_.architecture,
        {.seed = options_.seed,
         .sum_over_workers = options_.sync_batch_norm ? sum : training::SumOverWorkers{},
         .cuda = cuda(),
         .local_rank = local_rank_,
         .math = place_.math});
  }

  void start_printer() {
    printer_.emplace(options_, last_step(learning_, steps_), trial_ ? trial_->label : "");
    for (const std::string& note :
         {note_on_steps(learning_, steps_), note_on_checkpoints(options_, config_)})
      if (!note.empty()) printer_->note(note);
    printer_->model(trainer_.replica());
  }

  void resume() {
    backup_.emplace(trainer_, options_.checkpoint, options_.policy);
    for (const std::string& note : backup_->resume())
      if (printer_) printer_->note(note);
  }

  void count_steps() {
    result_.steps_before = trainer_.steps_done();
    result_.steps_run = std::max<Count>(0, last_step(learning_, steps_) - result_.steps_before);
    result_.warmup_asked = emulated() ? 0 : options_.warmup_steps;
    result_.left_out = steps_left_out(options_, config_, result_.steps_run);
  }

  void choose_codes() {
    const training::GradientOptions& g = config_.learning.options.gradients;
    if (!is_root() || !g.compressor) return;
    const std::span<const training::Variable> variables = trainer_.replica().variables();
    training::TensorShapes all;
    for (const training::Variable& v : variables)
      all.push_back(training::matrix_of(v, 0, v.elements));
    result_.codes =
        training::find_strategy(config_.learning.strategy).schedules
            ? training::code_route(g, variables, config_.workers)
            : training::code_route(g, std::vector<training::TensorShapes>{all}, config_.workers);
    if (on_gpus())
      result_.place_of_codes = training::place_of_codes(*learning_.options.gradients.compressor,
                                                        result_.codes.way, &executor_);
  }

  void start_feeds() {
    feed_.emplace(data_.train, sampling_, options_.feed.prefetch, result_.input_range);
    validation_.emplace(data_.validation, validation_samples(sampling_, data_.validation),
                        options_.feed.prefetch);
    if (!emulated()) make_samples(data_.train, sampling_, result_.steps_before, result_.steps_run);
  }

  training::Observer observer() {
    training::Observer observer;
    observer.leave_out = result_.left_out;
    observer.step = [this](const training::StepReport& r) {
      if (traces()) tracer_.step(r);
      if (!is_root()) return;
      printer_->step(r);
      pace_.step(r.begin, r.seconds);
      if (seen_++ >= result_.left_out) result_.step_us.push_back(r.seconds * 1e6);
    };
    observer.epoch = [this](const training::EpochReport& r) {
      if (!is_root()) return;
      printer_->epoch(r, trainer_.replica());
      result_.epochs.push_back(r);
    };
    if (trial_)
      observer.enough = [this](const training::EpochReport& r) {
        pace_.evaluated();
        result_.trial.step = c_.max(is_root() ? pace_.mean() : 0);
        result_.trial.curve.push_back({trainer_.steps_done(), accuracy(r.validation)});
        return ends(result_.trial, trial_->goal);
      };
    if (traces())
      observer.collective = [this](const training::CollectiveId& id, double begin, double end,
                                   Count) { tracer_.collective(id, begin, end); };
    return observer;
  }

  void finish() {
    if (trainer_.steps_done() == result_.steps_before)
      result_.evaluation = trainer_.evaluate(validation());
    result_.staleness = trainer_.staleness();
    if (!emulated()) result_.input_threads = static_cast<int>(c_.max(feed_ ? feed_->threads() : 0));
    if (traces()) {
      const std::vector<std::string> all = collectives::gather(c_, tracer_.encoded());
      if (is_root()) write_trace(options_, all);
    }
    result_.config = config_;
    result_.config.learning.rate = learning_.rate;  // until the last step
    result_.route = trainer_.exchange().route().name(c_);
    result_.lanes = trainer_.exchange().route().lanes();
  }

  collectives::Executor& executor_;
  collectives::Communicator& c_;
  const TrainConfig& config_;
  const TrainOptions& options_;
  const Datasets& data_;
  const TrialRun* trial_;  // null: not one
  Rank local_rank_;
  training::Sampling sampling_;  // of this rank
  Count steps_;                  // per epoch
  training::TrainerOptions learning_;
  GradientPlace place_;
  training::Trainer trainer_;
  Tracer tracer_;
  std::optional<ProgressPrinter> printer_;               // of the root
  std::optional<training::Checkpointer> backup_;         // if it writes checkpoints
  std::optional<training::Pipeline> feed_, validation_;  // of workers
  StepPace pace_;
  Count seen_ = 0;  // steps
  TrainResult result_;
};

}  // namespace

TrainResult train(collectives::Executor& executor, const TrainConfig& config,
                  const TrainOptions& options, const Datasets& data, const TrialRun* trial) {
  training::use_threads(options.threads);
  return RankRun(executor, config, options, data, trial).run();
}

}  // namespace arlab::bench
