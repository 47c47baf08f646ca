// The folder in which a run keeps its checkpoints: when to save, which to keep, where to go on.
//
// Files are named by the number of steps that were made: step-000000001000.ckpt. Only one process
// of a job may save.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "algorithms/problem.hpp"
#include "training/checkpoint/checkpoint.hpp"

namespace arlab::training {

/// Any of these may be set together. To keep the latest alone: keep = 1.
struct SavePolicy {
  bool each_epoch = true;
  Count every_steps = 0;      ///< 0: not by step
  int keep = 3;               ///< the newest that are kept; 0 keeps all
  bool best_only = false;     ///< saves only what has a lower validation loss than all before
  bool weights_only = false;  ///< only sections whose names start with "weights/"
};

/// When in a run something is saved.
struct Moment {
  Count step = 0;  ///< steps made since the run began, over all its restarts
  bool epoch_ended = false;
  std::optional<double> validation_loss = std::nullopt;
};

struct Latest {
  std::string path;
  Count step = 0;
  Checkpoint checkpoint;
  std::vector<std::string>
      refused;  ///< newer ones that cannot be used, each with its reason: print
};

/// The newest checkpoint in the folder that is whole, or none where there are no files of
/// checkpoints. Throws Error(usage) with all reasons if there are some, but none is whole.
std::optional<Latest> latest_checkpoint(const std::string& folder);

class CheckpointFolder {
 public:
  /// Throws Error(usage) for a policy that makes no sense.
  CheckpointFolder(std::string path, SavePolicy policy);

  /// Once before the first save, at the step from which the run goes on (0 for a new one):
  /// checkpoints of later steps, damaged or of another run, are renamed to <name>.1, .2, ... so
  /// that they are not taken for this run's. Returns their new names, to be printed. Also removes
  /// what a killed process left half-written.
  std::vector<std::string> begin(Count step);
  /// The same for a run that goes on from `latest`, whose validation loss is remembered.
  std::vector<std::string> begin(const Latest& latest);

  bool due(const Moment& moment) const;

  /// Saves, then deletes what is beyond the newest `keep`. The section "saved" is added: step,
  /// validation loss and whether it is weights only. Returns the file's name; none if only the best
  /// are wanted, and this is not. Throws Error(environment) if it cannot be written.
  std::optional<std::string> save(Checkpoint checkpoint, const Moment& moment);

 private:
  std::string path_;
  SavePolicy policy_;
  std::optional<double> best_;
};

}  // namespace arlab::training
