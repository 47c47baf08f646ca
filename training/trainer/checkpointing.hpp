// Checkpointer: saves a run's state in checkpoints and restores it. A run that is killed at any
// step and resumed ends with the same weights, to the bit.
//
// It saves when all ranks are settled. A checkpoint holds weights, statistics, optimizer moments
// (of every rank if they differ), each rank's compressor state, the number of steps done, which
// gives the sampler's position, and the run parameters. There is no random state: the sampler and
// the synthetic data derive their random numbers from seeds and counters.
//
// With a sharded strategy, each rank writes and reads its part of weights and moments (shards.hpp).
#pragma once

#include <optional>
#include <string>

#include "training/checkpoint/folder.hpp"
#include "training/trainer/trainer.hpp"

namespace arlab::training {

class Checkpointer {
 public:
  /// Every rank makes one before Trainer::run(). From then on the trainer, which must outlive it,
  /// saves checkpoints, as Trainer::on_settled() says. Only rank 0 accesses the folder; with a
  /// sharded strategy, all ranks do.
  Checkpointer(Trainer& trainer, std::string folder, const SavePolicy& policy);

  /// Restores the newest complete checkpoint, if there is one. Every rank calls it once. Returns
  /// notes for the user: the checkpoint in use, and those rejected or renamed. Throws Error(usage)
  /// naming the first run parameter that differs, such as model, optimizer or data.
  std::vector<std::string> resume();

 private:
  Checkpoint state();
  void restore(const Checkpoint& from);
  void add_position(Checkpoint& to);
  std::string offer(const Checkpoint& from);
  bool take_offers();
  std::string restore_part(const Checkpoint& from);
  void settled(const EpochReport* epoch);
  bool is_due(const Moment& moment) const;
  void save_shards(const Moment& moment);
  void save_index(const std::vector<std::string>& files, const Moment& moment);
  std::string first_of(const std::string& reason);
  void rescue();
  void gather_moments(Checkpoint* into);
  void scatter_moments(const Checkpoint* from);
  void expect_part_of_each(const Checkpoint* from, std::string (*part_of)(Rank));
  void gather_states(Checkpoint* into);
  void scatter_states(const Checkpoint* from);
  bool keeps() const { return folder_.has_value(); }

  Trainer& trainer_;
  std::string path_;
  SavePolicy policy_;
  std::optional<CheckpointFolder> folder_;  // on rank 0 only
  Count settled_at_ = 0;                    // step, at the last call of settled() or resume()
};

}  // namespace arlab::training
