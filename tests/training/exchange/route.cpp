// Routes with groups of ranks on a machine: given, or from the communicator. Routes between GPUs,
// which the host stands in for.
#include "training/exchange/route.hpp"

#include <algorithm>

#include "algorithms/base/error.hpp"
#include "collectives/threads/threads.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/on_staged_ranks.hpp"
#include "tests/support/toy_training.hpp"
#include "training/exchange/collective_queue.hpp"

using namespace arlab;
using namespace arlab::simulator;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

/// The same ranks, reported to be on given machines.
class Spread final : public Communicator {
 public:
  Spread(Communicator& under, std::vector<Rank> machines)
      : under_(under), machines_(std::move(machines)) {}
  Rank rank() const override { return under_.rank(); }
  Rank ranks() const override { return under_.ranks(); }
  void start(int lane, std::span<const Transfer> round, Operand operand) override {
    under_.start(lane, round, operand);
  }
  int wait() override { return under_.wait(); }
  std::vector<Rank> machines() override { return machines_; }
  void barrier() override { under_.barrier(); }
  double max(double value) override { return under_.max(value); }
  Count sum(Count value) override { return under_.sum(value); }

 private:
  Communicator& under_;
  std::vector<Rank> machines_;
};

/// Returns whether the route sums various numbers of floats correctly; the same on all ranks.
bool sums(Communicator& c, const Route& route) {
  Count wrong = 0;
  for (const std::size_t elements : {0u, 1u, 5u, 1009u}) {
    std::vector<float> data(elements);
    for (std::size_t i = 0; i < elements; ++i)
      data[i] = static_cast<float>(c.rank() + 1) + static_cast<float>(i);
    run_collective(c, route, Collective::allreduce, 0, data, 7);
    const auto ranks = static_cast<float>(c.ranks());
    for (std::size_t i = 0; i < elements; ++i)
      wrong += data[i] == ranks * (ranks + 1) / 2 + ranks * static_cast<float>(i) ? 0 : 1;
  }
  return c.sum(wrong) == 0;
}

bool has_hierarchical(const std::vector<Route>& routes) {
  return std::any_of(routes.begin(), routes.end(), [](const Route& r) {
    return r.algorithm && r.algorithm->name == "hierarchical";
  });
}

}  // namespace

TEST_CASE("a route over given groups sums correctly, and auto tries it") {
  struct Case {
    Rank ranks, size;
  };
  for (const Case& its : {Case{4, 2}, {6, 2}, {6, 3}, {4, 4}, {3, 1}}) {
    bool right = false;
    on_threads(its.ranks, [&](Communicator& c) {
      const RouteOptions groups{.group_size = its.size};
      const Route route = find_route("hierarchical", 2, c, 100, groups);
      const bool good = sums(c, route) && sums(c, find_route("auto", 1, c, 100, groups));
      const bool tried = has_hierarchical(all_routes(1, c, groups));
      if (c.rank() == 0) right = good && tried && route.groups->size_of(0) == its.size;
    });
    INFO(its.ranks << " ranks in groups of " << its.size);
    CHECK(right);
  }
}

TEST_CASE("find_route() takes groups of different sizes, in a lane per leader") {
  bool right = false;
  on_threads(6, [&](Communicator& c) {
    const Route route = find_route("hierarchical", 3, c, 100, {.group_size = 4});
    const bool good = sums(c, route) && sums(c, find_route("auto", 1, c, 100, {.group_size = 4}));
    const auto routes = all_routes(1, c, {.group_size = 4});
    if (c.rank() == 0) right = good && route.lanes() == 2 * 3 && has_hierarchical(routes);
  });
  CHECK(right);
}

TEST_CASE("a route uses the machines that the communicator reports") {
  bool right = false;
  on_threads(4, [&](Communicator& threads) {
    Spread c(threads, {7, 3, 7, 3});
    const Route route = find_route("hierarchical", 1, c, 100);
    const Groups& groups = *route.groups;
    const bool good = sums(c, route);
    if (c.rank() == 0)
      right = good && groups.count() == 2 && groups.group_of(0) == groups.group_of(2) &&
              groups.group_of(1) == groups.group_of(3);
  });
  CHECK(right);
}

TEST_CASE("if all ranks share a machine, or none do, there are no groups") {
  for (const std::vector<Rank>& machines : {std::vector<Rank>{5, 5, 5}, {0, 1, 2}})
    CHECK(toy::fails(Blame::usage, "which ranks share a node", [&] {
      on_threads(3, [&](Communicator& threads) {
        Spread c(threads, machines);
        find_route("hierarchical", 1, c, 100);
      });
    }));
}

TEST_CASE("all routes between GPUs sum correctly and name the native allreduce") {
  for (const Rank ranks : {1, 2, 4}) {
    bool right = false;
    on_staged_ranks(ranks, [&](Communicator& c, StagedExecutor& gpus) {
      const RouteOptions options{.group_size = std::min(ranks, Rank{2}), .executor = &gpus};
      const auto routes = all_routes(2, c, options);
      bool good = routes.size() > 4 && routes.back().name(c) == gpus.baseline().name_of_allreduce();
      for (const Route& route : routes) good = sums(c, route) && good && route.executor == &gpus;
      good = sums(c, find_route("auto", 1, c, 100, options)) && good;
      if (c.rank() == 0) right = good;
    });
    INFO(ranks << " ranks");
    CHECK(right);
  }
}

TEST_CASE("an exchange sends its buckets between GPUs, with and without overlap") {
  for (const bool overlap : {false, true})
    for (const char* word : {"ring", "native", "hierarchical"}) {
      bool right = false;
      on_staged_ranks(4, [&](Communicator& c, StagedExecutor& gpus) {
        Exchange exchange(c, find_route(word, 1, c, 10, {.group_size = 2, .executor = &gpus}),
                          overlap);
        const Exchange::Task broadcast{{&find_algorithm("tree")}, Collective::broadcast, 3};
        std::vector<float> a(1000, static_cast<float>(c.rank() + 1)), b(7, 1), none;
        Count wrong = 0;
        for (Count step = 0; step < 3; ++step) {
          exchange.start({step, 0}, a);
          exchange.start({step, 1}, none);
          exchange.start({step, 2}, b);
          std::vector<float> root(5, static_cast<float>(c.rank()));
          exchange.wait(exchange.start({step, 3}, root, broadcast));
          wrong += root == std::vector<float>(5, 3.0f) ? 0 : 1;
        }
        wrong += a == std::vector<float>(1000, 10 * 4 * 4) ? 0 : 1;
        wrong += b == std::vector<float>(7, 4 * 4 * 4) ? 0 : 1;
        const Count all = exchange.communicator().sum(wrong);
        if (c.rank() == 0) right = all == 0;
      });
      INFO(word << " overlap " << overlap);
      CHECK(right);
    }
}
