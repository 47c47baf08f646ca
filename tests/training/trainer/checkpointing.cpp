#include "training/trainer/checkpointing.hpp"

#include <unistd.h>

#include <filesystem>
#include <set>
#include <utility>

#include "tests/support/catch.hpp"
#include "tests/support/toy_training.hpp"
#include "training/checkpoint/names.hpp"

using namespace arlab;
using namespace arlab::simulator;
using namespace arlab::collectives;
using namespace arlab::training;
namespace fs = std::filesystem;

namespace {

struct Folder {
  Folder() : path(fs::temp_directory_path() / ("arlab-backup-" + std::to_string(++made))) {
    fs::remove_all(path);
  }
  ~Folder() { fs::remove_all(path); }
  static inline int made = static_cast<int>(::getpid()) * 1000;
  fs::path path;
};

struct Backed {
  toy::Run run;
  std::vector<std::unique_ptr<Checkpointer>> backups;

  Backed(std::string strategy, const Folder& folder, SavePolicy policy) {
    run.learning.strategy = std::move(strategy);
    run.learning.optimizer.kind = OptimizerOptions::Kind::adam;
    run.learning.rate.base = 0.01;
    run.learning.epochs = 3;
    run.learning.options.values["servers"] = 2;
    run.ranks = find_strategy(run.learning.strategy).has_servers ? 5 : 3;
    backups.resize(5);
    run.prepare = [this, policy, path = folder.path.string()](Trainer& t) {
      auto& mine = backups[static_cast<std::size_t>(t.communicator().rank())];
      mine = std::make_unique<Checkpointer>(t, path, policy);
      mine->resume();
    };
  }
};

struct Killed {};

}  // namespace

TEST_CASE("a run killed at any step and resumed ends with the same weights, to the bit") {
  const SavePolicy policy{.each_epoch = true, .every_steps = 4};
  for (const char* strategy :
       {"mirrored", "central_storage", "parameter_server", "local_sgd", "diloco"}) {
    INFO(strategy);
    const Folder whole_folder;
    const auto whole = toy::train(Backed(strategy, whole_folder, policy).run);
    for (const Count end : {1, 6, 10, 17}) {
      INFO("ended in step " << end);
      const Folder folder;
      Backed ended(strategy, folder, policy);
      ended.run.each_step = [&](const StepReport& r, Rank rank) {
        if (rank == 1 && r.step.number == end) throw Killed{};
      };
      CHECK_THROWS_AS(toy::train(ended.run), Killed);
      ended.backups.clear();  // as the end of its process gives the folder back
      Count first = -1;
      Backed again(strategy, folder, policy);
      again.run.each_step = [&](const StepReport& r, Rank rank) {
        if (rank == 0 && first < 0) first = r.step.number;
      };
      const auto result = toy::train(again.run);
      for (std::size_t worker = 0; worker < 3; ++worker) {
        const bool equal = result.weights[worker] == whole.weights[worker];
        CHECK(equal);
      }
      if (end >= 10) CHECK(first > 0);  // earlier, rank 0 may not have saved yet
      CHECK(first <= end + 1);
    }
  }
}

TEST_CASE("saving checkpoints changes no weights, and comes when workers have equal ones anyway") {
  for (const auto& [strategy, values] :
       std::vector<std::pair<const char*, Values>>{{"mirrored", {}},
                                                   {"parameter_server", {}},
                                                   {"local_sgd", {{"every", 4}}},
                                                   {"local_sgd", {{"every", 30}}},
                                                   {"diloco", {{"every", 4}}},
                                                   {"stale_synchronous", {{"staleness", 0}}}}) {
    const auto trained = [&](Count every, const Folder& folder) {
      Backed backed(strategy, folder, {.each_epoch = false, .every_steps = every, .keep = 0});
      for (const auto& [name, value] : values) backed.run.learning.options.values[name] = value;
      return toy::train(backed.run).weights[0];
    };
    const Folder none;
    const std::vector<float> expected = trained(0, none);
    for (const Count every : {1, 3, 5, 40}) {
      INFO(strategy << ", every " << every);
      const Folder folder;
      const bool equal = trained(every, folder) == expected;
      CHECK(equal);
    }
  }
}

TEST_CASE("checkpoints are saved at the first step at or after each multiple of those asked for") {
  const auto saved = [](const char* strategy, Count period) {
    const Folder folder;
    Backed backed(strategy, folder, {.each_epoch = false, .every_steps = 3, .keep = 0});
    backed.run.learning.options.values["every"] = static_cast<double>(period);
    toy::train(backed.run);
    std::set<Count> steps;
    for (const auto& file : fs::directory_iterator(folder.path))
      if (const auto step = step_of_checkpoint(file.path().filename().string()))
        steps.insert(*step);
    return steps;
  };
  using Steps = std::set<Count>;
  // Of epochs of 10 steps, workers average after 4, 8, and 10.
  for (const char* strategy : {"local_sgd", "diloco"})
    CHECK(saved(strategy, 4) == Steps{4, 8, 10, 14, 18, 24, 28, 30});
  CHECK(saved("local_sgd", 1) == Steps{3, 6, 9, 12, 15, 18, 21, 24, 27, 30});
  CHECK(saved("mirrored", 4) == Steps{3, 6, 9, 12, 15, 18, 21, 24, 27, 30});
}

TEST_CASE("strategies know after which steps another settling changes nothing") {
  const auto steps = [](const char* strategy, const Values& values) {
    return steps_to_settle(find_strategy(strategy), values);
  };
  CHECK(steps("mirrored", {}) == 1);
  CHECK(steps("parameter_server", {}) == 1);
  CHECK(steps("local_sgd", {}) == 8);
  CHECK(steps("diloco", {{"every", 50}}) == 50);
  CHECK(steps("diloco", {{"fragments", 2}}) == 0);
  CHECK(steps("diloco", {{"delay", 1}}) == 0);
  CHECK(steps("stale_synchronous", {}) == 0);
  CHECK(steps("stale_synchronous", {{"staleness", 0}}) == 1);
  CHECK(steps("async_parameter_server", {}) == 0);
}

TEST_CASE("checkpoints hold the compressors' state: a resumed run has the same bits") {
  for (const char* spec : {"topk:ratio=0.1", "powersgd:rank=1", "dgc:warm_up=3",
                           "onebit_adam:freeze=8", "int8:feedback=on"}) {
    INFO(spec);
    const auto backed = [&](const Folder& folder) {
      Backed b("mirrored", folder, {.each_epoch = true, .every_steps = 4});
      b.run.learning.optimizer.kind = OptimizerOptions::Kind::sgd;
      b.run.learning.options.gradients.compressor = choose_compressor(spec);
      return b;
    };
    const Folder whole_folder, folder;
    Backed whole = backed(whole_folder), ended = backed(folder), again = backed(folder);
    Backed more = backed(folder);
    const auto expected = toy::train(whole.run).weights;
    ended.run.each_step = [](const StepReport& r, Rank rank) {
      if (rank == 1 && r.step.number == 14) throw Killed{};
    };
    CHECK_THROWS_AS(toy::train(ended.run), Killed);
    ended.backups.clear();  // as the end of its process gives the folder back
    more.run.ranks = 4;
    CHECK(toy::fails(Blame::usage, "state for another number of ranks than 4",
                     [&] { toy::train(more.run); }));
    more.backups.clear();
    const bool equal = toy::train(again.run).weights == expected;
    CHECK(equal);
  }
}

TEST_CASE(
    "after a gradient that is not finite, the last good step is saved, and a corrected run "
    "resumes") {
  const SavePolicy policy;  // saves in each epoch
  const Folder folder, whole_folder;
  const auto whole = toy::train(Backed("mirrored", whole_folder, policy).run);
  Backed bad("mirrored", folder, policy);
  bad.run.prepare = [&, prepare = bad.run.prepare](Trainer& t) {
    prepare(t);
    t.on_failure([&t, saves = t.steps_done()]() mutable {
      CHECK(t.steps_done() == 13);
      CHECK(saves == 0);
    });
  };
  bad.run.each_step = [](const StepReport& r, Rank rank) {
    if (rank == 0 && r.step.number == 12) fail(Blame::check, "like a bad gradient");
  };
  CHECK(toy::fails(Blame::check, "like a bad gradient", [&] { toy::train(bad.run); }));
  bad.backups.clear();
  Backed again("mirrored", folder, policy);
  const bool equal = toy::train(again.run).weights == whole.weights;
  CHECK(equal);
}

TEST_CASE("names the difference of another run by numbers as they were given") {
  const Folder folder;
  const auto with_momentum = [&](float momentum) {
    Backed backed("mirrored", folder, {});
    backed.run.learning.optimizer = {
        .kind = OptimizerOptions::Kind::momentum, .momentum = momentum, .weight_decay = 1e-4F};
    toy::train(backed.run);
  };
  with_momentum(0.8F);
  CHECK(toy::fails(Blame::usage,
                   "the optimizer was momentum 0.8, weight decay 1e-04 and is now momentum 0.7, "
                   "weight decay 1e-04: use the same options",
                   [&] { with_momentum(0.7F); }));
}

TEST_CASE("rejects checkpoints of another run, naming the difference") {
  const Folder folder;
  toy::train(Backed("mirrored", folder, {}).run);
  const auto refused = [&](const std::string& part, const std::function<void(toy::Run&)>& change) {
    Backed other("mirrored", folder, {});
    change(other.run);
    return toy::fails(Blame::usage, part, [&] { toy::train(other.run); });
  };
  CHECK(refused("the optimizer was adam",
                [](toy::Run& run) { run.learning.optimizer.kind = OptimizerOptions::Kind::sgd; }));
  CHECK(refused("the strategy was mirrored",
                [](toy::Run& run) { run.learning.strategy = "central_storage"; }));
  CHECK(refused("the learning rate was", [](toy::Run& run) { run.learning.rate.base = 1; }));
}

TEST_CASE("another number of workers may resume if no worker has its own state") {
  const Folder folder;
  toy::train(Backed("mirrored", folder, {}).run);
  Backed more("mirrored", folder, {});
  more.run.ranks = 4;
  more.run.learning.epochs = 4;
  const auto result = toy::train(more.run);
  CHECK(result.epochs.size() == 1);

  const Folder own;
  toy::train(Backed("local_sgd", own, {}).run);
  Backed other("local_sgd", own, {});
  other.run.ranks = 2;
  CHECK(toy::fails(Blame::usage, "state for another number of ranks than 2",
                   [&] { toy::train(other.run); }));
}

TEST_CASE("rejects resuming from weights only") {
  const Folder folder;
  toy::train(Backed("mirrored", folder, {.weights_only = true}).run);
  Backed again("mirrored", folder, {});
  CHECK(toy::fails(Blame::usage, "holds only weights", [&] { toy::train(again.run); }));
}

TEST_CASE("rejects a checkpoint without its position or optimizer's steps, naming the section") {
  const std::pair<const char*, std::string> cases[] = {{"mirrored", "position"},
                                                       {"mirrored", "optimizer/steps"},
                                                       {"local_sgd", "optimizer/moments/1/steps"},
                                                       {"zero1", "position"},
                                                       {"zero1", "optimizer/steps"}};
  for (const auto& [strategy, name] : cases) {
    const Folder folder;
    toy::train(Backed(strategy, folder, {}).run);
    int emptied = 0;
    for (const auto& file : fs::directory_iterator(folder.path)) try {
        Checkpoint c = read_checkpoint(file.path().string());
        for (Section& s : c.sections)
          if (s.name == name) s.values = Integers{}, ++emptied;
        write_checkpoint(file.path().string(), c);
      } catch (const Error&) {  // a shard
      }
    INFO(strategy << " " << name);
    CHECK(emptied > 0);
    Backed again(strategy, folder, {});
    CHECK(toy::fails(Blame::usage, "has 0 numbers in section '" + name + "'",
                     [&] { toy::train(again.run); }));
  }
}
