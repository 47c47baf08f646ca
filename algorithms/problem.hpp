// Problem: a collective, its ranks and its elements, as plain numbers.
//
// It holds no data, no datatypes and no times. The vector is cut into one chunk per rank, or into
// several, as balanced blocks: the first `elements % parts` chunks are one element longer. With
// fewer elements than chunks some chunks are empty.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "algorithms/base/types.hpp"
#include "algorithms/chunks.hpp"

namespace arlab {

enum class Collective : std::uint8_t { allreduce, reduce_scatter, all_gather, reduce, broadcast };

inline constexpr Collective kCollectives[] = {Collective::allreduce, Collective::reduce_scatter,
                                              Collective::all_gather, Collective::reduce,
                                              Collective::broadcast};

std::string_view name(Collective collective);

class Forest;    // forest.hpp
class Groups;    // groups.hpp
class RankGrid;  // rank_grid.hpp

/// For which teams of ranks the switches of a network add (teams.hpp).
struct SwitchSums {
  bool all = false;     ///< for all ranks together
  bool groups = false;  ///< for the ranks of each group
  bool places = false;  ///< for the ranks at the same place of their groups
  bool operator==(const SwitchSums&) const = default;
};

struct Problem {
  Collective collective = Collective::allreduce;
  Rank ranks = 1;
  Count elements = 0;
  Rank root = 0;             ///< the master of master_worker, the root of tree
  std::int32_t lane = 0;     ///< which of the algorithm's own lanes this is (see algorithm.hpp)
  Rank chunks_per_rank = 1;  ///< more for pipelines of more messages than ranks
  int pieces = 0;            ///< in which a pipelined algorithm passes on its lane; 0: it chooses
  const Groups* groups = nullptr;  ///< which ranks share a node, or null; must outlive this
  const RankGrid* grid = nullptr;  ///< the ranks as a grid or torus, or null; must outlive this
  const Forest* forest = nullptr;  ///< trees of the ranks, or null; must outlive this
  SwitchSums switches{};           ///< what the network adds; nothing on real machines

  /// Whether the collective has the reducing half: partial sums are added up.
  bool reduces() const {
    return collective != Collective::all_gather && collective != Collective::broadcast;
  }
  /// Whether it has the sharing half: finished values are distributed.
  bool shares() const {
    return collective != Collective::reduce_scatter && collective != Collective::reduce;
  }

  int halves() const { return (reduces() ? 1 : 0) + (shares() ? 1 : 0); }

  /// Returns any integer modulo the number of ranks: wrap(-1) is the last rank.
  Rank wrap(Count rank) const { return wrap(rank, ranks); }

  /// Returns the number of chunks of the vector.
  Rank parts() const { return ranks * chunks_per_rank; }
  Chunks chunk(Count index) const { return {wrap(index, parts()), 1}; }
  /// Returns `count` chunks from `first`, any integer, on, around the end.
  Chunks chunks(Count first, Rank count, Rank stride = 1) const {
    return {wrap(first, parts()), count, count == 1 ? 1 : stride};
  }
  Chunks all() const { return {0, parts()}; }
  Blocks blocks() const { return {elements, parts()}; }
  /// Returns the number of chunks that have elements.
  Count filled_chunks() const { return std::min<Count>(parts(), elements); }

 private:
  static Rank wrap(Count x, Rank modulus) {
    if (x >= modulus) x -= modulus;  // off by one is the common case, and a division is slow
    if (x < 0) x += modulus;
    if (x < 0 || x >= modulus) x = (x % modulus + modulus) % modulus;
    return static_cast<Rank>(x);
  }
};

/// Throws Error(usage) unless ranks >= 1, elements >= 0, the bytes sent fit 64 bits, root is a
/// rank, and the groups and the grid have as many ranks as the problem; Error(check) if a
/// collective that gives each rank a chunk has several chunks per rank.
void check(const Problem& problem);

/// Return floor(log2 x) and ceil(log2 x) for x >= 1.
int floor_log2(Count x);
int ceil_log2(Count x);

}  // namespace arlab
