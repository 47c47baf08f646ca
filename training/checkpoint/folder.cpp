#include "training/checkpoint/folder.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "algorithms/base/error.hpp"
#include "training/io/files.hpp"

namespace arlab::training {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kStart = "step-", kEnd = ".ckpt";
constexpr std::size_t kDigits = 12;

std::string file_name(Count step) {
  std::string digits = std::to_string(step);
  if (digits.size() < kDigits) digits.insert(0, kDigits - digits.size(), '0');
  return std::string(kStart) + digits + std::string(kEnd);
}

// Returns the step in the name of a file, or nothing if it is not a checkpoint.
std::optional<Count> step_of(const std::string& name) {
  if (!name.starts_with(kStart) || !name.ends_with(kEnd)) return std::nullopt;
  const std::string digits =
      name.substr(kStart.size(), name.size() - std::min(name.size(), kStart.size() + kEnd.size()));
  if (digits.empty() || digits.size() > 18 ||
      digits.find_first_not_of("0123456789") != std::string::npos)
    return std::nullopt;
  return std::stoll(digits);
}

struct Found {
  Count step;
  fs::path path;
};

// Returns the checkpoints, newest first. A missing folder counts as empty.
std::vector<Found> checkpoints_in(const std::string& folder) {
  std::vector<Found> found;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error))
    if (const auto step = step_of(entry.path().filename().string()))
      found.push_back({*step, entry.path()});
  if (error && error != std::errc::no_such_file_or_directory)
    fail(Blame::environment,
         "cannot read " + folder + " (" + error.message() + "): use a folder of checkpoints");
  std::sort(found.begin(), found.end(), [](const Found& a, const Found& b) {
    return a.step != b.step ? a.step > b.step : a.path > b.path;
  });
  return found;
}

fs::path free_name(const fs::path& path) {
  for (int i = 1;; ++i)
    if (fs::path next = path.string() + '.' + std::to_string(i); !fs::exists(next)) return next;
}

}  // namespace

std::optional<Latest> latest_checkpoint(const std::string& folder) {
  Latest latest;
  for (const Found& f : checkpoints_in(folder)) {
    try {
      latest.checkpoint = read_checkpoint(f.path.string());
      latest.path = f.path.string();
      latest.step = f.step;
      return latest;
    } catch (const Error& error) {
      latest.refused.push_back(error.what());
    }
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

std::vector<std::string> CheckpointFolder::begin(Count step) {
  std::vector<std::string> moved;
  for (const Found& f : checkpoints_in(path_)) {
    if (f.step <= step && step > 0) break;  // a new run continues from none of them
    const fs::path aside = free_name(f.path);
    fs::rename(f.path, aside);
    moved.push_back(aside.string());
  }
  std::error_code ignored;  // a missing folder has nothing to remove
  for (const auto& entry : fs::directory_iterator(path_, ignored))
    if (is_left_over(entry.path().filename().string())) fs::remove(entry.path(), ignored);
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

std::optional<std::string> CheckpointFolder::save(Checkpoint checkpoint, const Moment& moment) {
  if (policy_.best_only) {
    if (!moment.validation_loss)
      fail(Blame::usage,
           "saving only the best checkpoint needs a validation loss: use validation data");
    const bool better = !best_ || *moment.validation_loss < *best_;
    if (!better || !std::isfinite(*moment.validation_loss)) return std::nullopt;
    best_ = moment.validation_loss;
  }
  if (policy_.weights_only)
    std::erase_if(checkpoint.sections,
                  [](const Section& s) { return !s.name.starts_with("weights/"); });
  checkpoint.add("saved",
                 Json{{"step", moment.step},
                      {"validation_loss",
                       moment.validation_loss ? Json(*moment.validation_loss) : Json(nullptr)},
                      {"weights_only", policy_.weights_only}});
  const std::string path = (fs::path(path_) / file_name(moment.step)).string();
  write_checkpoint(path, checkpoint);
  const std::vector<Found> all = checkpoints_in(path_);
  std::error_code ignored;  // failing to delete one must not stop the run
  for (std::size_t i = static_cast<std::size_t>(policy_.keep); policy_.keep > 0 && i < all.size();
       ++i)
    fs::remove(all[i].path, ignored);
  return path;
}

}  // namespace arlab::training
