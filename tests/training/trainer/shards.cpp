// Checkpoints of sharded runs: each rank saves and restores its part, at any number of ranks.
#include "training/checkpoint/shards.hpp"

#include <filesystem>
#include <fstream>
#include <set>

#include "tests/support/catch.hpp"
#include "tests/support/file_limit.hpp"
#include "tests/support/folder.hpp"
#include "tests/support/thorough.hpp"
#include "tests/support/toy_training.hpp"
#include "training/checkpoint/names.hpp"
#include "training/trainer/checkpointing.hpp"

using namespace arlab;
using namespace arlab::training;

namespace {

namespace fs = std::filesystem;
using Names = std::set<std::string>;

constexpr std::size_t kWeights = toy::ToyReplica::kHidden * (toy::ToyReplica::kInputs + 1) +
                                 toy::ToyReplica::kClasses * (toy::ToyReplica::kHidden + 1);

// The state of all ranks, put together from their parts.
struct Whole {
  std::vector<float> weights = std::vector<float>(kWeights);
  std::vector<float> moments = std::vector<float>(2 * kWeights);
  Count steps = -1;
  bool operator==(const Whole&) const = default;
};

void put_part(Trainer& trainer, Whole& whole) {
  const Strategy::Shard shard = trainer.shard().value();
  if (!shard.first) return;
  const auto copy = [](const FlatRange& range, std::span<float> from, std::span<float> to) {
    std::ranges::copy(range.of(from), range.of(to).begin());
  };
  for (const FlatRange& range : shard.ranges) {
    copy(range, trainer.replica().weights(), whole.weights);
    for (const std::size_t vector : {0UL, kWeights})
      copy(range, trainer.optimizer().moments().subspan(vector),
           std::span(whole.moments).subspan(vector));
  }
  if (trainer.communicator().rank() == 0) whole.steps = trainer.optimizer().steps();
}

struct Job {
  const char* strategy = "zero1";
  Rank ranks = 2, group = 0;
  Count epochs = 1;
  SavePolicy policy = {};
};

struct Trained {
  toy::Result result;
  Whole begin, end;                // after it was restored, and before the last checkpoint
  std::vector<std::string> notes;  // of rank 0
};

Trained train_in(const Folder& folder, const Job& job,
                 const std::function<void(toy::Run&)>& change = {}) {
  Trained trained;
  toy::Run run;
  run.ranks = job.ranks;
  run.learning.strategy = job.strategy;
  run.learning.optimizer.kind = OptimizerOptions::Kind::adam;
  run.learning.rate.base = 0.003;
  run.learning.epochs = job.epochs;
  run.learning.options.unit = 400;  // several units
  run.learning.route_options.group_size = job.group;
  toy::Checkpointers backups(static_cast<std::size_t>(job.ranks));
  std::vector<Trainer*> trainers(static_cast<std::size_t>(job.ranks));
  run.prepare = [&](Trainer& t) {
    const auto rank = static_cast<std::size_t>(t.communicator().rank());
    trainers[rank] = &t;
    backups[rank] = std::make_unique<Checkpointer>(t, folder.file("run"), job.policy);
    std::vector<std::string> notes = backups[rank]->resume();
    if (t.shard()) put_part(t, trained.begin);
    if (rank == 0) trained.notes = std::move(notes);
  };
  run.each_epoch = [&](Rank rank) {
    Trainer& t = *trainers[static_cast<std::size_t>(rank)];
    if (t.shard()) put_part(t, trained.end);
  };
  if (change) change(run);
  trained.result = toy::train(run);
  return trained;
}

Names files_of_run(const Folder& folder) {
  Names names;
  for (const auto& entry : fs::directory_iterator(folder.file("run")))
    names.insert(entry.path().filename().string());
  return names;
}

void flip(const std::string& path) {
  std::string bytes = text_of(path);
  bytes[bytes.size() / 2] ^= 1;
  std::ofstream(path, std::ios::binary) << bytes;
}

}  // namespace

TEST_CASE("a sharded run goes on at any number of ranks with the state of all ranks, to the bit") {
  const struct { Rank ranks, group; } counts[] = {{4, 2}, {3, 3}, {1, 1}, {4, 4}, {6, 3}, {2, 1}};
  for (const char* strategy : {"zero1", "zero2", "fsdp", "hsdp"}) {
    INFO(strategy);
    const bool in_groups = strategy == std::string_view("hsdp");
    const Folder folder;
    Whole before;
    Job job{.strategy = strategy, .epochs = 0, .policy = {.keep = 1}};
    for (const auto& count : counts) {
      INFO(count.ranks << " ranks, groups of " << count.group);
      job.ranks = count.ranks;
      job.group = in_groups ? count.group : 0;
      ++job.epochs;
      const Trained trained = train_in(folder, job);
      if (job.epochs > 1) {
        CHECK(trained.notes.at(0).starts_with("resuming after step"));
        CHECK(trained.begin == before);
      }
      REQUIRE(trained.result.epochs.size() == 1);
      CHECK(trained.end.steps == 10 * job.epochs);
      for (const auto& weights : trained.result.weights) CHECK(weights == trained.end.weights);
      before = trained.end;
      // A file of each rank of a group, and of the newest checkpoint alone.
      Names names{checkpoint_name(10 * job.epochs)};
      const Rank writers = in_groups ? count.group : count.ranks;
      for (Rank r = 0; r < writers; ++r) names.insert(shard_name(10 * job.epochs, r, count.ranks));
      CHECK(files_of_run(folder) == names);
    }
    const Folder other;  // what a run that was never interrupted learns
    job.ranks = job.group = in_groups ? 2 : 4;
    if (!in_groups) job.group = 0;
    CHECK(toy::distance(before.weights, train_in(other, job).end.weights) < 2e-5 * 6);
  }
}

TEST_CASE("with as many ranks, a sharded run killed at any step ends with the same bits") {
  struct Killed {};
  for (const Job& job : {Job{.strategy = "zero1", .ranks = 3}, Job{.strategy = "fsdp", .ranks = 2},
                         Job{.strategy = "hsdp", .ranks = 4, .group = 2}}) {
    Job often = job;
    often.epochs = 2;
    often.policy.every_steps = 4;
    const Folder whole_folder;
    const Whole whole = train_in(whole_folder, often).end;
    for (const Count end : {2, 9, 15}) {
      INFO(job.strategy << ", ended in step " << end);
      const Folder folder;
      CHECK_THROWS_AS(train_in(folder, often,
                               [&](toy::Run& run) {
                                 run.each_step = [end](const StepReport& r, Rank rank) {
                                   if (rank == 1 && r.step.number == end) throw Killed{};
                                 };
                               }),
                      Killed);
      const Trained rest = train_in(folder, often);
      CHECK(rest.end == whole);
      if (end > 8) CHECK(rest.notes.at(0).starts_with("resuming after step"));
    }
  }
}

TEST_CASE("without one of its shards a checkpoint is not used, but the one before it") {
  for (const char* what : {"missing", "damaged", "of another step"}) {
    INFO(what);
    const Folder folder;
    const Whole first = train_in(folder, {.ranks = 3}).end;
    train_in(folder, {.ranks = 3, .epochs = 2});
    const std::string shard = folder.file("run/" + shard_name(20, 2, 3));
    if (what == std::string_view("missing")) fs::remove(shard);
    if (what == std::string_view("damaged")) flip(shard);
    if (what == std::string_view("of another step"))
      fs::copy_file(folder.file("run/" + shard_name(10, 2, 3)), shard,
                    fs::copy_options::overwrite_existing);
    const Trained rest = train_in(folder, {.ranks = 2, .epochs = 2});
    REQUIRE(rest.notes.size() == 3);
    CHECK(rest.notes[0].find(shard) != std::string::npos);
    CHECK(rest.notes[1].starts_with("resuming after step 10"));
    CHECK(rest.notes[2].find(checkpoint_name(20) + ".1") != std::string::npos);
    CHECK(rest.begin == first);
    CHECK(fs::exists(folder.file("run/" + shard_name(20, 0, 3) + ".1")));

    flip(folder.file("run/" + shard_name(10, 0, 3)));
    flip(folder.file("run/" + shard_name(20, 0, 2)));
    CHECK(toy::fails(Blame::usage, "no checkpoint in " + folder.file("run") + " is usable",
                     [&] { train_in(folder, {.ranks = 2, .epochs = 3}); }));
  }
}

TEST_CASE(
    "if a rank or the index cannot be written, all fail and the previous checkpoint remains") {
  const Folder folder;
  const Whole first = train_in(folder, {.ranks = 3}).end;
  const Names before = files_of_run(folder);
  const auto fails_to_save = [&](const std::string& why, const std::string& in_the_way) {
    return toy::fails(Blame::environment, why, [&] {
      train_in(folder, {.ranks = 3, .epochs = 2}, [&](toy::Run& run) {
        run.each_step = [&](const StepReport& r, Rank rank) {
          if (rank == 0 && r.step.number == 15 && !in_the_way.empty())
            fs::create_directories(in_the_way + "/x");
        };
      });
    });
  };
  for (const std::string& name : {shard_name(20, 1, 3), checkpoint_name(20)}) {
    INFO(name);
    const std::string path = folder.file("run/" + name);
    CHECK(fails_to_save("cannot write " + path, path));
    fs::remove_all(path);
    CHECK(files_of_run(folder) == before);
  }
  {
    const FileLimit full(2000);  // less than a shard
    CHECK(fails_to_save("make room or write somewhere else", ""));
  }
  CHECK(files_of_run(folder) == before);
  const Trained rest = train_in(folder, {.ranks = 3, .epochs = 2});
  CHECK(rest.begin == first);
  CHECK(rest.end.steps == 20);
}

TEST_CASE("sharded runs save weights alone in one file, and only the best if asked to") {
  const Folder weights_folder;
  const Trained whole = train_in(weights_folder, {.ranks = 3, .policy = {.weights_only = true}});
  CHECK(files_of_run(weights_folder) == Names{checkpoint_name(10)});
  const auto latest = latest_checkpoint(weights_folder.file("run"));
  CHECK(latest->checkpoint.floats("weights/parameters") == whole.end.weights);
  CHECK_FALSE(latest->checkpoint.find("optimizer/moments"));
  CHECK(toy::fails(Blame::usage, "holds only weights",
                   [&] { train_in(weights_folder, {.ranks = 3, .epochs = 2}); }));

  const Folder folder;
  const Job job{.ranks = 2, .epochs = 4, .policy = {.keep = 0, .best_only = true}};
  train_in(folder, job, [](toy::Run& run) { run.learning.rate.base = 1e-30; });  // no loss is lower
  CHECK(files_of_run(folder) ==
        Names{checkpoint_name(10), shard_name(10, 0, 2), shard_name(10, 1, 2)});
}

TEST_CASE("a checkpoint in one file, as earlier versions wrote it, still resumes") {
  const Folder folder;
  const Trained dense = train_in(folder, {.strategy = "mirrored", .ranks = 2});
  auto latest = latest_checkpoint(folder.file("run"));
  for (Section& section : latest->checkpoint.sections)
    if (section.name == "plan") {
      std::string& strategy =
          std::get<Json>(section.values)["the strategy"].get_ref<std::string&>();
      strategy.replace(0, std::string("mirrored").size(), "zero2");
    }
  write_checkpoint(latest->path, latest->checkpoint);
  const Trained rest = train_in(folder, {.strategy = "zero2", .ranks = 3, .epochs = 2});
  CHECK(rest.begin.weights == dense.result.weights[0]);
  CHECK(rest.begin.moments == latest->checkpoint.floats("optimizer/moments"));
  CHECK(rest.begin.steps == 10);
  CHECK(toy::fails(Blame::usage, "the strategy was zero2",
                   [&] { train_in(folder, {.strategy = "mirrored", .ranks = 2, .epochs = 3}); }));
}
