// CheckpointFolder: the checkpoints of a run: when to save, which to keep, where to resume.
//
// File names contain the number of completed steps (names.hpp). One process of a job saves the
// checkpoints; if each rank has a part of the state, each writes its shard first (shards.hpp).
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/problem.hpp"
#include "collectives/files/lock_file.hpp"
#include "training/checkpoint/checkpoint.hpp"

namespace arlab::training {

/// When and what to save; all conditions may be combined. keep = 1 keeps only the latest.
struct SavePolicy {
  bool each_epoch = true;
  Count every_steps = 0;      ///< saves every so often; 0: only after epochs
  int keep = 3;               ///< number of newest checkpoints to keep; 0 keeps all
  bool best_only = false;     ///< saves only if the validation loss is the lowest so far
  bool weights_only = false;  ///< saves only sections whose names start with "weights/"
};

/// A moment of a run at which a checkpoint may be saved.
struct Moment {
  Count step = 0;  ///< steps since the run began, over all restarts
  bool epoch_ended = false;
  std::optional<double> validation_loss = std::nullopt;
};

struct Latest {
  std::string path;
  Count step = 0;
  Checkpoint checkpoint;
  std::vector<std::string> refused;  ///< newer, unusable ones with reasons, to be printed
};

/// Returns why a readable checkpoint is not usable; empty if it is.
using Refuse = std::function<std::string(const Checkpoint&)>;

/// Returns the newest usable checkpoint in the folder, or nothing if there are no checkpoint files.
/// Throws Error(usage) with all reasons if none of them is usable.
std::optional<Latest> latest_checkpoint(const std::string& folder, const Refuse& refuse = {});

class CheckpointFolder {
 public:
  /// Throws Error(usage) for an invalid policy.
  CheckpointFolder(std::string path, SavePolicy policy);

  /// Locks the folder, which it creates, until this is destroyed: one run at a time writes there.
  /// Call it before the checkpoints are read. Returns a note if the file system has no locks.
  /// Throws Error(environment), naming the process, if another run has locked it.
  std::string lock();

  /// Call once before the first save, with the step from which the run continues (0 for a new run).
  /// Renames damaged, newer or unrelated checkpoints and their shards to <name>.1, .2 and so on, so
  /// that they are not mistaken for this run's, and returns the checkpoints' new names, to be
  /// printed. Also removes what a killed process left: partial files, and shards without a
  /// checkpoint.
  std::vector<std::string> begin(Count step);
  /// The same for a run that resumes from `latest`, whose validation loss it remembers.
  std::vector<std::string> begin(const Latest& latest);

  bool due(const Moment& moment) const;

  /// Whether save() would save: not if only the best are saved and this is not. Throws Error(usage)
  /// if that needs a validation loss and there is none.
  bool wants(const Moment& moment) const;
  /// Saves, then deletes all but the newest `keep`, with their shards. Adds the section "saved":
  /// step, validation loss and whether it has only weights. Returns the file's name, or nothing if
  /// it is not wanted. Throws Error(environment) if the file cannot be written.
  std::optional<std::string> save(Checkpoint checkpoint, const Moment& moment);

 private:
  std::string path_;
  SavePolicy policy_;
  std::optional<double> best_;
  std::optional<collectives::LockFile> lock_;
};

}  // namespace arlab::training
