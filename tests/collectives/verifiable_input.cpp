// The pattern itself: every fault that a collective may make must show in it.
#include "collectives/verifiable_input.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "collectives/reduce/dispatch_dtype.hpp"
#include "collectives/reduce/reduce.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/thorough.hpp"

using namespace arlab;
using namespace arlab::collectives;

namespace {

using Vector = std::vector<std::byte>;

Vector input(const Problem& problem, Operand operand, Rank rank) {
  Vector data(static_cast<std::size_t>(problem.elements) * size_of(operand.dtype));
  fill(data, operand, problem, rank);
  return data;
}

/// What a rank adds to the others' contributions.
Vector added(const Problem& problem, Operand operand, Rank rank) {
  Vector data = input(problem, operand, rank);
  divide_before(data.data(), problem.elements, operand, problem.ranks);
  return data;
}

/// The sum (or whatever) over `ranks`, in the order given, in the type itself.
Vector reduced(const Problem& problem, Operand operand, const std::vector<Rank>& ranks) {
  Vector all = added(problem, operand, ranks.front());
  for (std::size_t i = 1; i < ranks.size(); ++i)
    reduce_into(all.data(), added(problem, operand, ranks[i]).data(), problem.elements, operand);
  divide_after(all.data(), problem.elements, operand, problem.ranks);
  return all;
}

/// Reduced as a binary tree over neighbors.
Vector reduced_as_tree(const Problem& problem, Operand operand) {
  std::vector<Vector> level;
  for (Rank rank = 0; rank < problem.ranks; ++rank) level.push_back(added(problem, operand, rank));
  while (level.size() > 1) {
    for (std::size_t i = 0; i + 1 < level.size(); i += 2)
      reduce_into(level[i].data(), level[i + 1].data(), problem.elements, operand);
    for (std::size_t i = 0; 2 * i < level.size(); ++i) std::swap(level[i], level[2 * i]);
    level.resize((level.size() + 1) / 2);
  }
  divide_after(level[0].data(), problem.elements, operand, problem.ranks);
  return level[0];
}

std::vector<Rank> all_ranks(Rank ranks) {
  std::vector<Rank> all;
  for (Rank rank = 0; rank < ranks; ++rank) all.push_back(rank);
  return all;
}

// An average of more ranks than an 8-bit integer can count is 0, whatever the contributions are.
bool is_always_zero(Operand operand, Rank ranks) {
  const bool integers = operand.dtype == DType::int8 || operand.dtype == DType::uint8;
  return operand.op == Op::avg && integers && ranks > 100;
}

template <class Use>
void for_all_operands(Use use) {
  for (const DType dtype : kDTypes)
    for (const Op op : kOps) {
      INFO(name(dtype) << " " << name(op));
      use(Operand{dtype, op});
    }
}

}  // namespace

TEST_CASE("the right answer does not depend on the order of additions") {
  for (const Rank ranks : thorough({1, 2, 3, 7, 14, 15, 16, 257, 1024}, {3})) {
    const Problem problem{.ranks = ranks, .elements = ranks < 100 ? 1100 : 150};
    INFO(ranks << " ranks");
    for_all_operands([&](Operand operand) {
      auto order = all_ranks(ranks);
      CHECK(wrong_elements(reduced(problem, operand, order), operand, problem, 0) == 0);
      std::reverse(order.begin(), order.end());
      CHECK(wrong_elements(reduced(problem, operand, order), operand, problem, 0) == 0);
      CHECK(wrong_elements(reduced_as_tree(problem, operand), operand, problem, 0) == 0);
    });
  }
}

TEST_CASE("a missing contribution shows") {
  for (const Rank ranks : {2, 3, 16, 300}) {
    const Problem problem{.ranks = ranks, .elements = 300};
    for_all_operands([&](Operand operand) {
      if (is_always_zero(operand, ranks)) return;
      for (const Rank missing : {0, 1, ranks - 1}) {
        auto some = all_ranks(ranks);
        some.erase(some.begin() + missing);
        CHECK(wrong_elements(reduced(problem, operand, some), operand, problem, 0) > 0);
      }
    });
  }
}

TEST_CASE("a doubled contribution shows, where doubling changes anything") {
  for (const Rank ranks : {1, 2, 5, 16, 300}) {
    const Problem problem{.ranks = ranks, .elements = 300};
    for_all_operands([&](Operand operand) {
      if (operand.op == Op::min || operand.op == Op::max) return;
      if (is_always_zero(operand, ranks)) return;
      auto more = all_ranks(ranks);
      more.push_back(ranks / 2);
      CHECK(wrong_elements(reduced(problem, operand, more), operand, problem, 0) > 0);
    });
  }
}

TEST_CASE("each single changed element is counted") {
  const Problem problem{.ranks = 4, .elements = 2500};
  for_all_operands([&](Operand operand) {
    Vector data = reduced(problem, operand, all_ranks(4));
    const std::size_t bytes = size_of(operand.dtype);
    for (const std::size_t element : {0u, 1020u, 1021u, 2499u})
      data[element * bytes + bytes - 1] ^= std::byte{0x40};
    CHECK(wrong_elements(data, operand, problem, 3) == 4);
  });
}

TEST_CASE("swapped chunks show") {
  const Problem problem{.ranks = 8, .elements = 8 * 200};
  for_all_operands([&](Operand operand) {
    Vector data = reduced(problem, operand, all_ranks(8));
    const std::size_t bytes = 200 * size_of(operand.dtype);
    const auto chunk = [&](std::size_t i) {
      return data.begin() + static_cast<std::ptrdiff_t>(i * bytes);
    };
    std::swap_ranges(chunk(2), chunk(3), chunk(5));
    CHECK(wrong_elements(data, operand, problem, 0) > 0);
  });
}

TEST_CASE("what a rank does not hold at the start is wrong everywhere") {
  for_all_operands([&](Operand operand) {
    const Problem gather{.collective = Collective::all_gather, .ranks = 4, .elements = 2003};
    const Blocks blocks = gather.blocks();
    CHECK(wrong_elements(input(gather, operand, 1), operand, gather, 1) ==
          gather.elements - blocks.size(1));
    const Problem broadcast{
        .collective = Collective::broadcast, .ranks = 4, .elements = 2003, .root = 2};
    CHECK(wrong_elements(input(broadcast, operand, 1), operand, broadcast, 1) == 2003);
    CHECK(wrong_elements(input(broadcast, operand, 2), operand, broadcast, 1) == 0);
  });
}

TEST_CASE("only what the collective promises is checked") {
  const Operand operand{DType::int32, Op::sum};
  const Problem reduce{.collective = Collective::reduce, .ranks = 3, .elements = 100, .root = 1};
  CHECK(wrong_elements(input(reduce, operand, 0), operand, reduce, 0) == 0);
  CHECK(wrong_elements(input(reduce, operand, 1), operand, reduce, 1) > 0);
  const Problem scatter{.collective = Collective::reduce_scatter, .ranks = 3, .elements = 99};
  const Count wrong = wrong_elements(input(scatter, operand, 0), operand, scatter, 0);
  CHECK(wrong > 0);
  CHECK(wrong <= 33);
}
