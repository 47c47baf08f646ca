#include "training/trainer/trainer.hpp"

#include <cmath>
#include <limits>

#include "tests/support/catch.hpp"
#include "tests/support/toy_training.hpp"

using namespace arlab;
using namespace arlab::simulator;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

using toy::fails;

/// Corrupts the replica of one rank.
class Spoiled final : public Replica {
 public:
  using Spoil = std::function<void(Replica&, Count step)>;
  explicit Spoiled(Spoil spoil) : spoil_(std::move(spoil)) {
    variables_.assign(toy_.variables().begin(), toy_.variables().end());
    memory_ = {.weights = toy_.weights(), .gradients = toy_.gradients()};
    toy_.on_need([this](std::size_t v) { needs(v); });
    toy_.on_need_backward([this](std::size_t v) { needs_backward(v); });
  }
  BatchResult evaluate(const Samples& samples) override { return toy_.evaluate(samples); }
  BatchResult learn(const Samples& samples, float scale) override {
    const BatchResult outcome = toy_.learn(samples, scale);
    spoil_(toy_, step_++);
    for (std::size_t v = variables_.size(); v-- > 0;) is_ready(v);
    return outcome;
  }

 private:
  toy::ToyReplica toy_;
  Spoil spoil_;
  Count step_ = 0;
};

toy::Run spoiled(Rank ranks, Rank culprit, const Spoiled::Spoil& spoil) {
  toy::Run run;
  run.ranks = ranks;
  run.make = [=](Rank rank) -> std::unique_ptr<Replica> {
    if (rank != culprit) return std::make_unique<toy::ToyReplica>();
    return std::make_unique<Spoiled>(spoil);
  };
  return run;
}

}  // namespace

TEST_CASE("a gradient that is not finite stops the run and leaves the weights alone") {
  for (const char* strategy :
       {"mirrored", "central_storage", "parameter_server", "async_parameter_server",
        "stale_synchronous", "local_sgd", "diloco"})
    for (const float bad :
         {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::infinity()}) {
      INFO(strategy << " " << bad);
      toy::Run run = spoiled(3, 1, [=](Replica& r, Count step) {
        if (step == 4) r.gradients()[64 * 12 + 3] = bad;
      });
      if (find_strategy(strategy).has_servers) run.ranks = 4;
      run.learning.strategy = strategy;
      CHECK(fails(Blame::check, "the gradient of hidden.bias is", [&] { toy::train(run); }));
      CHECK(fails(Blame::check,
                  std::string(std::isnan(bad) ? "NaN" : "infinite") +
                      " at step 4: the weights of the previous step are kept",
                  [&] { toy::train(run); }));
    }
}

TEST_CASE("a gradient that is not finite stops a run that applies gradients one by one") {
  for (const char* scheduler : {"dear", "priority"})
    for (const float bad :
         {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
      INFO(scheduler << " " << bad);
      toy::Run run = spoiled(3, 1, [=](Replica& r, Count step) {
        if (step == 4) r.gradients()[64 * 12 + 3] = bad;
      });
      run.learning.options.gradients.scheduler = scheduler;
      CHECK(fails(Blame::check, "the gradient of hidden.bias is", [&] { toy::train(run); }));
      CHECK(fails(Blame::check, "at step 4: ", [&] { toy::train(run); }));
    }
}

TEST_CASE("replicas that diverge stop the run") {
  toy::Run run = spoiled(4, 2, [](Replica& r, Count step) {
    if (step == 2) r.weights()[7] += 1e-3F;
  });
  run.learning.check_every = 2;
  CHECK(fails(Blame::check,
              "the replicas have diverged: after step 3 the weights of rank 2 differ from those of "
              "rank 0",
              [&] { toy::train(run); }));
}

TEST_CASE("ranks that disagree get the parameter and the ranks") {
  const auto disagree = [](const std::string& part,
                           const std::function<void(TrainerOptions&, Rank)>& change) {
    return fails(Blame::usage, "the ranks disagree: " + part, [&] {
      on_threads(4, [&](Communicator& c) {
        TrainerOptions learning;
        change(learning, c.rank());
        Trainer trainer(c, learning,
                        [](const SumOverWorkers&) { return std::make_unique<toy::ToyReplica>(); });
      });
    });
  };
  CHECK(disagree("ranks 1, 3 and rank 0 differ in epochs", [](TrainerOptions& l, Rank rank) {
    if (rank % 2 == 1) l.epochs = 3;
  }));
  CHECK(disagree("rank 3 and rank 0 differ in the schedule", [](TrainerOptions& l, Rank rank) {
    if (rank == 3) l.options.gradients.scheduling = {{"bucket", 64}};
  }));
  CHECK(disagree("ranks 1, 2, 3 and rank 0 differ in the optimizer",
                 [](TrainerOptions& l, Rank rank) {
                   if (rank == 0) l.optimizer.kind = OptimizerOptions::Kind::adam;
                 }));
}

TEST_CASE("rejects invalid options, with a remedy") {
  const auto refused = [](Rank ranks, const std::string& part,
                          const std::function<void(TrainerOptions&)>& change) {
    toy::Run run;
    run.ranks = ranks;
    change(run.learning);
    return fails(Blame::usage, part, [&] { toy::train(run); });
  };
  CHECK(refused(2, "did you mean 'mirrored'", [](TrainerOptions& l) { l.strategy = "mirored"; }));
  CHECK(refused(2, "use 1 worker", [](TrainerOptions& l) { l.strategy = "one_device"; }));
  CHECK(refused(2, "2 parameter servers on 2 ranks", [](TrainerOptions& l) {
    l.strategy = "parameter_server";
    l.options.values["servers"] = 2;
  }));
  CHECK(refused(2, "ring has no reduce form", [](TrainerOptions& l) {
    l.strategy = "central_storage";
    l.route = "ring";
  }));
  CHECK(refused(3, "replicas would drift", [](TrainerOptions& l) { l.route = "all_to_all"; }));
  CHECK(refused(2, "parameter bucket of scheduler buckets is -1", [](TrainerOptions& l) {
    l.options.gradients.scheduling = {{"bucket", -1}};
  }));
  CHECK(refused(2, "0 micro-batches", [](TrainerOptions& l) { l.micro_batches = 0; }));
  CHECK(
      refused(2, "parameter staleness of strategy stale_synchronous is -1", [](TrainerOptions& l) {
        l.strategy = "stale_synchronous";
        l.options.values["staleness"] = -1;
      }));
  CHECK(refused(2, "parameter every of strategy local_sgd is 0", [](TrainerOptions& l) {
    l.strategy = "local_sgd";
    l.options.values["every"] = 0;
  }));
  CHECK(refused(2, "the outer learning rate is 0", [](TrainerOptions& l) {
    l.strategy = "diloco";
    l.options.values["outer_rate"] = 0;
  }));
  CHECK(refused(2, "the outer momentum is 1", [](TrainerOptions& l) {
    l.strategy = "diloco";
    l.options.values["outer_momentum"] = 1;
  }));
}

TEST_CASE("every report contains the cost of communication") {
  toy::Run run;
  run.ranks = 2;
  run.learning.overlap = false;
  Count steps = 0;
  run.each_step = [&](const StepReport& r, Rank rank) {
    if (rank != 0) return;
    CHECK(r.step.number == steps++);
    CHECK(r.seconds >= r.exposed + r.input);
    CHECK(r.exposed > 0);
  };
  const toy::Result result = toy::train(run);
  REQUIRE(result.epochs.size() == 1);
  const EpochReport& epoch = result.epochs[0];
  CHECK(epoch.steps == 10);
  // On a ring of two, each rank sends each half twice: all gradients once per rank and step.
  CHECK(epoch.bytes_sent == 2 * 10 * 4 * static_cast<Count>(result.weights[0].size()));
  CHECK(epoch.exposed <= epoch.seconds);
}

TEST_CASE("costs without the first steps of a run") {
  toy::Run run;
  run.ranks = 2;
  run.learning.epochs = 3;
  run.leave_out = 14;  // of 10 steps per epoch
  std::vector<double> seconds;
  run.each_step = [&](const StepReport& r, Rank rank) {
    if (rank == 0) seconds.push_back(r.seconds);
  };
  const std::vector<EpochReport> epochs = toy::train(run).epochs;
  REQUIRE(epochs.size() == 3);
  const Count steps[] = {0, 6, 10};
  for (std::size_t e = 0; e < 3; ++e) {
    CHECK(epochs[e].steps == 10);
    CHECK(epochs[e].samples == 240);
    CHECK(epochs[e].timed.steps == steps[e]);
    CHECK(epochs[e].timed.samples == 24 * steps[e]);
  }
  CHECK(epochs[0].timed.bytes_sent == 0);
  CHECK(epochs[1].timed.bytes_sent * 10 == epochs[1].bytes_sent * 6);
  CHECK(epochs[2].timed.bytes_sent == epochs[2].bytes_sent);
  CHECK(epochs[2].timed.seconds == epochs[2].seconds);
  double own = 0;  // of rank 0, in the last 6 steps of the second epoch
  for (std::size_t i = 14; i < 20; ++i) own += seconds[i];
  CHECK(epochs[1].timed.seconds >= own * 0.999);
  CHECK(epochs[1].timed.seconds < epochs[1].seconds);
  run.leave_out = 0;
  for (const EpochReport& e : toy::train(run).epochs) CHECK(e.timed.seconds == e.seconds);
}

TEST_CASE("reports within an epoch evaluate, and do not change what is learned") {
  toy::Run run;
  run.ranks = 2;
  run.learning.epochs = 2;
  const toy::Result whole = toy::train(run);
  for (const char* scheduler : {"buckets", "dear"}) {
    run.learning.options.gradients.scheduler = scheduler;
    run.learning.report_every = 4;
    const toy::Result parts = toy::train(run);
    std::vector<Count> steps;
    for (const EpochReport& e : parts.epochs) {
      steps.push_back(e.steps);
      CHECK(e.validation.samples == run.samples);
    }
    CHECK(steps == std::vector<Count>{4, 4, 2, 2, 4, 4});  // multiples of 4, and ends of epochs
    CHECK(parts.epochs[3].epoch == 1);
    CHECK(parts.weights == whole.weights);
    CHECK(parts.epochs.back().validation.loss == whole.epochs.back().validation.loss);
  }
}

TEST_CASE("training stops on all ranks when it is enough") {
  toy::Run run;
  run.ranks = 3;
  run.learning.report_every = 3;
  run.enough = [](const EpochReport& e) { return e.steps == 3; };
  CHECK(toy::train(run).epochs.size() == 1);
  run.learning.report_every = 0;
  run.learning.epochs = 3;
  run.enough = [](const EpochReport& e) { return e.epoch == 1; };
  CHECK(toy::train(run).epochs.size() == 2);
}

TEST_CASE("steps, their places in epochs and their rates, up to the last step that is asked for") {
  toy::Run run;  // 10 steps per epoch
  run.ranks = 2;
  run.learning.epochs = 3;
  run.learning.report_every = 4;
  run.learning.rate = {.base = 0.01, .scaling = RateScaling::linear, .workers = 2, .warm_up = 0.8};
  run.learning.rate.decay = RateDecay::steps;
  run.learning.rate.drops = {{2, 0.5}};
  struct Case {
    Count most;
    std::vector<Count> reports, epochs;
  };
  for (const Case& c :
       {Case{25, {4, 4, 2, 2, 4, 4, 4, 1}, {0, 0, 0, 1, 1, 1, 2, 2}}, Case{7, {4, 3}, {0, 0}},
        Case{31, {4, 4, 2, 2, 4, 4, 4, 4, 2}, {0, 0, 0, 1, 1, 1, 2, 2, 2}}}) {
    INFO("at most " << c.most << " steps");
    run.learning.max_steps = c.most;
    Count steps = 0;
    double input = 0;
    std::vector<double> inputs;
    run.each_step = [&](const StepReport& r, Rank rank) {
      if (rank != 0) return;
      CHECK(r.step.number == steps);
      CHECK(r.position.epoch == steps / 10);
      CHECK(r.position.step == steps % 10);
      // From 0.01 to 0.02 in 8 steps, then halved in the third epoch.
      const double rate = steps < 8    ? 0.01 * (1 + static_cast<double>(steps) / 8)
                          : steps < 20 ? 0.02
                                       : 0.01;
      CHECK(r.step.learning_rate == Approx(rate));
      ++steps;
      input += r.input;
    };
    run.each_epoch = [&](Rank rank) {
      if (rank == 0) inputs.push_back(std::exchange(input, 0));
    };
    const toy::Result result = toy::train(run);
    CHECK(steps == std::min<Count>(c.most, 30));
    std::vector<Count> reports, epochs;
    for (const EpochReport& e : result.epochs) {
      reports.push_back(e.steps);
      epochs.push_back(e.epoch);
    }
    CHECK(reports == c.reports);
    CHECK(epochs == c.epochs);
    REQUIRE(inputs.size() == result.epochs.size());
    for (std::size_t k = 0; k < inputs.size(); ++k) CHECK(result.epochs[k].input >= inputs[k]);
  }
}

TEST_CASE("settling more often than reporting changes no report") {
  toy::Run run;
  run.ranks = 2;
  std::vector<std::pair<Count, bool>> settled;  // after these steps, with a report
  run.prepare = [&](Trainer& trainer) {
    trainer.on_settled(3, [&settled, its = &trainer](const EpochReport* report) {
      if (its->communicator().rank() == 0)
        settled.emplace_back(its->steps_done(), report != nullptr);
    });
  };
  const toy::Result result = toy::train(run);
  CHECK(settled ==
        std::vector<std::pair<Count, bool>>{{3, false}, {6, false}, {9, false}, {10, true}});
  REQUIRE(result.epochs.size() == 1);
  CHECK(result.epochs[0].steps == 10);
  CHECK(result.epochs[0].train.samples == 240);
}
