// The models of the catalog, as replicas.
#include <map>
#include <set>

#include "tests/fakes/gpu/device.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/host_math.hpp"
#include "tests/support/toy_training.hpp"
#include "training/models/architecture.hpp"

using namespace arlab;
using namespace arlab::simulator;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

struct Images {
  std::vector<float> values;
  std::vector<std::int64_t> labels;
  Samples samples() const { return {values, labels}; }
};

Images images(const Architecture& a, Count count) {
  Images all;
  const Shape shape{static_cast<int>(a.channels), static_cast<int>(a.height),
                    static_cast<int>(a.width)};
  const Dataset data = synthetic({.shape = shape, .samples = count});
  all.values.resize(static_cast<std::size_t>(count * a.inputs()));
  for (Count i = 0; i < count; ++i)
    all.labels.push_back(data.sample(i, std::span(all.values)
                                            .subspan(static_cast<std::size_t>(i * a.inputs()),
                                                     static_cast<std::size_t>(a.inputs()))));
  return all;
}

}  // namespace

TEST_CASE("models have the published numbers of parameters") {
  const std::map<std::string_view, Count> published{
      {"mlp", 101'770}, {"cnn", 2'770'634}, {"cnn_pooled", 347'146}, {"resnet50", 23'528'522}};
  std::set<std::string_view> seen;
  for (const Architecture& a : architectures()) {
    INFO(a.name);
    seen.insert(a.name);
    CHECK(&find_architecture(a.name) == &a);
    const auto replica = make_replica(a, {});
    CHECK(static_cast<Count>(replica->weights().size()) == a.parameters);
    if (const auto found = published.find(a.name); found != published.end())
      CHECK(a.parameters == found->second);
    Count offset = 0;
    for (const Variable& v : replica->variables()) {
      CHECK(v.offset == offset);
      Count elements = 1;
      for (const Count n : v.shape) elements *= n;
      CHECK(v.elements == elements);
      offset += v.elements;
    }
    CHECK(replica->gradients().size() == replica->weights().size());
    CHECK(replica->statistics().empty() == (a.name != "resnet50"));
  }
  for (const auto& [name, parameters] : published) CHECK(seen.count(name) == 1);
}

TEST_CASE("each gradient is ready once, when it is complete, last layer first") {
  use_threads(1);
  for (const char* name : {"mlp", "cnn_pooled", "resnet50"}) {
    INFO(name);
    const Architecture& a = find_architecture(name);
    const Images batch = images(a, 2);
    const auto replica = make_replica(a, {});
    std::vector<std::size_t> order;
    std::vector<float> when_ready(replica->gradients().size());
    replica->on_ready([&](std::size_t v) {
      order.push_back(v);
      const Variable& its = replica->variables()[v];
      for (Count i = its.offset; i < its.offset + its.elements; ++i)
        when_ready[static_cast<std::size_t>(i)] = replica->gradients()[static_cast<std::size_t>(i)];
    });
    const BatchResult outcome = replica->learn(batch.samples(), 0.5F);
    CHECK(outcome.samples == 2);
    CHECK(order.size() == replica->variables().size());
    CHECK(std::set<std::size_t>(order.begin(), order.end()).size() == order.size());
    CHECK(order.front() + 2 >= order.size());
    const auto gradients = replica->gradients();
    CHECK(std::equal(gradients.begin(), gradients.end(), when_ready.begin()));
    CHECK(std::any_of(gradients.begin(), gradients.end(), [](float g) { return g != 0; }));
  }
}

TEST_CASE("gradients accumulate, are scaled, and belong to the current weights") {
  use_threads(1);
  const Architecture& a = find_architecture("mlp");
  const Images batch = images(a, 4);
  const auto one = make_replica(a, {.seed = 1}), other = make_replica(a, {.seed = 2});
  CHECK_FALSE(std::equal(one->weights().begin(), one->weights().end(), other->weights().begin()));
  std::copy(one->weights().begin(), one->weights().end(), other->weights().begin());
  one->learn(batch.samples(), 1);
  other->learn(batch.samples(), 0.25F);
  const std::vector<float> quarter(other->gradients().begin(), other->gradients().end());
  other->learn(batch.samples(), 0.25F);
  for (std::size_t i = 0; i < quarter.size(); ++i) {
    CHECKED_ELSE(other->gradients()[i] == 2 * quarter[i]) { FAIL(i); }
    CHECKED_ELSE(std::abs(one->gradients()[i] - 4 * quarter[i]) < 1e-5F) { FAIL(i); }
  }
  CHECK(one->evaluate(batch.samples()).loss == Approx(other->evaluate(batch.samples()).loss));
}

TEST_CASE("a replica in a device's memory learns and evaluates as one on the host") {
  use_threads(1);
  Devices devices = host_devices();
  for (const char* name : {"mlp", "resnet50"}) {  // the latter with statistics
    INFO(name);
    const Architecture& a = find_architecture(name);
    const Images batch = images(a, 2);
    const auto here = make_replica(a, {.seed = 1});
    const auto there = make_replica(a, {.seed = 1, .math = host_math(*devices[0])});
    REQUIRE(there->on_device());
    CHECK_FALSE(here->on_device());
    std::vector<std::size_t> ready;
    there->on_ready([&](std::size_t v) { ready.push_back(v); });
    for (int step = 0; step < 2; ++step) {
      const BatchResult its = there->learn(batch.samples(), 0.5F);
      CHECK(its.loss == here->learn(batch.samples(), 0.5F).loss);
    }
    CHECK(ready.size() == 2 * there->variables().size());
    const std::span<float> gradients = there->on_device()->gradients();
    CHECK(std::equal(gradients.begin(), gradients.end(), here->gradients().begin()));
    CHECK(there->evaluate(batch.samples()).loss == here->evaluate(batch.samples()).loss);
    there->fetch();
    CHECK(std::equal(there->statistics().begin(), there->statistics().end(),
                     here->statistics().begin()));
    for (float& w : there->weights()) w = 0;
    there->give();
    for (float& w : here->weights()) w = 0;
    CHECK(there->evaluate(batch.samples()).loss == here->evaluate(batch.samples()).loss);
  }
}

TEST_CASE("rejects samples that do not fit the model") {
  const auto replica = make_replica(find_architecture("mlp"), {});
  const std::vector<float> values(784);
  const std::vector<std::int64_t> good{3}, two{3, 4}, beyond{10}, negative{-1};
  const auto refused = [&](std::span<const float> v, std::span<const std::int64_t> l,
                           const std::string& part) {
    return toy::fails(Blame::usage, part, [&] { replica->learn({v, l}, 1); });
  };
  CHECK(refused(values, two, "784 numbers for 2 samples: model mlp takes 784 per sample"));
  CHECK(refused({}, {}, "0 numbers for 0 samples"));
  CHECK(refused(values, beyond, "label 10: model mlp has classes 0 to 9"));
  CHECK(refused(values, negative, "label -1"));
  CHECK(toy::fails(Blame::usage, "unknown model 'mpl', did you mean 'mlp'",
                   [] { find_architecture("mpl"); }));
}

TEST_CASE("workers with LibTorch's models train like one worker") {
  use_threads(1);
  for (const char* model : {"mlp", "cnn_pooled"})
    for (const char* strategy : {"mirrored", "central_storage", "parameter_server"}) {
      INFO(model << ", " << strategy);
      const Architecture& a = find_architecture(model);
      const Dataset data = cached(synthetic({.samples = 64}));
      const auto train = [&](const char* name, Rank ranks, int parts) {
        std::vector<float> weights;
        TrainerOptions learning;
        learning.strategy = name;
        learning.micro_batches = parts;
        learning.optimizer.kind = OptimizerOptions::Kind::momentum;
        on_threads(ranks, [&](Communicator& c) {
          use_threads(1);
          Trainer trainer(c, learning,
                          [&](const SumOverWorkers&) { return make_replica(a, {.seed = 3}); });
          std::unique_ptr<Pipeline> feed;
          if (trainer.is_worker())
            feed = std::make_unique<Pipeline>(
                data, Sampling{.global_batch = 16, .workers = trainer.workers(), .rank = c.rank()},
                1);
          trainer.run({feed.get(), nullptr}, 4);
          if (c.rank() == 0)
            weights.assign(trainer.replica().weights().begin(), trainer.replica().weights().end());
        });
        return weights;
      };
      const auto one = train("one_device", 1, 2);
      CHECK(train(strategy, find_strategy(strategy).has_servers ? 3 : 2, 1) == one);
      CHECK(toy::distance(train("one_device", 1, 1), one) < 1e-5);
    }
}
