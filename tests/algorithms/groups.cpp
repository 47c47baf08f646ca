// Groups, and the hierarchical algorithm on unusual groups; conformance.cpp tests it on usual ones.
#include "algorithms/groups.hpp"

#include "algorithms/base/text.hpp"
#include "algorithms/verify/count.hpp"
#include "algorithms/verify/verify.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/grouped.hpp"
#include "tests/support/schedules.hpp"

using namespace arlab;

TEST_CASE("groups and places are numbered in rank order") {
  const std::int32_t of_rank[] = {7, -1, 7, 7, -1, 30};
  const Groups groups(of_rank);
  CHECK(groups.ranks() == 6);
  CHECK(groups.count() == 3);
  CHECK(groups.group_of(0) == 0);
  CHECK(groups.group_of(4) == 1);
  CHECK(groups.group_of(5) == 2);
  CHECK(groups.place_of(3) == 2);
  CHECK(groups.size_of(0) == 3);
  CHECK(groups.member(1, 1) == 4);
  CHECK(groups.even_size() == 0);
  CHECK(Groups::consecutive(8, 4).even_size() == 4);
  CHECK(Groups::consecutive(9, 4).even_size() == 0);
  CHECK(Groups::consecutive(9, 4).count() == 3);
  CHECK(Groups::consecutive(3, 100).even_size() == 3);
  CHECK(Groups(std::span<const std::int32_t>()).even_size() == 0);
  CHECK(error_text(Blame::usage, [] { Groups::consecutive(8, 0); }) ==
        "groups of 0 ranks: give at least 1");
}

TEST_CASE("check rejects groups of another number of ranks") {
  const Groups groups = Groups::consecutive(8, 2);
  CHECK(error_text(Blame::usage, [&] { check({.ranks = 6, .groups = &groups}); }) ==
        "the groups have 8 ranks, but the problem has 6: give groups of all ranks");
}

TEST_CASE("hierarchical returns why it is unsupported") {
  const Algorithm& algorithm = find_algorithm("hierarchical");
  CHECK(unsupported(algorithm, {.ranks = 10, .elements = 5}) ==
        "hierarchical needs to know which ranks share a node (from groups, or a topology that "
        "has them)");
  CHECK(unsupported(algorithm, {.collective = Collective::reduce_scatter, .ranks = 8}) ==
        "hierarchical has no reduce_scatter form");
}

TEST_CASE("verify proves hierarchical on one group and on groups of one rank") {
  for (const Rank size : {1, 9}) {
    const Groups groups = Groups::consecutive(9, size);
    const Problem p{.ranks = 9, .elements = 100, .groups = &groups};
    CHECK(verify(find_algorithm("hierarchical"), p));
    CHECK(count(find_algorithm("hierarchical"), p).all.rounds == 16);
  }
}

TEST_CASE("hierarchical sends only N/S elements of a rank to other nodes, in each half") {
  const Groups groups = Groups::consecutive(32, 8);
  const Problem p{.ranks = 32, .elements = 3200, .groups = &groups};
  for (Rank me = 0; me < 32; ++me) {
    Count outside = 0;
    for (Program program = find_algorithm("hierarchical").program(p, me); program.next();)
      for (const Action& a : program.round())
        if (a.sends() && groups.group_of(a.peer) != groups.group_of(me))
          outside += p.blocks().size(a.chunks);
    CHECK(outside == 2 * 3 * 100);  // a ring of 4 nodes on 400 elements: 2 (4 - 1) chunks of 100
  }
}

TEST_CASE("hierarchical costs as much as its formula states") {
  for (const Rank size : {1, 2, 3, 4, 6, 12}) {
    const Count m = 12, groups = m / size, n = 1200;
    const Problem p{.ranks = 12, .elements = n, .groups = kept_groups(12, size, true)};
    CHECK(count(find_algorithm("hierarchical"), p).all ==
          Cost{2 * m * (size - 1) + 2 * m * (groups - 1), 2 * n * (m - 1),
               2 * (size - 1) + 2 * (groups - 1)});
  }
}

TEST_CASE("hierarchical by default is round_robin within groups and ring between them") {
  const Groups groups = Groups::consecutive(12, 4);
  const Problem p{.ranks = 12, .elements = 100, .groups = &groups};
  const Algorithm& named = find_algorithm("hierarchical:within=round_robin,across=ring");
  CHECK(lanes_of(named, p).size() == 1);
  for (Rank me = 0; me < 12; ++me) {
    Program a = find_algorithm("hierarchical").program(p, me), b = named.program(p, me);
    for (;;) {
      const bool more = a.next();
      REQUIRE(b.next() == more);
      if (!more) break;
      REQUIRE(std::equal(a.round().begin(), a.round().end(), b.round().begin(), b.round().end()));
    }
  }
}

TEST_CASE("groups of unequal size: every group contributes, and no lane has more than one leader") {
  const std::int32_t of_rank[] = {0, 1, 1, 2, 2, 2, 2, 0, 1, 2, 2};  // 2, 3 and 6 ranks
  const Groups groups(of_rank);
  const Count n = 1009;
  const Problem p{.ranks = 11, .elements = n, .groups = &groups};
  for (const std::string_view spec :
       {"hierarchical", "hierarchical:within=master_worker,across=ring"}) {
    const Algorithm& algorithm = find_algorithm(spec);
    CHECK(lanes_of(algorithm, p).size() == 2);
    const Proof proof = verify(algorithm, p);
    INFO(spec << ": " << proof.fault.text);
    CHECK(proof);
    // Per lane: each rank but the leader up and down, and a ring of 3 leaders.
    CHECK(count(algorithm, p).all == Cost{2 * (2 * 8 + 2 * 3 * 2), 2 * 10 * n, 1 + 4 + 1});
    CHECK(predicted_cost(algorithm, p) == count(algorithm, p).all);
  }
  // The largest group is ready last, so it is the root between the groups.
  const Algorithm& trees = find_algorithm("hierarchical:within=tree,across=tree");
  CHECK(count(trees, p).all == predicted_cost(trees, p));
  const Algorithm& tree = find_algorithm("hierarchical:within=tree,across=butterfly,leaders=1");
  CHECK(lanes_of(tree, p).size() == 1);
  CHECK(verify(tree, p));
  CHECK(count(tree, p).all == predicted_cost(tree, p));
}

TEST_CASE("hierarchical over every algorithm in each level, on equal and unequal groups") {
  int tried = 0;
  for (const Algorithm& within : algorithms())
    for (const Algorithm& across : algorithms()) {
      if (within.collectives.size() == 1) continue;  // has no halves
      if (across.grouped || across.gridded || across.forested) continue;
      const Algorithm& algorithm =
          find_algorithm(concat("hierarchical:within=", within.name, ",across=", across.name));
      for (const Rank size : {1, 3, 4, 5, 12}) {
        const Groups groups = Groups::consecutive(12, size);
        const Problem p{.ranks = 12, .elements = 103, .groups = &groups};
        INFO(algorithm.name << ", groups of " << size);
        if (const std::string why = unsupported(algorithm, p); !why.empty()) {
          CHECK(why.find(": ") != why.npos);
          continue;
        }
        ++tried;
        const Proof proof = verify(algorithm, p);
        INFO(proof.fault.text);
        REQUIRE(proof);
        REQUIRE(predicted_cost(algorithm, p) == count(algorithm, p).all);
      }
    }
  CHECK(tried > 400);
}

TEST_CASE("levels that do not fit are refused with the reason and a remedy") {
  const Groups even = Groups::consecutive(12, 4), uneven = Groups::consecutive(10, 4);
  const auto refusal = [](const char* spec, const Groups& groups) {
    return unsupported(find_algorithm(spec),
                       {.ranks = groups.ranks(), .elements = 100, .groups = &groups});
  };
  CHECK(refusal("hierarchical:within=ring", uneven) ==
        "ring within groups needs groups of equal size, but these have 2 to 4 ranks: take "
        "master_worker, tree or chain within groups");
  CHECK(refusal("hierarchical:within=circulant,across=pat", even) ==
        "circulant within groups sends several chunks at once, and pat between groups sends them "
        "around the end of a block: take ring or round_robin within groups");
  CHECK(refusal("hierarchical:within=pat", even) ==
        "pat within groups sends chunks with strides, which are not chunks of the whole vector: "
        "take circulant or ring within groups");
  CHECK(refusal("hierarchical:within=tree,across=pat", even) ==
        "pat between leaders sends chunks with strides, which are not chunks of the whole vector: "
        "take circulant between groups");
  CHECK(refusal("hierarchical:within=chain,across=chain", uneven) ==
        "chain between groups of unequal size has no closed form of its rounds: take ring, "
        "butterfly or tree between groups");
  CHECK(refusal("hierarchical:within=butterfly", even) ==
        "within groups: butterfly has no reduce form");
  CHECK(refusal("hierarchical:across=trivance", Groups::consecutive(8, 4))
            .starts_with("between groups: "));
  const auto misuse = [](const char* spec) {
    return error_text(Blame::usage, [&] { find_algorithm(spec); });
  };
  CHECK(misuse("hierarchical:across=torus_bucket") ==
        "parameter across of algorithm hierarchical is torus_bucket, which needs groups, a torus "
        "or trees of its own: give an algorithm that runs on any network, such as ring");
  CHECK(misuse("hierarchical:within=hierarchical:across=hierarchical").starts_with("parameter"));
  CHECK(misuse("hierarchical:leaders=2").ends_with("leave it out, or take tree within groups"));
  CHECK(misuse("hierarchical:within=rign") ==
        error_text(Blame::usage, [] { find_algorithm("rign"); }));
  CHECK(misuse("hierarchical:leaders=-1").find("leaders") != std::string::npos);
  CHECK(misuse("hierarchical:inside=ring").find("has no parameter 'inside'") != std::string::npos);
}
