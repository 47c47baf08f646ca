// Rings with channels: proved and counted on nodes of all small sizes, and where each enters and
// leaves a node.
#include <string>

#include "algorithms/base/text.hpp"
#include "algorithms/groups.hpp"
#include "algorithms/verify/count.hpp"
#include "algorithms/verify/verify.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/schedules.hpp"
#include "tests/support/thorough.hpp"

using namespace arlab;

namespace {

const Algorithm& ring_of(Count channels) {
  return find_algorithm(concat("ring:channels=", channels));
}

// The ranks in the order in which ring c of K visits them: the definition, as a list.
std::vector<Rank> order_of(const Groups& groups, Count c, Count channels) {
  std::vector<Rank> order;
  for (Rank g = 0; g < groups.count(); ++g)
    for (Rank j = 0; j < groups.size_of(g); ++j) {
      const Count first = c * groups.size_of(g) / channels;
      order.push_back(groups.member(g, static_cast<Rank>((first + j) % groups.size_of(g))));
    }
  return order;
}

void check_order(const Groups& groups, const Problem& p, Count channels) {
  for (const Lane& lane : lanes_of(ring_of(channels), p)) {
    const std::vector<Rank> order = order_of(groups, lane.problem.lane, channels);
    for (std::size_t at = 0; at < order.size(); ++at) {
      Program program = ring_of(channels).program(lane.problem, order[at]);
      if (!program.next()) continue;
      CHECK(program.round()[0].peer == order[(at + 1) % order.size()]);
      CHECK(program.round()[1].peer == order[(at + order.size() - 1) % order.size()]);
    }
  }
}

void check_ring(const Groups& groups, Count channels, Count elements) {
  const Problem p{.ranks = groups.ranks(), .elements = elements, .groups = &groups};
  INFO(groups.count() << " groups, the first of " << groups.size_of(0) << ", " << channels
                      << " channels, " << elements << " elements");
  const Proof proof = verify(ring_of(channels), p);
  INFO(proof.fault.text);
  REQUIRE(proof);
  REQUIRE(count(ring_of(channels), p).all == predicted_cost(ring_of(channels), p));
  const Count ranks = p.ranks;
  if (elements >= channels * ranks)
    REQUIRE(count(ring_of(channels), p).all.messages ==
            (ranks > 1 ? 2 * channels * ranks * (ranks - 1) : 0));
}

}  // namespace

TEST_CASE("rings with channels are right on 1 to 8 nodes of 1 to 8 ranks, with 1 to 8 channels") {
  const Rank most = kSanitized ? 4 : 8;
  for (Rank nodes = 1; nodes <= most; ++nodes)
    for (Rank size = 1; size <= most; ++size)
      for (Count channels = 1; channels <= most; ++channels) {
        const Groups groups = Groups::consecutive(nodes * size, size);
        for (const Count elements : {channels - 1, Count{nodes} * size * channels + 5})
          check_ring(groups, channels, elements);
      }
}

TEST_CASE("rings with channels are right on nodes of different sizes, and of ranks in any order") {
  const std::int32_t of_rank[] = {0, 1, 1, 2, 2, 2, 2, 0, 1, 2, 2};  // 2, 3 and 6 ranks
  const Groups mixed(of_rank), ragged = Groups::consecutive(13, 5);
  for (const Groups* const groups : {&mixed, &ragged})
    for (const Count channels : {2, 3, 7, 16})
      for (const Count elements : {Count{1}, Count{40}, Count{1009}}) {
        check_ring(*groups, channels, elements);
        check_order(*groups, {.ranks = groups->ranks(), .elements = elements, .groups = groups},
                    channels);
      }
}

TEST_CASE("with a ring per rank of a node, each rank sends to another node in one ring only") {
  const Groups groups = Groups::consecutive(24, 8);
  const Problem p{.ranks = 24, .elements = 2400, .groups = &groups};
  std::vector<int> out(24), in(24);
  for (const Lane& lane : lanes_of(ring_of(8), p))
    for (Rank me = 0; me < 24; ++me) {
      Program program = ring_of(8).program(lane.problem, me);
      REQUIRE(program.next());
      const Rank to = program.round()[0].peer;
      if (groups.group_of(to) == groups.group_of(me)) continue;
      ++out[index(me)];
      ++in[index(to)];
    }
  CHECK(out == std::vector<int>(24, 1));
  CHECK(in == std::vector<int>(24, 1));
}

TEST_CASE("a ring of one channel is the ring, and more channels have no halves") {
  const Algorithm& one = ring_of(1);
  CHECK(!one.grouped);
  CHECK(unsupported(one, {.collective = Collective::all_gather, .ranks = 4}).empty());
  CHECK(unsupported(ring_of(2), {.collective = Collective::all_gather, .ranks = 4}) ==
        "ring:channels=2 has no all_gather form");
  CHECK(error_text(Blame::usage, [] { ring_of(0); }).find("channels") != std::string::npos);
  CHECK(error_text(Blame::usage, [] { find_algorithm("recursive_multiplying:k=1"); }) != "");
  // Without groups all ranks share one node.
  CHECK(verify(ring_of(3), {.ranks = 7, .elements = 100}));
}
