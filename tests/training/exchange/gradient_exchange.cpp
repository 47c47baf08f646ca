// Compressed gradients in whole training runs of the toy model.
#include "training/exchange/gradient_exchange.hpp"

#include <cmath>
#include <limits>

#include "tests/support/catch.hpp"
#include "tests/support/thorough.hpp"
#include "tests/support/toy_training.hpp"

using namespace arlab;
using namespace arlab::simulator;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

toy::Run run_with(const CompressorChoice& choice, Rank ranks) {
  toy::Run run;
  run.ranks = ranks;
  run.learning.rate.base = 0.02;
  run.learning.epochs = 2;
  run.learning.check_every = 1;
  run.learning.options.gradients.compressor = choice;
  run.learning.options.gradients.scheduling = {{"first_bucket", 400}, {"bucket", 1500}};
  return run;
}

bool equal_on_all(const toy::Result& result) {
  for (const auto& weights : result.weights)
    if (weights != result.weights[0]) return false;
  return !result.weights[0].empty();
}

}  // namespace

TEST_CASE("every compressor trains, replicas stay equal, and overlap changes no bits") {
  int number = 0;
  for (const CompressorKind& kind : compressors()) {
    if (!thorough(number++, 4)) continue;
    toy::Run run = run_with(choose_compressor(kind, {}), 3);
    for (const Aggregation aggregation : kind.aggregations) {
      INFO(kind.name << " by " << name(aggregation));
      run.learning.options.gradients.aggregation = name(aggregation);
      run.learning.overlap = true;
      const toy::Result result = toy::train(run);
      CHECK(equal_on_all(result));
      CHECK(std::isfinite(result.epochs.back().train.loss));
      CHECK(result.epochs.back().codec > 0);
      run.learning.overlap = false;
      CHECK(toy::train(run).weights == result.weights);
    }
  }
}

TEST_CASE("lossless codes train like dense gradients, with every aggregation and scheduler") {
  toy::Run run = run_with(choose_compressor("topk:ratio=1,feedback=off"), 2);
  GradientOptions& gradients = run.learning.options.gradients;
  const toy::Result one = toy::alone(
      [&] {
        toy::Run dense = run;
        dense.learning.options.gradients = {};
        return dense;
      }(),
      2);
  for (const SchedulerKind& kind : schedulers()) {
    if (kind.name == "dear") continue;  // rejected: see below
    gradients.scheduler = kind.name;
    gradients.scheduling.clear();
    for (const Parameter& p : kind.parameters)
      if (p.unit == Parameter::Unit::bytes) gradients.scheduling[std::string(p.name)] = 400;
    for (const char* way : thorough({"all_gather", "doubling", "balanced"}, {"balanced"})) {
      INFO(kind.name << ", " << way);
      gradients.aggregation = way;
      CHECK(toy::train(run).weights[1] == one.weights[0]);
    }
  }
}

TEST_CASE("a compressed run sends as many bytes as its codes have") {
  toy::Run run = run_with(choose_compressor("topk:ratio=0.1"), 2);
  run.learning.options.gradients.scheduling = {{"first_bucket", 1e6}, {"bucket", 1e6}};
  run.learning.epochs = 1;
  const toy::Result result = toy::train(run);
  const auto n = static_cast<Count>(result.weights[0].size());
  const Count k = (n + 9) / 10;
  CHECK(result.epochs[0].bytes_sent == 2 * 10 * 8 * k);  // two ranks, ten steps
}

TEST_CASE("compressed gradients can be pushed to parameter servers") {
  int number = 0;
  for (const char* strategy : {"parameter_server", "async_parameter_server"})
    for (const CompressorKind& kind : compressors()) {
      if (!thorough(number++, 4)) continue;
      INFO(strategy << ", " << kind.name);
      toy::Run run = run_with(choose_compressor(kind, {}), 5);
      run.learning.options.gradients.scheduling.clear();
      run.learning.strategy = strategy;
      run.learning.options.values["servers"] = 2;
      std::string why;
      try {
        const toy::Result result = toy::train(run);
        CHECK(std::isfinite(result.epochs.back().train.loss));
        for (Rank w = 1; w < 3; ++w) CHECK(result.weights[index(w)] == result.weights[0]);
        // Pushes codes and pulls weights.
        CHECK(result.epochs.back().bytes_sent > 0);
      } catch (const Error& e) {
        CHECK(e.blame() == Blame::usage);
        why = e.what();
      }
      const bool can =
          kind.optimizer == "any" && kind.name != "threshold" && kind.name != "powersgd";
      CHECK(why.empty() == can);
    }
  // With lossless codes, pushes give the bits of uncompressed training.
  toy::Run run = run_with(choose_compressor("topk:ratio=1,feedback=off"), 4);
  run.learning.options.gradients.scheduling.clear();
  run.learning.strategy = "parameter_server";
  run.learning.options.values["servers"] = 2;
  const auto compressed = toy::train(run).weights[0];
  run.learning.options.gradients = {};
  CHECK(toy::train(run).weights[0] == compressed);
}

TEST_CASE("rejects unsupported uses of compressors, with a remedy") {
  const auto refused = [](const std::string& spec, const std::string& part,
                          const std::function<void(TrainerOptions&)>& change) {
    toy::Run run = run_with(choose_compressor(spec), 2);
    run.learning.options.gradients.scheduling.clear();
    change(run.learning);
    return toy::fails(Blame::usage, part, [&] { toy::train(run); });
  };
  CHECK(refused("fp16", "cannot be split: use scheduler buckets",
                [](TrainerOptions& l) { l.options.gradients.scheduler = "dear"; }));
  CHECK(refused("fp16", "compressor fp16 does not support aggregation requantize",
                [](TrainerOptions& l) { l.options.gradients.aggregation = "requantize"; }));
  CHECK(refused("fp16", "does not make codes of positions and floats",
                [](TrainerOptions& l) { l.options.gradients.aggregation = "doubling"; }));
  CHECK(refused("fp16", "unknown aggregation 'all_gathr', did you mean 'all_gather'?",
                [](TrainerOptions& l) { l.options.gradients.aggregation = "all_gathr"; }));
  CHECK(refused("topk", "needs all_gather, which algorithm tree does not support",
                [](TrainerOptions& l) { l.route = "tree"; }));
  CHECK(refused("fp16", "algorithm native does not support",
                [](TrainerOptions& l) { l.route = "native"; }));
  CHECK(refused("topk", "strategy central_storage does not use a compressor",
                [](TrainerOptions& l) { l.strategy = "central_storage"; }));
  CHECK(refused("dgc", "requires optimizer SGD without momentum, not momentum",
                [](TrainerOptions& l) { l.optimizer.kind = OptimizerOptions::Kind::momentum; }));
}

TEST_CASE("after a rank fails during an exchange, no rank reads its freed memory") {
  struct Ended {};
  for (const char* scheduler : {"dear", "priority", "fifo"})
    for (const Rank culprit : {0, 1, 2}) {
      INFO(scheduler << ", rank " << culprit);
      toy::Run run;
      run.ranks = 3;
      run.learning.epochs = 4;
      run.learning.options.gradients.scheduler = scheduler;
      run.each_step = [&](const StepReport& r, Rank rank) {
        if (rank == culprit && r.step.number == 7) throw Ended{};
      };
      CHECK_THROWS_AS(toy::train(run), Ended);
    }
}

TEST_CASE("a NaN gradient is reported before compression hides it") {
  for (const char* spec : {"signsgd", "topk", "powersgd"}) {
    INFO(spec);
    toy::Run run = run_with(choose_compressor(spec), 2);
    run.learning.rate.base = 1e30;
    CHECK(toy::fails(Blame::check, "the gradient of", [&] { toy::train(run); }));
  }
}

TEST_CASE("'auto' chooses the aggregation with the fewest bytes, with a reason") {
  GradientOptions options;
  options.compressor = choose_compressor("onebit");
  const Variable v{.name = "w", .shape = {1024, 1024}, .elements = 1 << 20};
  const CodeRoute few = code_route(options, {&v, 1}, 2), many = code_route(options, {&v, 1}, 64);
  CHECK(few.way == "all_gather");
  CHECK(many.way == "requantize");
  CHECK(many.advice.find("times fewer") != std::string::npos);
  options.compressor = choose_compressor("powersgd");  // which depends on the shape
  CHECK(code_route(options, {&v, 1}, 4).advice.find("128 times fewer") != std::string::npos);
}
