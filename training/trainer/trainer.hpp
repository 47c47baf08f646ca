// Trainer: runs one rank's part of a data-parallel training run.
//
// n workers train like one worker with the whole batch: each loss is divided by the global batch,
// and the gradients are summed. The trainer drives input, forward and backward passes, the
// strategy's exchange, the comparison of replicas, evaluation and checkpoints.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "training/control/same_on_all_ranks.hpp"
#include "training/data/pipeline.hpp"
#include "training/exchange/compute_model.hpp"
#include "training/models/architecture.hpp"
#include "training/trainer/epoch_report.hpp"
#include "training/trainer/options.hpp"

namespace arlab::training {

struct Observer {
  std::function<void(const StepReport&)> step;
  std::function<void(const EpochReport&)> epoch;
  /// Optional: whether training stops after this report. All ranks must give the same answer.
  std::function<bool(const EpochReport&)> enough;
  Exchange::Observer collective;
  /// The first steps of the run, which EpochReport::timed leaves out. All ranks give the same
  /// number.
  Count leave_out = 0;
};

/// The data of one rank. Servers have none.
struct TrainingData {
  Pipeline* train = nullptr;
  Pipeline* validation = nullptr;  ///< optional
};

/// Makes this rank's replica; `sum` is for layers that exchange data within a pass.
using MakeReplica = std::function<std::unique_ptr<Replica>(const SumOverWorkers& sum)>;

class Trainer {
 public:
  /// Every rank makes one with the same options. `run_parameters`: what else all ranks must share.
  /// Copies rank 0's weights to all ranks. Throws Error(usage) if the strategy does not work here,
  /// or if ranks disagree.
  Trainer(collectives::Communicator& communicator, const TrainerOptions& learning,
          const MakeReplica& make, std::vector<RunParameter> run_parameters = {});

  /// Returns the number of workers among the ranks.
  static Rank workers_of(const TrainerOptions& learning, Rank ranks);

  /// Trains from steps_done() to the end of the last epoch, or until it is enough. Throws
  /// Error(check) if replicas diverge or a gradient is not finite.
  void run(const TrainingData& data, Count steps_of_epoch, const Observer& observer = {});

  /// Evaluates on all workers. Every rank calls it.
  BatchResult evaluate(Pipeline* pipeline);

  Replica& replica() { return *replica_; }
  Optimizer& optimizer() { return *optimizer_; }
  const Exchange& exchange() const { return exchange_; }
  const TrainerOptions& learning() const { return learning_; }
  collectives::Communicator& communicator() { return communicator_; }
  /// Returns what all ranks must share.
  const std::vector<RunParameter>& run_parameters() const { return run_parameters_; }
  bool is_worker() const { return communicator_.rank() < workers_; }
  Rank workers() const { return workers_; }
  /// Returns the staleness over all ranks. Every rank calls it.
  Staleness staleness() { return sum(communicator_, strategy_->staleness()); }

  /// Returns the steps since the start of training, including those before a resume.
  Count steps_done() const { return steps_done_; }
  /// Copies rank 0's state to all ranks: steps done, weights, statistics, and moments unless each
  /// rank has its own. Every rank calls it after rank 0 has changed its state.
  void share_state();
  void set_steps_done(Count steps) { steps_done_ = steps; }
  bool own_moments() const { return kind_.own_moments; }
  /// Returns this rank's part of the optimizer's state, and completes the weights; see Strategy.
  std::optional<Strategy::Shard> shard() const { return strategy_->shard(); }
  void gather_weights() { strategy_->gather_weights(); }
  /// Returns the strategy's state on this rank; see Strategy.
  Strategy::State strategy_state() { return strategy_->state(); }
  void restore_strategy(Strategy::State state) { strategy_->restore(std::move(state)); }
  /// Sets a function that every rank calls when all are settled: every `every` steps (0: never), or
  /// as soon after them as that changes nothing that is learned, if there is such a step; and after
  /// each epoch.
  void on_settled(Count every, std::function<void(const EpochReport*)> use) {
    settle_every_ = every;
    settled_ = std::move(use);
  }
  /// Sets a function that rank 0 calls if a run fails and the state is that of the last good step.
  void on_failure(std::function<void()> use) { rescue_ = std::move(use); }

 private:
  void agree();
  void rescue(const std::string& why, const std::exception* error);
  void broadcast(std::span<float> data, int which);
  /// What this rank has done since the last report, and how much of that in the warm-up.
  struct Costs {
    Exchange::Usage before;
    OwnCosts own = {}, cold = {};
    BatchResult learned = {};
    void add(const StepReport& r, const Exchange::Usage& now, bool is_cold);
  };
  EpochReport report_of(const Costs& costs, Count epoch);
  void run_all(const TrainingData& data, Count steps_of_epoch, const Observer& observer);
  Count next_stop(Count end) const;
  StepReport train_step(const TrainingData& data, Count steps_of_epoch, Count stop);
  void settle();
  bool compares() const;
  BatchResult learn(const Batch& batch);
  void pass_without_samples(bool last);
  void listen(bool first, bool last);
  collectives::Clock& clock() { return communicator_.clock(); }
  void compare_replicas();
  void average_statistics();

  collectives::Communicator& communicator_;
  TrainerOptions learning_;
  const StrategyKind& kind_;
  Rank workers_;
  std::unique_ptr<Replica> replica_;  // outlives the exchange, which may still use its gradients
  std::unique_ptr<Optimizer> optimizer_;
  std::optional<ComputeModel> compute_model_;
  Exchange exchange_;
  int sums_ = 0;  // number of exchanges within this step's passes
  std::unique_ptr<Strategy> strategy_;
  std::vector<RunParameter> run_parameters_;
  Count steps_done_ = 0;
  Count settle_every_ = 0;
  std::function<void(const EpochReport*)> settled_;
  std::function<void()> rescue_;
  bool diverged_ = false, averaging_ = false;
  SampleShare share_;  // since the statistics were averaged
};

/// Whether one of the steps after the first `begin` ones, up to `end`, completes a multiple of
/// `every`; none does if that is 0.
bool passes_multiple(Count begin, Count end, Count every);

}  // namespace arlab::training
