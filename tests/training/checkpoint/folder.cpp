#include "training/checkpoint/folder.hpp"

#include <cmath>
#include <filesystem>
#include <set>

#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"
#include "tests/support/folder.hpp"
#include "tests/support/killed_writer.hpp"

using namespace arlab;
using namespace arlab::training;

namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

Names names_in(const Folder& folder) {
  Names names;
  for (const auto& entry : fs::directory_iterator(folder.file("")))
    names.insert(entry.path().filename().string());
  return names;
}

Checkpoint of_step(Count step) {
  Checkpoint c;
  c.add("weights/0", Floats(1000, static_cast<float>(step)));
  c.add("step", Integers{step});
  return c;
}

void save(CheckpointFolder& folder, Count step) { folder.save(of_step(step), {.step = step}); }

std::string step_file(Count step) {
  const std::string digits = std::to_string(step);
  return "step-" + std::string(12 - digits.size(), '0') + digits + ".ckpt";
}

}  // namespace

TEST_CASE("checkpoints are due by epoch and by step, according to the policy") {
  const CheckpointFolder by_epoch("x", {}), by_step("x", {.each_epoch = false, .every_steps = 10}),
      both("x", {.every_steps = 10}), never("x", {.each_epoch = false});
  CHECK(by_epoch.due({.step = 7, .epoch_ended = true}));
  CHECK_FALSE(by_epoch.due({.step = 10}));
  CHECK(by_step.due({.step = 20}));
  CHECK_FALSE(by_step.due({.step = 0}));
  CHECK_FALSE(by_step.due({.step = 21, .epoch_ended = true}));
  CHECK((both.due({.step = 20}) && both.due({.step = 21, .epoch_ended = true})));
  CHECK_FALSE(never.due({.step = 10, .epoch_ended = true}));
  CHECK(failure([] {
          CheckpointFolder("x", {.every_steps = -1});
        }).starts_with("2: a checkpoint interval of -1"));
  CHECK(failure([] { CheckpointFolder("x", {.keep = -1}); }).starts_with("2: -1 checkpoints"));
}

TEST_CASE("keeps the newest checkpoints and finds the latest") {
  const Folder folder;
  CHECK_FALSE(latest_checkpoint(folder.file("none")).has_value());
  CheckpointFolder run(folder.file(""), {.keep = 2});
  folder.with("notes.txt", "mine");
  for (const Count step : {900, 1000, 1100}) save(run, step);
  CHECK(names_in(folder) == Names{"notes.txt", step_file(1000), step_file(1100)});
  const auto latest = latest_checkpoint(folder.file(""));
  REQUIRE(latest);
  CHECK(latest->step == 1100);
  CHECK(latest->refused.empty());
  CHECK(latest->checkpoint.integers("step")[0] == 1100);
  CHECK(latest->checkpoint.json("saved")["step"] == 1100);
  CHECK(latest->checkpoint.json("saved")["validation_loss"].is_null());

  CheckpointFolder all(folder.file(""), {.keep = 0});
  for (const Count step : {1200, 1300}) save(all, step);
  CHECK(names_in(folder).size() == 5);
}

TEST_CASE("if the newest checkpoint is damaged, the previous one is used, with the reason") {
  const Folder folder;
  CheckpointFolder run(folder.file(""), {});
  for (const Count step : {1, 2, 3}) save(run, step);
  std::string newest = text_of(folder.file(step_file(3)));
  newest[newest.size() / 2] ^= 1;
  folder.with(step_file(3), newest);
  folder.with(step_file(2), text_of(folder.file(step_file(2))).substr(0, 1000));
  const auto latest = latest_checkpoint(folder.file(""));
  REQUIRE(latest);
  CHECK(latest->step == 1);
  REQUIRE(latest->refused.size() == 2);
  CHECK(latest->refused[0] ==
        "the checkpoint " + folder.file(step_file(3)) +
            " is damaged: the checksum of section 'weights/0' is wrong: use an earlier one");
  CHECK(latest->refused[1].find("is truncated: it has 1000 of ") != std::string::npos);

  // The run continues from 1; later checkpoints are moved aside.
  CheckpointFolder again(folder.file(""), {.keep = 1});
  const std::vector<std::string> moved = again.begin(*latest);
  CHECK(moved == std::vector<std::string>{folder.file(step_file(3) + ".1"),
                                          folder.file(step_file(2) + ".1")});
  save(again, 2);
  CHECK(latest_checkpoint(folder.file(""))->step == 2);
  CHECK(names_in(folder) == Names{step_file(2), step_file(2) + ".1", step_file(3) + ".1"});
}

TEST_CASE("if no checkpoint is usable, all reasons are reported, and no new run starts") {
  const Folder folder;
  folder.with(step_file(1), "");
  folder.with(step_file(2), "ZIP archive, or something else");
  const std::string said = failure([&] { latest_checkpoint(folder.file("")); });
  CHECK(said.starts_with("2: no checkpoint in " + folder.file("") +
                         " is usable; move them away to start a new run:\n  " +
                         folder.file(step_file(2)) + " is not a checkpoint of arlab"));
  CHECK(said.find(step_file(1) + " is truncated: it has 0 bytes") != std::string::npos);
}

TEST_CASE("a new run in a used folder renames existing checkpoints") {
  const Folder folder;
  CheckpointFolder first(folder.file(""), {});
  save(first, 500);
  folder.with(step_file(500) + ".1", "of an earlier run");
  folder.with(step_file(400) + ".writing-4711", "half");
  CheckpointFolder second(folder.file(""), {});
  CHECK(second.begin(0) == std::vector<std::string>{folder.file(step_file(500) + ".2")});
  CHECK(names_in(folder) == Names{step_file(500) + ".1", step_file(500) + ".2"});
  CHECK_FALSE(latest_checkpoint(folder.file("")).has_value());
}

TEST_CASE("best_only saves only the best, also after a restart") {
  const Folder folder;
  const SavePolicy policy{.keep = 1, .best_only = true};
  CheckpointFolder run(folder.file(""), policy);
  const auto saves = [](CheckpointFolder& f, Count step, double loss) {
    return f.save(of_step(step), {.step = step, .epoch_ended = true, .validation_loss = loss})
        .has_value();
  };
  CHECK_FALSE(saves(run, 1, std::nan("")));
  CHECK_FALSE(saves(run, 1, -HUGE_VAL));
  CHECK(saves(run, 2, 0.5));
  CHECK_FALSE(saves(run, 3, 0.5));
  CHECK_FALSE(saves(run, 4, 0.6));
  CHECK_FALSE(saves(run, 5, std::nan("")));
  CHECK(saves(run, 6, 0.4));
  CHECK(names_in(folder) == Names{step_file(6)});

  CheckpointFolder again(folder.file(""), policy);
  again.begin(*latest_checkpoint(folder.file("")));
  CHECK_FALSE(saves(again, 7, 0.45));
  CHECK(saves(again, 8, 0.3));
  CHECK(failure([&] { again.save(of_step(9), {.step = 9}); }) ==
        "2: saving only the best checkpoint needs a validation loss: use validation data");
}

TEST_CASE("weights_only saves only weights") {
  const Folder folder;
  CheckpointFolder run(folder.file(""), {.weights_only = true});
  save(run, 5);
  const auto latest = latest_checkpoint(folder.file(""));
  CHECK(latest->checkpoint.floats("weights/0")[0] == 5);
  CHECK(latest->checkpoint.json("saved")["weights_only"] == true);
  CHECK(failure([&] { latest->checkpoint.integers("step"); }).find("with more than weights") !=
        std::string::npos);
}

TEST_CASE("other files with similar names are left alone") {
  const Folder folder;
  for (const char* name : {"step-.ckpt", "step-12x.ckpt", "step-1.ckpt.1",
                           "step-99999999999999999999.ckpt", "step-.ckp", "steps-1.ckpt"})
    folder.with(name, "?");
  CHECK_FALSE(latest_checkpoint(folder.file("")).has_value());
  CHECK(CheckpointFolder(folder.file(""), {}).begin(0).empty());
  CHECK(names_in(folder).size() == 6);
  CHECK(failure([&] {
          latest_checkpoint(folder.file("step-.ckpt"));
        }).starts_with("3: cannot read " + folder.file("step-.ckpt") + " (Not a directory)"));
}

TEST_CASE("a process killed at any time leaves only complete checkpoints") {
  const Folder folder;
  const std::string path = folder.file("run");
  Count before = 0;
  const auto write = [&] {
    CheckpointFolder run(path, {.keep = 2});
    for (Count step = before + 1;; ++step) save(run, step);
  };
  kill_at_any_time(2000, write, [&] {
    const auto latest = latest_checkpoint(path);
    if (!latest) return false;  // killed before its first checkpoint was complete
    CHECK(latest->refused.empty());
    CHECK(latest->checkpoint.integers("step")[0] == latest->step);
    CHECK(latest->step >= before);
    before = latest->step;
    CheckpointFolder(path, {}).begin(*latest);
    for (const auto& entry : fs::directory_iterator(path))
      CHECK(entry.path().extension() == ".ckpt");
    return true;
  });
  CHECK(before > 0);
}
