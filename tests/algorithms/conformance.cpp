// Conformance: for every algorithm of the catalog, predicted cost = counted cost, and the proof
// holds. A new algorithm is tested without a change here.
#include <functional>
#include <map>
#include <set>
#include <string>

#include "algorithms/verify/count.hpp"
#include "algorithms/verify/verify.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/grouped.hpp"
#include "tests/support/thorough.hpp"

namespace arlab {

std::ostream& operator<<(std::ostream& out, const Cost& cost) {
  return out << cost.messages << " messages, " << cost.elements << " elements, " << cost.rounds
             << " rounds";
}

}  // namespace arlab

using namespace arlab;

namespace {

// A property of one algorithm on one supported problem.
using Property = std::function<void(const Algorithm&, const Problem&, int segments)>;

void check_all_collectives(Problem p, int segments, const Property& property) {
  for (const Algorithm* const tested : tested_algorithms())
    for (const Collective collective : kCollectives) {
      const Algorithm& algorithm = *tested;
      p.collective = collective;
      p.switches = {true, true, true};
      const bool splits =
          collective == Collective::reduce_scatter || collective == Collective::all_gather;
      if (segments > 1 && splits) continue;
      for (const Problem& stated : stated_for(algorithm, p)) {
        if (!unsupported(algorithm, stated).empty()) continue;
        INFO(algorithm.name << " " << name(collective) << ", ranks " << p.ranks << ", elements "
                            << p.elements << ", root " << p.root << ", segments " << segments
                            << ", groups " << (stated.groups ? stated.groups->count() : 0)
                            << ", grid " << (stated.grid ? stated.grid->text() : "none"));
        property(algorithm, stated, segments);
      }
    }
}

void predicted_is_counted(const Algorithm& algorithm, const Problem& p, int segments) {
  const Counts counted = count(algorithm, p, segments);
  REQUIRE(predicted_cost(algorithm, p, segments) == counted.all);
  Cost sum;
  for (Rank r = 0; r < p.ranks; ++r) {
    INFO("rank " << r);
    const Cost of_rank = predicted_rank_cost(algorithm, p, r, segments);
    REQUIRE(of_rank == counted.rank[std::size_t(r)]);
    sum.messages += of_rank.messages;
    sum.elements += of_rank.elements;
  }
  REQUIRE(sum.messages == counted.all.messages);
  REQUIRE(sum.elements == counted.all.elements);
}

void proof_holds(const Algorithm& algorithm, const Problem& p, int segments) {
  const Proof proof = verify(algorithm, p, segments);
  INFO(proof.fault.text);
  REQUIRE(proof);
}

int log2_below(Count m) {
  int k = 0;
  while (m >= 2) m /= 2, ++k;
  return k;
}

}  // namespace

TEST_CASE("predicted = counted for every number of ranks up to 64") {
  for (const Rank p : ranks_up_to(64))
    for (const Count elements : {Count{p} - 1, Count{1009}})
      check_all_collectives({.ranks = p, .elements = elements, .root = p / 2}, 1,
                            predicted_is_counted);
}

TEST_CASE("predicted = counted for every size, root and cut") {
  for (const Rank p : unless_sanitized({1, 2, 3, 4, 5, 7, 8, 13, 16, 17}, {1, 2, 3, 5, 8}))
    for (const Count elements : kSanitized ? std::set<Count>{0, 1, p - 1, p + 1, 1009}
                                           : std::set<Count>{0, 1, 3, p - 1, p, p + 1, 1000, 1009})
      for (const Rank root : std::set<Rank>{0, p / 2, p - 1})
        for (const int segments : {1, 3})
          check_all_collectives({.ranks = p, .elements = elements, .root = root}, segments,
                                predicted_is_counted);
}

TEST_CASE("the proof holds for every number of ranks up to 64") {
  for (const Rank p : ranks_up_to(64))
    check_all_collectives({.ranks = p, .elements = 1000, .root = p / 2}, 1, proof_holds);
}

TEST_CASE("the proof holds for every root and cut") {
  for (const Rank p : unless_sanitized({1, 2, 3, 4, 5, 7, 8, 13, 16, 17}, {1, 2, 3, 5, 8}))
    for (const Rank root : std::set<Rank>{0, p / 2, p - 1})
      for (const int segments : {1, 3})
        check_all_collectives({.ranks = p, .elements = 1009, .root = root}, segments, proof_holds);
}

TEST_CASE("messages carry the kind of chunks that the entry states") {
  const auto fits = [](const Chunks& c, Carries carries, Rank parts) {
    switch (carries) {
      case Carries::whole:
        return c.count == parts;
      case Carries::one_chunk:
        return c.count == parts || c.count == 1;
      case Carries::range:
        return c.stride == 1 && Count{c.first} + c.count <= parts;
      case Carries::around:
        return c.stride == 1;
      case Carries::any_set:
        return true;
    }
    return false;
  };
  for (const Rank p : {1, 2, 5, 8, 9, 16})
    check_all_collectives(
        {.ranks = p, .elements = 100}, 1,
        [&](const Algorithm& algorithm, const Problem& problem, int) {
          for (const Lane& lane : lanes_of(algorithm, problem))
            for (Rank me = 0; me < p; ++me)
              for (Program rounds = algorithm.program(lane.problem, me); rounds.next();)
                for (const Action& a : rounds.round())
                  REQUIRE(fits(a.chunks, algorithm.carries, lane.problem.parts()));
        });
}

TEST_CASE(
    "in recursive multiplying each rank's i-th message goes to a rank that adds its i-th from it") {
  for (const char* name : {"recursive_multiplying:k=3", "recursive_multiplying:k=4"}) {
    const Rank k = name[24] - '0';
    const Problem p{.ranks = k * k, .elements = 1};
    std::vector<std::vector<Action>> actions;
    for (Rank me = 0; me < p.ranks; ++me)
      for (Program rounds = find_algorithm(name).program(p, me); rounds.next();)
        actions.emplace_back(rounds.round().begin(), rounds.round().end());
    REQUIRE(actions.size() == 2 * std::size_t(p.ranks));  // two rounds of each rank
    for (Rank me = 0; me < p.ranks; ++me)
      for (const int round : {0, 1}) {
        const auto of = [&](Rank rank) {
          return actions[2 * std::size_t(rank) + std::size_t(round)];
        };
        REQUIRE(of(me).size() == 2 * std::size_t(k - 1));
        for (std::size_t i = 0; i < of(me).size(); i += 2) {
          INFO(name << ", rank " << me << ", round " << round << ", message " << i / 2);
          REQUIRE(of(me)[i].kind == ActionKind::send);
          REQUIRE(of(me)[i + 1].kind == ActionKind::reduce);
          REQUIRE(of(of(me)[i].peer)[i + 1].peer == me);
          // The distance is in digit `round` alone.
          const Rank unit = round == 0 ? 1 : k;
          REQUIRE(of(me)[i].peer / unit / k == me / unit / k);
          REQUIRE(of(me)[i].peer % unit == me % unit);
          REQUIRE((of(me)[i].peer / unit - me / unit + k) % k == Rank(i / 2) + 1);
        }
      }
  }
}

TEST_CASE("the six algorithms cost as much as the lecture states, for m processes and N elements") {
  struct Lecture {
    std::function<Count(Count m)> messages;
    std::function<Count(Count m, Count n)> elements;
    std::function<Count(Count m)> rounds;
  };
  const auto extras = [](Count m) { return m - (Count{1} << log2_below(m)); };
  const auto butterfly = [=](Count m) {  // m log2 m of the core, and two messages for each extra
    return (m - extras(m)) * log2_below(m) + 2 * extras(m);
  };
  const auto split_elements = [](Count m, Count n) { return 2 * n * (m - 1); };
  const auto split_messages = [](Count m) { return 2 * m * (m - 1); };
  const auto split_rounds = [](Count m) { return 2 * (m - 1); };
  const std::map<std::string, Lecture> lectures{
      {"all_to_all",
       {[](Count m) { return m * (m - 1); }, [](Count m, Count n) { return n * m * (m - 1); },
        [](Count m) { return m > 1 ? 1 : 0; }}},
      {"master_worker",
       {[](Count m) { return 2 * (m - 1); }, [](Count m, Count n) { return 2 * n * (m - 1); },
        [](Count m) { return m > 1 ? 2 : 0; }}},
      {"tree",
       {[](Count m) { return 2 * (m - 1); }, [](Count m, Count n) { return 2 * n * (m - 1); },
        [=](Count m) { return 2 * (log2_below(m) + (extras(m) > 0 ? 1 : 0)); }}},
      {"butterfly",
       {butterfly, [=](Count m, Count n) { return n * butterfly(m); },
        [=](Count m) { return log2_below(m) + (extras(m) > 0 ? 2 : 0); }}},
      {"round_robin", {split_messages, split_elements, split_rounds}},
      {"ring", {split_messages, split_elements, split_rounds}},
  };
  for (const auto& [name, lecture] : lectures)
    for (Rank m = 1; m <= 64; ++m) {
      const Count n = 1009;
      INFO(name << ", m = " << m);
      REQUIRE(count(find_algorithm(name), {.ranks = m, .elements = n}).all ==
              Cost{lecture.messages(m), lecture.elements(m, n), lecture.rounds(m)});
    }
}

TEST_CASE("each process of a ring or round robin sends N/m elements 2(m-1) times") {
  for (const char* name : {"ring", "round_robin"})
    for (const Rank m : {1, 2, 3, 8, 25}) {
      const Counts counted = count(find_algorithm(name), {.ranks = m, .elements = 600});
      for (const Cost& each : counted.rank)
        REQUIRE(each == Cost{2 * (m - 1), 600 / m * 2 * (m - 1), 2 * (m - 1)});
    }
}

TEST_CASE("cost models do not overflow at the largest counts") {
  for (const Rank ranks : {4, 1 << 20, 2147483647}) {
    const Problem p{.ranks = ranks, .elements = ((Count{1} << 54) - 1) / ranks};
    REQUIRE_NOTHROW(check(p));
    for (const Algorithm& algorithm : algorithms()) {
      INFO(algorithm.name << ", ranks " << ranks);
      if (!unsupported(algorithm, p).empty()) continue;
      CHECK(predicted_cost(algorithm, p).messages >= ranks - 1);
      CHECK(predicted_cost(algorithm, p).elements >= p.elements);
    }
  }
  CHECK(unsupported(find_algorithm("all_to_all"), {.ranks = 1 << 20, .elements = 1 << 28}) ==
        "all_to_all on 1048576 ranks with 268435456 elements sends more bytes than 64 bits can "
        "count");
}
