// diloco: special cases that equal other strategies, and the outer steps of a constant gradient,
// computed by hand.
#include <algorithm>
#include <string>
#include <tuple>
#include <utility>

#include "tests/support/catch.hpp"
#include "tests/support/compressors.hpp"
#include "tests/support/folder.hpp"
#include "tests/support/toy_training.hpp"
#include "training/strategies/fragments.hpp"
#include "training/trainer/checkpointing.hpp"

using namespace arlab;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

using OptimizerKind = OptimizerOptions::Kind;

toy::Run diloco_run(const char* strategy, Rank workers, OptimizerKind optimizer, Count every) {
  toy::Run run;
  run.ranks = workers;
  run.learning.strategy = strategy;
  run.learning.optimizer.kind = optimizer;
  run.learning.rate.base = 0.03;
  run.learning.epochs = 2;
  run.learning.options.values["every"] = static_cast<double>(every);
  run.learning.options.values["outer_rate"] = 1;
  run.learning.options.values["outer_momentum"] = 0;
  return run;
}

/// Weights of 10 whose gradients are always 1, whatever the samples are.
class Slope final : public HostReplica {
 public:
  explicit Slope(std::size_t number = 1)
      : HostReplica(std::vector<Variable>(number, {"slope", {1}, 0, 1, 1}), 10) {}
  BatchResult learn(const Samples& samples, float) override {
    for (std::size_t v = 0; v < variables_.size(); ++v) needs(v);
    for (std::size_t v = variables_.size(); v-- > 0;) {
      gradients_[v] = 1;
      is_ready(v);
    }
    return {0, 0, static_cast<Count>(samples.labels.size())};
  }
  BatchResult evaluate(const Samples&) override { return {}; }
};

}  // namespace

TEST_CASE("diloco with one inner step, outer rate 1 and no outer momentum equals mirrored") {
  for (const auto optimizer : {OptimizerKind::sgd, OptimizerKind::momentum})
    for (const Rank workers : {2, 3, 4}) {
      INFO(name(optimizer) << ", " << workers << " workers");
      const auto outer = toy::train(diloco_run("diloco", workers, optimizer, 1)).weights;
      const auto dense = toy::train(diloco_run("mirrored", workers, optimizer, 1)).weights;
      for (std::size_t w = 0; w < outer.size(); ++w) {
        CHECK(toy::distance(outer[w], dense[0]) < 2e-5);
        CHECK(outer[w] == outer[0]);
      }
    }
}

TEST_CASE("diloco with outer rate 1 and no outer momentum equals local_sgd, for any interval") {
  for (const auto optimizer : {OptimizerKind::sgd, OptimizerKind::adam})
    for (const Count every : {1, 4, 7}) {
      INFO(name(optimizer) << ", every " << every);
      const auto outer = toy::train(diloco_run("diloco", 3, optimizer, every)).weights;
      const auto local = toy::train(diloco_run("local_sgd", 3, optimizer, every)).weights;
      CHECK(toy::distance(outer[0], local[0]) < 2e-5);
    }
}

TEST_CASE("the outer steps of a constant gradient are those of Nesterov's method") {
  toy::Run run = diloco_run("diloco", 2, OptimizerKind::sgd, 4);
  run.learning.rate.base = 0.125;
  run.learning.epochs = 1;  // of 10 steps: outer steps after 4, 8, and 10
  run.learning.options.values["outer_rate"] = 0.5;
  run.learning.options.values["outer_momentum"] = 0.5;
  run.make = [](Rank) { return std::make_unique<Slope>(); };
  // Changes of 0.5, 0.5, 0.25; velocities 0.5, 0.75, 0.625;
  // steps 0.5 (0.5 + 0.25), 0.5 (0.5 + 0.375), 0.5 (0.25 + 0.3125).
  for (const std::vector<float>& weights : toy::train(run).weights)
    CHECK(weights.at(0) == 10 - 0.375F - 0.4375F - 0.28125F);
}

TEST_CASE("diloco learns with the default outer optimizer") {
  toy::Run run = diloco_run("diloco", 4, OptimizerKind::sgd, 2);
  run.learning.options = {.values = {{"every", 2}}};
  run.learning.epochs = 4;
  const toy::Result result = toy::train(run);
  for (std::size_t e = 1; e < result.epochs.size(); ++e)
    CHECK(result.epochs[e].train.loss < result.epochs[e - 1].train.loss);
}

TEST_CASE("fragments cover all variables, one after another, with about equal sizes") {
  using training::cut_into_fragments;
  const std::vector<Count> sizes{100, 1, 1, 50, 60, 88, 0, 3};
  for (Count fragments = 1; fragments <= 8; ++fragments) {
    INFO(fragments << " fragments");
    const auto all = cut_into_fragments(sizes, fragments);
    REQUIRE(static_cast<Count>(all.size()) == fragments);
    std::size_t next = 0;
    for (const auto& range : all) {
      CHECK(range.first == next);
      CHECK(range.end > range.first);
      next = range.end;
    }
    CHECK(next == sizes.size());
  }
  const auto halves = cut_into_fragments(sizes, 2);
  CHECK(halves[0].end == 4);  // 152 of 303
  const auto thirds = cut_into_fragments(std::vector<Count>(6, 10), 3);
  CHECK(thirds[0].end == 2);
  CHECK(thirds[1].end == 4);
}

TEST_CASE("every fragment is due once per interval, the last one at its end") {
  for (const Count every : {1, 4, 7, 8})
    for (const Count fragments : {1, 2, 3, 5})
      for (Count f = 0; f < fragments; ++f) {
        Count times = 0;
        for (Count step = 1; step <= every; ++step)
          times += training::is_due(step, f, fragments, every) ? 1 : 0;
        CHECK(times == 1);
        if (f == fragments - 1) CHECK(training::is_due(every, f, fragments, every));
      }
  CHECK(training::is_due(4, 0, 2, 8));
  CHECK(!training::is_due(8, 0, 2, 8));
}

TEST_CASE("fragments with one inner step equal the whole model, and send as much") {
  toy::Run whole = diloco_run("diloco", 3, OptimizerKind::sgd, 1), parts = whole;
  parts.learning.options.values["fragments"] = 4;
  const toy::Result one = toy::train(whole), four = toy::train(parts);
  CHECK(toy::distance(four.weights[0], one.weights[0]) < 2e-5);
  CHECK(four.epochs.back().bytes_sent == one.epochs.back().bytes_sent);
  for (const auto& weights : four.weights) CHECK(weights == four.weights[0]);
}

TEST_CASE("fragments of two variables take turns, computed by hand") {
  // As above, every 4 steps: the first fragment after 2, 6 and 10, the second one after 4, 8 and
  // 10.
  toy::Run run = diloco_run("diloco", 2, OptimizerKind::sgd, 4);
  run.learning.rate.base = 0.125;
  run.learning.epochs = 1;
  run.learning.options.values["outer_rate"] = 0.5;
  run.learning.options.values["outer_momentum"] = 0.5;
  run.learning.options.values["fragments"] = 2;
  run.make = [](Rank) { return std::make_unique<Slope>(2); };
  for (const std::vector<float>& weights : toy::train(run).weights) {
    // Changes of 0.25, 0.5, 0.5; velocities 0.25, 0.625, 0.8125; steps 0.5 (change + velocity / 2).
    CHECK(weights.at(0) == 10 - 0.1875F - 0.40625F - 0.453125F);
    CHECK(weights.at(1) == 10 - 0.375F - 0.4375F - 0.28125F);
  }
}

TEST_CASE("a delayed outer step keeps a part of the worker's weights, computed by hand") {
  // Ten steps of 0.125 from 10; sent after 4 and 8, received 2 steps later.
  toy::Run run = diloco_run("diloco", 2, OptimizerKind::sgd, 4);
  run.learning.rate.base = 0.125;
  run.learning.epochs = 1;
  run.learning.options.values["delay"] = 2;
  run.learning.options.values["mix"] = 0.25;
  run.make = [](Rank) { return std::make_unique<Slope>(); };
  // Sent at 9.5: anchor 9.5; at step 6, 9.25 becomes 0.25 x 9.25 + 0.75 x 9.5 = 9.4375.
  // Sent at 9.1875: anchor 9.1875; at step 10, 8.9375 becomes 9.125, and the end averages that.
  for (const bool overlap : {true, false}) {
    run.learning.overlap = overlap;
    for (const std::vector<float>& weights : toy::train(run).weights)
      CHECK(weights.at(0) == 9.125F);
  }
}

TEST_CASE("workers agree at the end of an epoch, whatever is in progress") {
  for (const Count fragments : {1, 3})
    for (const Count delay : {0, 1, 4})
      for (const char* compressor : {"none", "int8", "qsgd", "topk"}) {
        INFO(fragments << " fragments, delay " << delay << ", " << compressor);
        toy::Run run = diloco_run("diloco", 3, OptimizerKind::adam, 5);
        run.learning.options.values["fragments"] = static_cast<double>(fragments);
        run.learning.options.values["delay"] = static_cast<double>(delay);
        run.learning.rate.base = 0.003;
        if (compressor != std::string_view("none"))
          run.learning.options.gradients.compressor = choose_compressor(compressor);
        const toy::Result result = toy::train(run);
        for (const auto& weights : result.weights) CHECK(weights == result.weights[0]);
        CHECK(result.epochs.back().train.loss < result.epochs.front().train.loss);
      }
}

TEST_CASE("outer gradients of 4 and 8 bits stay near dense ones, and send fewer bytes") {
  toy::Run run = diloco_run("diloco", 2, OptimizerKind::sgd, 4);
  const toy::Result dense = toy::train(run);
  for (const auto& [compressor, times, off] :
       {std::tuple{"int8:bucket=64", 3., 0.01}, std::tuple{"qsgd:levels=7,bucket=64", 5., 0.15}}) {
    INFO(compressor);
    run.learning.options.gradients.compressor = choose_compressor(compressor);
    const toy::Result coded = toy::train(run);
    CHECK(toy::distance(coded.weights[0], dense.weights[0]) < off);
    CHECK(static_cast<double>(coded.epochs.back().bytes_sent) * times <
          static_cast<double>(dense.epochs.back().bytes_sent));
  }
}

TEST_CASE("outer gradients are encoded with numbers that count from 0") {
  constexpr Count kPlaces = 40;
  const char* const spec = "randomk:ratio=0.5,feedback=off";
  class Plane final : public HostReplica {
   public:
    Plane() : HostReplica({{.name = "w", .shape = {kPlaces}, .elements = kPlaces, .work = 1}}) {}
    BatchResult learn(const Samples& samples, float) override {
      needs(0);
      std::fill(gradients_.begin(), gradients_.end(), -1.0F);
      is_ready(0);
      return {0, 0, static_cast<Count>(samples.labels.size())};
    }
    BatchResult evaluate(const Samples&) override { return {}; }
  };
  toy::Run run = diloco_run("diloco", 2, OptimizerKind::sgd, 5);
  run.learning.rate.base = 0.125;
  run.learning.epochs = 1;  // of 10 steps: two outer steps
  run.learning.options.gradients.compressor = choose_compressor(spec);
  run.make = [](Rank) { return std::make_unique<Plane>(); };
  const std::vector<float> weights = toy::train(run).weights[0];
  std::vector<float> expected(kPlaces);
  const std::vector<float> change(kPlaces, 5 * 0.125F);
  for (Count encoding = 0; encoding < 2; ++encoding) {
    const auto sent = test::through(
        spec, change, {.seed = run.learning.options.gradients.seed, .step = encoding, .ranks = 2});
    for (std::size_t i = 0; i < sent.size(); ++i) expected[i] += sent[i];
  }
  CHECK(weights == expected);
}

TEST_CASE("diloco refuses compressors that are optimizers, and signs without a magnitude") {
  for (const auto& [spec, why] :
       {std::pair{"dgc", "compressor dgc contains part of an optimizer"},
        std::pair{"onebit_adam", "compressor onebit_adam contains part of an optimizer"},
        std::pair{"signsgd", "compressor signsgd makes signs, whose magnitude is the learning"}}) {
    INFO(spec);
    toy::Run run = diloco_run("diloco", 2, OptimizerKind::momentum, 4);
    run.learning.options.gradients.compressor = choose_compressor(spec);
    CHECK(toy::fails(Blame::usage, why, [&] { toy::train(run); }));
  }
}

TEST_CASE("a killed run with fragments, a delay and error feedback resumes to the bit") {
  const std::string spec = GENERATE("topk:ratio=0.25", "randomk:ratio=0.25");
  const auto run_in = [&](const Folder& folder, Count epochs, toy::Checkpointers& backups) {
    toy::Run run = diloco_run("diloco", 2, OptimizerKind::adam, 4);
    run.learning.rate.base = 0.003;
    run.learning.epochs = epochs;
    run.learning.options.values["fragments"] = 2;
    run.learning.options.values["delay"] = 1;
    run.learning.options.values["outer_momentum"] = 0.5;
    run.learning.options.gradients.compressor = choose_compressor(spec);
    backups.resize(2);
    toy::checkpoint_in(run, folder.file("run"), backups);
    return run;
  };
  toy::Checkpointers a, b, c;
  const Folder whole_folder, folder;
  const toy::Result whole = toy::train(run_in(whole_folder, 3, a));
  toy::train(run_in(folder, 1, b));
  b.clear();  // as the end of its process gives the folder back
  CHECK(toy::train(run_in(folder, 3, c)).weights[0] == whole.weights[0]);
}

TEST_CASE("diloco refuses fragments, delays and mixes that cannot be, with the value") {
  const auto refused = [](const std::string& part,
                          const std::function<void(StrategyOptions&)>& set) {
    toy::Run run = diloco_run("diloco", 2, OptimizerKind::sgd, 4);
    set(run.learning.options);
    return toy::fails(Blame::usage, part, [&] { toy::train(run); });
  };
  CHECK(refused("parameter fragments of strategy diloco is 0",
                [](auto& o) { o.values["fragments"] = 0; }));
  CHECK(refused("5 fragments of 4 variables", [](auto& o) { o.values["fragments"] = 5; }));
  CHECK(refused("delayed by 4 steps", [](auto& o) { o.values["delay"] = 4; }));
  CHECK(
      refused("parameter delay of strategy diloco is -1", [](auto& o) { o.values["delay"] = -1; }));
  CHECK(refused("parameter mix of strategy diloco is 1.5", [](auto& o) { o.values["mix"] = 1.5; }));
}
