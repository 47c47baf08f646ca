#include "algorithms/problem.hpp"

#include <bit>
#include <limits>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"
#include "algorithms/forest.hpp"
#include "algorithms/groups.hpp"
#include "algorithms/rank_grid.hpp"

namespace arlab {

std::string_view name(Collective collective) {
  constexpr std::string_view kNames[] = {"allreduce", "reduce_scatter", "all_gather", "reduce",
                                         "broadcast"};
  static_assert(std::size(kNames) == std::size(kCollectives));
  return kNames[static_cast<std::size_t>(collective)];
}

void check(const Problem& p) {
  if (p.ranks < 1) fail(Blame::usage, concat("ranks is ", p.ranks, ": give at least 1"));
  if (p.elements < 0) fail(Blame::usage, concat("elements is ", p.elements, ": give 0 or more"));
  // A rank of a butterfly sends log2 m whole vectors, of up to 8 bytes per element.
  const Count max = std::numeric_limits<Count>::max() / 512 / p.ranks;
  if (p.elements > max)
    fail(Blame::usage,
         concat("elements is ", p.elements, ": with ", p.ranks,
                " ranks the bytes sent could not be counted in 64 bits, give at most ", max));
  expects(
      p.chunks_per_rank == 1 || (p.chunks_per_rank > 1 && p.collective != Collective::all_gather &&
                                 p.collective != Collective::reduce_scatter),
      "each rank has one chunk");
  if (p.root < 0 || p.root >= p.ranks)
    fail(Blame::usage, concat("root is ", p.root, ", but the ranks are 0 to ", p.ranks - 1,
                              ": choose one of those"));
  if (p.groups && p.groups->ranks() != p.ranks)
    fail(Blame::usage, concat("the groups have ", p.groups->ranks(), " ranks, but the problem has ",
                              p.ranks, ": give groups of all ranks"));
  if (p.grid && p.grid->ranks() != p.ranks)
    fail(Blame::usage, concat("the grid ", p.grid->text(), " has ", p.grid->ranks(),
                              " ranks, but the problem has ", p.ranks,
                              ": give sizes whose product is the number of ranks"));
  if (p.forest && p.forest->ranks() != p.ranks)
    fail(Blame::usage, concat("the trees have ", p.forest->ranks(), " ranks, but the problem has ",
                              p.ranks, ": give trees of all ranks"));
}

int floor_log2(Count x) {
  expects(x >= 1, "floor_log2 of a number below 1");
  return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(x))) - 1;
}

int ceil_log2(Count x) { return x == 1 ? 0 : floor_log2(x - 1) + 1; }

}  // namespace arlab
