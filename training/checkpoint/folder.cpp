#include "training/checkpoint/folder.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "algorithms/base/error.hpp"
#include "collectives/files/output_file.hpp"
#include "training/checkpoint/names.hpp"

namespace arlab::training {
namespace {

namespace fs = std::filesystem;

struct Found {
  Count step;
  fs::path path;
};

// Returns the checkpoints, newest first. A missing folder counts as empty.
std::vector<Found> checkpoints_in(const std::string& folder) {
  std::vector<Found> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (const auto step = step_of_checkpoint(entry.path().filename().string()))
      found.push_back({*step, entry.path()});
  if (error && error != std::errc::no_such_file_or_directory)
    fail(Blame::environment,
         "cannot read " + folder + " (" + error.message() + "): use a folder of checkpoints");
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    return a.step != b.step ? a.step > b.step : a.path > b.path;
  });
  return found;
}

// Returns the shards of one step.
std::vector<fs::path> shards_of(Count step, const std::string& folder) {
  std::vector<fs::path> found;
  std::error_code ignored;  // a missing folder has none
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (step_of_shard(entry.path().filename().string()) == step) found.push_back(entry.path());
  return found;
}

// Renames a checkpoint and its shards, all with one suffix. Returns the new name of the checkpoint.
std::string move_aside(const Found& f, const std::string& folder) {
  std::vector<fs::path> files = shards_of(f.step, folder);
  files.push_back(f.path);
  const auto exists = [&](const std::string& suffix) {
    return std::any_of(files.begin(), files.end(),
                       [&](const fs::path& path) { return fs::exists(path.string() + suffix); });
  };
  int number = 1;
  while (exists('.' + std::to_string(number))) ++number;
  for (const fs::path& path : files) fs::rename(path, path.string() + '.' + std::to_string(number));
  return f.path.string() + '.' + std::to_string(number);
}

// First the checkpoint: without it, its shards are nothing.
void remove_checkpoint(const Found& f, const std::string& folder) {
  std::error_code ignored;  // failing to delete one must not stop the run
  fs::remove(f.path, ignored);
  for (const fs::path& shard : shards_of(f.step, folder)) fs::remove(shard, ignored);
}

}  // namespace

std::optional<Latest> latest_checkpoint(const std::string& folder, const Refuse& refuse) {
  Latest latest;
  for (const Found& f : checkpoints_in(folder)) {
    try {
      latest.checkpoint = read_checkpoint(f.path.string());
    } catch (const Error& error) {
      latest.refused.push_back(error.what());
      continue;
    }
    if (std::string reason = refuse ? refuse(latest.checkpoint) : ""; !reason.empty()) {
      latest.refused.push_back(std::move(reason));
      continue;
    }
    latest.path = f.path.string();
    latest.step = f.step;
    return latest;
  }
  if (latest.refused.empty()) return std::nullopt;
  std::string all;
  for (const std::string& reason : latest.refused) all += "\n  " + reason;
  fail(Blame::usage,
       "no checkpoint in " + folder + " is usable; move them away to start a new run:" + all);
}

CheckpointFolder::CheckpointFolder(std::string path, SavePolicy policy)
    : path_(std::move(path)), policy_(policy) {
  if (policy_.every_steps < 0)
    fail(Blame::usage, "a checkpoint interval of " + std::to_string(policy_.every_steps) +
                           " steps is negative: use 0 to save only after epochs");
  if (policy_.keep < 0)
    fail(Blame::usage,
         std::to_string(policy_.keep) + " checkpoints to keep is negative: use 0 to keep all");
}

std::string CheckpointFolder::lock() {
  if (lock_) return "";
  lock_.emplace((fs::path(path_) / "writer.lock").string(), collectives::LockFile::When::now);
  if (lock_->state() == collectives::Locked::by_another)
    fail(Blame::environment, "the checkpoints in " + path_ + " belong to a run in progress (" +
                                 lock_->holder() + "): wait for its end, or use another folder");
  return lock_->state() == collectives::Locked::here
             ? ""
             : path_ + " is on a file system without locks: let no other run write there";
}

std::vector<std::string> CheckpointFolder::begin(Count step) {
  std::vector<std::string> moved;
  for (const Found& f : checkpoints_in(path_)) {
    if (f.step <= step && step > 0) break;  // a new run continues from none of them
    moved.push_back(move_aside(f, path_));
  }
  std::vector<fs::path> left;
  std::error_code ignored;  // a missing folder has nothing to remove
  for (const auto& entry : fs::directory_iterator(path_, ignored)) {
    const std::string name = entry.path().filename().string();
    const auto of = step_of_shard(name);
    const bool left_over = collectives::is_left_over(name);
    if (left_over || (of && !fs::exists(fs::path(path_) / checkpoint_name(*of))))
      left.push_back(entry.path());
  }
  for (const fs::path& path : left) fs::remove(path, ignored);
  return moved;
}

std::vector<std::string> CheckpointFolder::begin(const Latest& latest) {
  if (const Section* saved = latest.checkpoint.find("saved")) {
    const Json* json = std::get_if<Json>(&saved->values);
    if (json && json->contains("validation_loss") && (*json)["validation_loss"].is_number())
      best_ = (*json)["validation_loss"].get<double>();
  }
  return begin(latest.step);
}

bool CheckpointFolder::due(const Moment& moment) const {
  return (policy_.each_epoch && moment.epoch_ended) ||
         (policy_.every_steps > 0 && moment.step > 0 && moment.step % policy_.every_steps == 0);
}

bool CheckpointFolder::wants(const Moment& moment) const {
  if (!policy_.best_only) return true;
  if (!moment.validation_loss)
    fail(Blame::usage,
         "saving only the best checkpoint needs a validation loss: use validation data");
  return std::isfinite(*moment.validation_loss) && (!best_ || *moment.validation_loss < *best_);
}

std::optional<std::string> CheckpointFolder::save(Checkpoint checkpoint, const Moment& moment) {
  if (!wants(moment)) return std::nullopt;
  if (policy_.best_only) best_ = moment.validation_loss;
  if (policy_.weights_only)
    std::erase_if(checkpoint.sections,
                  [](const Section& s) { return !s.name.starts_with("weights/"); });
  checkpoint.add("saved",
                 Json{{"step", moment.step},
                      {"validation_loss",
                       moment.validation_loss ? Json(*moment.validation_loss) : Json(nullptr)},
                      {"weights_only", policy_.weights_only}});
  const std::string path = (fs::path(path_) / checkpoint_name(moment.step)).string();
  write_checkpoint(path, checkpoint);
  const std::vector<Found> all = checkpoints_in(path_);
  for (std::size_t i = static_cast<std::size_t>(policy_.keep); policy_.keep > 0 && i < all.size();
       ++i)
    remove_checkpoint(all[i], path_);
  return path;
}

}  // namespace arlab::training
