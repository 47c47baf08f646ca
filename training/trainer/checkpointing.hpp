// Backup: a run's state in checkpoints, and back: kill it at any step, start it again, and the
// weights at the end are the same to the bit.
//
// A state is taken where all ranks are settled. It holds weights, statistics, the optimizer's
// moments (of every rank, where each has its own), what every rank's compressors keep, the steps
// done, which tell the sampler's position, and the plan. Nothing in a run draws random numbers but
// the sampler and the making of data, which count from seeds, so there is no other random state to
// keep.
#pragma once

#include <optional>
#include <string>

#include "training/checkpoint/folder.hpp"
#include "training/trainer/trainer.hpp"

namespace arlab::training {

class Checkpointer {
 public:
  /// Every rank makes one, before Trainer::run(); only rank 0 touches the folder. The trainer
  /// outlives it and saves from now on.
  Checkpointer(Trainer& trainer, std::string folder, const SavePolicy& policy);

  /// Goes on from the newest whole checkpoint, if there is one; every rank calls it, once. Returns
  /// what people should be told: which one it was, what was refused or renamed. Throws Error(usage)
  /// if the checkpoint is of another run: another model, optimizer, data, ..., naming it.
  std::vector<std::string> resume();

 private:
  Checkpoint state();
  void restore(const Checkpoint& from);
  void settled(const EpochReport* epoch);
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
  std::optional<CheckpointFolder> folder_;  // rank 0's
};

}  // namespace arlab::training
