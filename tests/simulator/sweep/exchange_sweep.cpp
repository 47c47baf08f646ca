// The exchange sweep equals the window sweep, the port sweep, and events.
#include <string>

#include "simulator/engine/simulate.hpp"
#include "simulator/models/model.hpp"
#include "simulator/sweep/sweep.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/thorough.hpp"
#include "tests/support/tried.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

constexpr Bytes kExchangedElement = 4;
const Values kExchangeCosts{{"L", 1009}, {"o", 97},  {"g", 311},
                            {"G", 2.7},  {"O", 0.9}, {"gamma", 1.3}};

// Returns whether the exchange sweep applies.
bool check_exchanges(const Algorithm& algorithm, const Problem& p, std::string_view model,
                     const Values& values) {
  INFO(algorithm.name << " on " << p.ranks << " under " << model);
  const auto network = make_network(find_model(model), values, p.ranks);
  const UniformCosts& costs = *network->uniform();
  const auto exchanges = exchange_sweep(algorithm, p, kExchangedElement, costs);
  if (!exchanges) return false;
  CompactRounds rounds(algorithm, p, kExchangedElement);
  auto expected = sweep(rounds, kExchangedElement, costs);
  if (!expected)  // above the eager limit
    expected =
        simulate(algorithm, p, kExchangedElement, *network, {.symmetry = false, .sweep = false});
  CHECK(exchanges->finish == expected->finish);
  CHECK(exchanges->finish_of == expected->finish_of);
  CHECK(exchanges->sent == expected->sent);
  return true;
}

// Rank 1 computes long before its second message, and rank 2 does not wait for anything.
Program unequal_rates(Problem p, Rank me) {
  const Rank other = me ^ 1;
  co_yield together(send(other, me < 2 ? p.all() : p.chunk(0)),
                    reduce(other, me < 2 ? p.all() : p.chunk(0)));
  co_yield exchange(me ^ 2, p.chunk(0));
}

}  // namespace

TEST_CASE("the exchange sweep gives the times of the other sweeps") {
  // Above the number of ranks of its smaller blocks, also where the last block is smaller.
  constexpr Rank kMany = 4096, kOdd = 2050;
  for (const std::string_view model : {"loggops", "alpha_beta"})
    for (const Values& values : {Values{}, kExchangeCosts}) {
      CHECK(check_exchanges(find_algorithm("butterfly"), {.ranks = kMany, .elements = 100}, model,
                            values));
      CHECK(check_exchanges(find_algorithm("rabenseifner"), {.ranks = kMany, .elements = kMany * 3},
                            model, values));
      CHECK(check_exchanges(find_algorithm("circulant"), {.ranks = kOdd, .elements = kOdd * 3},
                            model, values));
      CHECK(
          check_exchanges(find_algorithm("ring"), {.ranks = 100, .elements = 1009}, model, values));
      CHECK_FALSE(
          check_exchanges(find_algorithm("tree"), {.ranks = 64, .elements = 10}, model, values));
    }
}

TEST_CASE("the exchange sweep gives the times of a window sweep on many ranks") {
  constexpr Rank kLarge = kSanitized ? 1 << 13 : 1 << 18;  // above that of its larger blocks
  CHECK(check_exchanges(find_algorithm("butterfly"), {.ranks = kLarge, .elements = 100}, "loggops",
                        kExchangeCosts));
}

TEST_CASE("the exchange sweep applies above the eager limit if all messages are as long") {
  Values costs = kExchangeCosts;
  costs["S"] = 300;
  for (const char* name : {"ring", "butterfly", "rabenseifner", "round_robin"})
    CHECK(check_exchanges(find_algorithm(name), {.ranks = 16, .elements = 1600}, "loggops", costs));
  CHECK_FALSE(
      check_exchanges(find_algorithm("ring"), {.ranks = 16, .elements = 1601}, "loggops", costs));
}

TEST_CASE("the exchange sweep gives the times of events where messages are empty") {
  int applied = 0;
  for (const char* name : {"circulant", "pat", "rabenseifner", "swing", "ring", "round_robin"})
    for (const Rank ranks : {2, 3, 7, 16, 31, 32, 64})
      for (const Count elements : {Count{1}, Count{2}, ranks / 2 + Count{1}, ranks - Count{1}})
        for (const Values& values :
             {Values{}, kExchangeCosts, Values{{"L", 5000}, {"o", 0}, {"g", 2000}, {"G", 0.5}},
              Values{{"L", 10}, {"o", 100}, {"g", 3000}, {"G", 1}, {"gamma", 90}}})
          for (const std::string_view model : {"loggops", "alpha_beta"}) {
            const Problem p{.ranks = ranks, .elements = elements};
            if (!unsupported(find_algorithm(name), p).empty()) continue;
            INFO(elements << " elements");
            applied += check_exchanges(find_algorithm(name), p, model, values);
          }
  CHECK(applied > 900);
}

TEST_CASE("the exchange sweep stops after the given time") {
  const auto network = make_network(find_model("loggops"), {}, 64);
  const Problem p{.ranks = 64, .elements = 6400};
  const auto within = [&](Time latest) {
    return exchange_sweep(find_algorithm("ring"), p, 4, *network->uniform(), latest);
  };
  const Time finish = within(kNever)->finish;
  CHECK_FALSE(within(finish)->stopped);
  CHECK(within(finish / 2)->stopped);
}

TEST_CASE("the exchange sweep leaves early messages to other engines") {
  // The exchange of ranks 2 and 3 is short, so their second messages arrive early.
  const Algorithm early = tried(unequal_rates);
  const Problem p{.ranks = 4, .elements = 100'000};
  CHECK(check_exchanges(early, p, "alpha_beta", {}));
  CHECK_FALSE(check_exchanges(early, p, "loggops", {}));
}
