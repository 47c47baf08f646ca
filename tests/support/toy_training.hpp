// Runs training of the toy model on threads and collects the results.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "algorithms/base/error.hpp"
#include "algorithms/base/time.hpp"
#include "collectives/threads/threads.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/toy_replica.hpp"
#include "training/data/synthetic.hpp"
#include "training/trainer/checkpointing.hpp"
#include "training/trainer/trainer.hpp"

namespace toy {

struct Run {
  arlab::training::TrainerOptions learning;
  arlab::Rank ranks = 1;
  Count global_batch = 24;
  Count samples = 240;
  Count leave_out = 0;         ///< first steps, of the costs in EpochReport::timed
  bool short_batches = false;  ///< an epoch ends with the samples that are left
  std::uint64_t seed = 1;
  /// Called on rank 0 at the end of each step.
  std::function<void(const arlab::training::StepReport&, arlab::Rank)> each_step;
  /// Called on every rank at the end of each epoch, before a checkpoint.
  std::function<void(arlab::Rank)> each_epoch;
  /// Called on every rank at the end of the run.
  std::function<void(arlab::Rank)> finished;
  std::function<bool(const arlab::training::EpochReport&)> enough;
  /// Called before the run, on every rank.
  std::function<void(arlab::training::Trainer&)> prepare;
  std::function<std::unique_ptr<arlab::training::Replica>(arlab::Rank)> make;
  /// Runs the ranks.
  std::function<void(arlab::Rank, const std::function<void(arlab::collectives::Communicator&)>&)>
      world = [](arlab::Rank number,
                 const std::function<void(arlab::collectives::Communicator&)>& body) {
        arlab::collectives::on_threads(number, body);
      };
};

struct Result {
  std::vector<std::vector<float>> weights;           // by rank
  std::vector<arlab::training::EpochReport> epochs;  // of rank 0
  arlab::training::Staleness staleness;
};

inline arlab::training::Sampling sampling(const Run& run, arlab::Rank workers, arlab::Rank rank) {
  return {.global_batch = run.global_batch,
          .workers = workers,
          .rank = rank,
          .seed = run.seed,
          .drop_remainder = !run.short_batches};
}

inline Result train(const Run& run) {
  using namespace arlab;
  using namespace arlab::simulator;
  using namespace arlab::collectives;
  using namespace arlab::training;
  Result result;
  result.weights.resize(static_cast<std::size_t>(run.ranks));
  const Dataset data = cached(synthetic({.shape = kShape, .samples = run.samples, .seed = 5}));
  std::mutex writing;
  run.world(run.ranks, [&](Communicator& c) {
    Trainer trainer(c, run.learning, [&](const SumOverWorkers&) -> std::unique_ptr<Replica> {
      if (run.make) return run.make(c.rank());
      return std::make_unique<ToyReplica>(1 + static_cast<std::uint64_t>(c.rank()));
    });
    if (run.prepare) run.prepare(trainer);
    std::unique_ptr<Pipeline> feed, validation;
    if (trainer.is_worker()) {
      feed = std::make_unique<Pipeline>(data, sampling(run, trainer.workers(), c.rank()), 1);
      Sampling check = sampling(run, trainer.workers(), c.rank());
      check.shuffle = check.drop_remainder = false;
      validation = std::make_unique<Pipeline>(data, check, 0);
    }
    Observer observer;
    observer.step = [&](const StepReport& r) {
      if (run.each_step) run.each_step(r, c.rank());
    };
    observer.epoch = [&](const EpochReport& r) {
      if (c.rank() == 0) result.epochs.push_back(r);
      if (run.each_epoch) run.each_epoch(c.rank());
    };
    observer.enough = run.enough;
    observer.leave_out = run.leave_out;
    const Count more = run.short_batches ? run.global_batch - 1 : 0;
    trainer.run({feed.get(), validation.get()}, (run.samples + more) / run.global_batch, observer);
    if (run.finished) run.finished(c.rank());
    const Staleness staleness = trainer.staleness();
    const std::lock_guard lock(writing);
    const auto weights = trainer.replica().weights();
    result.weights[static_cast<std::size_t>(c.rank())] = {weights.begin(), weights.end()};
    result.staleness = staleness;
  });
  return result;
}

using Checkpointers = std::vector<std::unique_ptr<arlab::training::Checkpointer>>;

/// Lets each rank continue from the latest checkpoint in the folder, and save there. `kept`: one
/// for each rank, must outlive the run.
inline void checkpoint_in(Run& run, const std::string& folder, Checkpointers& kept) {
  run.prepare = [&kept, folder](arlab::training::Trainer& t) {
    auto& mine = kept[static_cast<std::size_t>(t.communicator().rank())];
    mine =
        std::make_unique<arlab::training::Checkpointer>(t, folder, arlab::training::SavePolicy{});
    mine->resume();
  };
}

/// Trains one worker that sums its batch in `parts` parts, like as many workers.
inline Result alone(Run run, int parts) {
  run.ranks = 1;
  run.learning.strategy = "one_device";
  run.learning.micro_batches = parts;
  return train(run);
}

/// Returns the greatest difference of two weight vectors, divided by the greatest weight.
inline double distance(const std::vector<float>& a, const std::vector<float>& b) {
  double max = 0, greatest = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    max = std::max(max, std::abs(double{a[i]} - double{b[i]}));
    greatest = std::max(greatest, std::abs(double{b[i]}));
  }
  return a.size() == b.size() ? max / greatest : 1e9;
}

/// Returns whether `use` throws an Error(blame) that contains `part`; reports other outcomes.
template <class Use>
bool fails(arlab::Blame blame, const std::string& part, Use use) {
  try {
    use();
    UNSCOPED_INFO("no error");
  } catch (const arlab::Error& e) {
    UNSCOPED_INFO(static_cast<int>(e.blame()) << ": " << e.what());
    return e.blame() == blame && std::string(e.what()).find(part) != std::string::npos;
  }
  return false;
}

/// Trains, and returns when rank 0's steps begin, in picoseconds after the first one.
inline std::vector<std::int64_t> begins_of(Run run) {
  std::vector<std::int64_t> begins;
  double first = 0;
  run.each_step = [&](const arlab::training::StepReport& r, arlab::Rank rank) {
    if (rank != 0) return;
    if (begins.empty()) first = r.begin;
    begins.push_back(std::llround((r.begin - first) * arlab::kPicosecondsPerSecond));
  };
  train(run);
  return begins;
}

}  // namespace toy
