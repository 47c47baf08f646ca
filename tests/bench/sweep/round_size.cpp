#include "bench/sweep/round_size.hpp"

#include "algorithms/groups.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

// The largest round of a rank, by its whole programs.
RoundSizes::Size looked_up(const Algorithm& algorithm, const Problem& p, Rank rank) {
  RoundSizes::Size size;
  for (const Lane& lane : lanes_of(algorithm, p)) {
    const Blocks blocks = lane.problem.blocks();
    for (Program program = algorithm.program(lane.problem, rank); program.next();) {
      Count reduced = 0;
      for (const Action& a : program.round())
        if (a.kind == ActionKind::reduce) reduced += blocks.size(a.chunks);
      size.actions = std::max(size.actions, static_cast<double>(program.round().size()));
      size.reduced = std::max(size.reduced, static_cast<double>(reduced));
    }
  }
  return size;
}

}  // namespace

TEST_CASE("estimates of the largest round are exact on few ranks, and near on many") {
  RoundSizes sizes;
  for (const Algorithm& a : algorithms())
    for (const Collective collective : a.collectives)
      for (const Rank ranks : {1, 2, 3, 8, 16, 63, 64, 65, 100, 128, 1000}) {
        const Groups groups = Groups::consecutive(ranks, ranks % 8 == 0 ? 8 : 1);
        Config config;
        config.algorithm = &a;
        config.problem = {collective, ranks, Count{1000} * ranks};
        if (a.grouped) config.problem.groups = &groups;
        if (!unsupported(a, config.problem).empty()) continue;
        INFO(a.name << " " << name(collective) << " " << ranks);
        const auto root = looked_up(a, config.problem, 0);
        const auto last = looked_up(a, config.problem, ranks - 1);
        const double reduced = std::max(root.reduced, last.reduced);
        const double estimated = sizes.reduced_elements(config);
        const double actions = sizes(config, RoundSizes::Of::last_rank).actions;
        if (ranks > 64) {
          CHECK(estimated >= 0.49 * reduced);  // ranks beyond a power fold in whole vectors
          CHECK(estimated <= 2 * reduced);
          continue;
        }
        CHECK(estimated >= 0.999 * reduced);
        CHECK(estimated <= 1.001 * reduced);
        CHECK(actions == last.actions);
      }
}

TEST_CASE("an estimate for a billion ranks is immediate") {
  RoundSizes sizes;
  Config config;
  config.problem = {Collective::allreduce, 1'000'000'000, 10};
  for (const Algorithm& a : algorithms()) {
    config.algorithm = &a;
    if (a.grouped || a.gridded || !unsupported(a, config.problem).empty()) continue;
    CHECK(sizes(config, RoundSizes::Of::root).actions > 0);
  }
  config.algorithm = &find_algorithm("all_to_all");
  CHECK(sizes(config, RoundSizes::Of::root).actions == 2. * 999'999'999);
}
