// The two levels as algorithms: their programs match, count as claimed, and leave the right blocks.
#include "algorithms/levels/group_levels.hpp"

#include "algorithms/groups.hpp"
#include "algorithms/verify/count.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;

namespace {

struct Case {
  Rank ranks, group;
  Count elements;
};
constexpr Case kCases[] = {{1, 1, 5},  {2, 1, 7},  {2, 2, 7},   {4, 2, 32}, {4, 2, 3},
                           {6, 3, 41}, {6, 2, 41}, {12, 4, 99}, {9, 3, 0},  {8, 8, 100}};

// The values of all ranks after one lane's programs, run in order of their messages: sums of
// 10^rank.
std::vector<std::vector<Count>> run(const Algorithm& level, const Problem& problem) {
  std::vector<std::vector<Count>> data;
  Count own = 1;
  for (Rank r = 0; r < problem.ranks; ++r, own *= 10)
    data.emplace_back(static_cast<std::size_t>(problem.elements), own);
  std::vector<Program> programs;
  for (Rank r = 0; r < problem.ranks; ++r) programs.push_back(level.program(problem, r));
  const Blocks blocks = problem.blocks();
  // Ring and halving are in step: all ranks have as many rounds.
  for (bool any = true; any;) {
    any = false;
    const auto before = data;
    for (Rank r = 0; r < problem.ranks; ++r) {
      if (!programs[static_cast<std::size_t>(r)].next()) continue;
      any = true;
      for (const Action& a : programs[static_cast<std::size_t>(r)].round()) {
        if (a.sends()) continue;
        for (Rank c = a.chunks.first; c < a.chunks.first + a.chunks.count; ++c)
          for (Count i = blocks.begin(c); i < blocks.begin(c) + blocks.size(c); ++i) {
            const auto e = static_cast<std::size_t>(i);
            Count& mine = data[static_cast<std::size_t>(r)][e];
            const Count its = before[static_cast<std::size_t>(a.peer)][e];
            mine = a.kind == ActionKind::reduce ? mine + its : its;
          }
      }
    }
  }
  return data;
}

}  // namespace

TEST_CASE("levels: programs send what their cost models claim") {
  for (const char* name : {"ring", "round_robin", "swing", "rabenseifner", "bidirectional_ring"})
    for (const Case& one : kCases) {
      const Algorithm& algorithm = find_algorithm(name);
      const Groups groups = Groups::consecutive(one.ranks, one.group);
      Problem problem{.ranks = one.ranks, .elements = one.elements, .groups = &groups};
      const Algorithm within = within_groups(algorithm), across = across_groups(algorithm);
      for (const Collective collective :
           {Collective::reduce_scatter, Collective::all_gather, Collective::allreduce}) {
        problem.collective = collective;
        const Algorithm& level = collective == Collective::allreduce ? across : within;
        if (!unsupported(level, problem).empty()) continue;
        INFO(name << " " << arlab::name(collective) << " of " << one.elements << " on " << one.ranks
                  << " in groups of " << one.group);
        const Counts counts = count(level, problem);
        CHECK(counts.all == predicted_cost(level, problem));
        for (Rank r = 0; r < one.ranks; ++r)
          CHECK(counts.rank[static_cast<std::size_t>(r)] == predicted_rank_cost(level, problem, r));
      }
    }
}

TEST_CASE("levels: both together sum each block over all ranks, and gather all blocks") {
  for (const Case& one : kCases) {
    INFO(one.elements << " on " << one.ranks << " in groups of " << one.group);
    const Groups groups = Groups::consecutive(one.ranks, one.group);
    Problem problem{.collective = Collective::reduce_scatter,
                    .ranks = one.ranks,
                    .elements = one.elements,
                    .groups = &groups};
    const auto within = run(within_groups(find_algorithm("ring")), problem);
    Count covered = 0;
    for (Rank r = 0; r < one.ranks; ++r) {
      const OwnedBlock own = owned_block(problem, r);
      if (groups.group_of(r) == 0) covered += own.elements;
      Count sum = 0, power = 1;
      for (Rank other = 0; other < one.ranks; ++other, power *= 10)
        if (groups.group_of(other) == groups.group_of(r)) sum += power;
      for (Count i = own.begin; i < own.begin + own.elements; ++i)
        CHECK(within[static_cast<std::size_t>(r)][static_cast<std::size_t>(i)] == sum);
    }
    CHECK(covered == one.elements);
    problem.collective = Collective::allreduce;
    const auto across = run(across_groups(find_algorithm("ring")), problem);
    for (Rank r = 0; r < one.ranks; ++r) {
      const OwnedBlock own = owned_block(problem, r);
      Count sum = 0, power = 1;
      for (Rank other = 0; other < one.ranks; ++other, power *= 10)
        if (groups.place_of(other) == groups.place_of(r)) sum += power;
      Count mine = 1;
      for (Rank i = 0; i < r; ++i) mine *= 10;
      for (Count i = 0; i < one.elements; ++i) {
        const bool owned = i >= own.begin && i < own.begin + own.elements;
        CHECK(across[static_cast<std::size_t>(r)][static_cast<std::size_t>(i)] ==
              (owned ? sum : mine));
      }
    }
  }
}

TEST_CASE("levels: refusals name groups and algorithms") {
  const Algorithm within = within_groups(find_algorithm("ring"));
  Problem problem{.collective = Collective::reduce_scatter, .ranks = 5, .elements = 10};
  CHECK(unsupported(within, problem).find("need groups of ranks") != std::string::npos);
  const Groups uneven = Groups::consecutive(5, 2);
  problem.groups = &uneven;
  CHECK(unsupported(within, problem).find("a size that divides 5") != std::string::npos);
  const Groups groups = Groups::consecutive(4, 2);
  problem = {.collective = Collective::allreduce, .ranks = 4, .elements = 10, .groups = &groups};
  CHECK(unsupported(across_groups(find_algorithm("circulant")), problem).find("take ring") !=
        std::string::npos);
  problem.collective = Collective::reduce_scatter;
  CHECK(!unsupported(within_groups(find_algorithm("tree")), problem).empty());
}
