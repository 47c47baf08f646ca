// StepCollectives: blocking collectives over SharedSteps.
//
// Vectors pass in pieces that stay in caches: while the others read one, a rank copies another.
// Contributions are combined in the order of ranks, so that all ranks have the same bits, whatever
// the size; only an allreduce in place on 2 ranks begins with each rank's own.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "collectives/shm/shared_steps.hpp"

namespace arlab::collectives {

/// A commutative and associative operation on elements of a fixed size.
struct StepReduction {
  std::size_t element_bytes = 1;
  const void* what = nullptr;
  /// into[i] = from[i] op into[i]
  void (*combine)(const void* what, std::byte* into, const std::byte* from,
                  std::size_t elements) = nullptr;
};

/// How vectors are cut.
struct StepSizes {
  std::size_t piece_bytes = 32 << 10;  ///< of a vector in a step, at most SharedSteps::kBufferBytes
  /// Up to this size, and always of two ranks, every rank combines the whole vector; above, each
  /// rank its slice of it.
  std::size_t most_whole = 8 << 10;
};

class StepCollectives {
 public:
  StepCollectives(SharedSteps steps, StepSizes sizes);

  /// For steps of others between those of the collectives.
  SharedSteps& steps() { return steps_; }
  /// What this rank has copied to where the others read it.
  std::size_t bytes_given() const { return given_; }

  Rank me() const { return steps_.me(); }
  Rank ranks() const { return steps_.ranks(); }

  /// Null `from` means in place; else the two do not overlap.
  void allreduce(const std::byte* from, std::byte* into, std::size_t elements,
                 const StepReduction& reduction);
  /// `into` is the root's. from == into means in place.
  void reduce(Rank root, const std::byte* from, std::byte* into, std::size_t elements,
              const StepReduction& reduction);
  void broadcast(Rank root, std::byte* data, std::size_t bytes);
  /// Null `mine` means in place.
  void allgather(const std::byte* mine, std::byte* all, std::size_t bytes_each);
  /// In place, of blocks that differ in size. `elements`: by rank.
  void allgather_blocks(std::byte* all, std::span<const int> elements, std::size_t element_bytes);
  /// The same blocks for one rank: `all` is the root's, `mine` this rank's, elsewhere.
  void gather_blocks(Rank root, const std::byte* mine, std::byte* all,
                     std::span<const int> elements, std::size_t element_bytes);
  /// Null `from` means in place: the input is where the result begins. The result may also be
  /// within the input, where this rank's block begins. `elements`: by rank.
  void reduce_scatter(const std::byte* from, std::byte* into, std::span<const int> elements,
                      const StepReduction& reduction);

 private:
  using Side = SharedSteps::Side;
  struct Pieces;

  template <class BlockOf>
  void gather(const std::byte* mine, std::byte* all, std::size_t most, BlockOf block_of);
  void gather_unequal(const std::byte* mine, std::byte* all, std::span<const int> elements,
                      std::size_t element_bytes);
  std::size_t elements_in_piece(std::size_t element_bytes, std::size_t most_bytes) const;
  void give(std::uint64_t step, const std::byte* data, std::size_t bytes);
  void await_all(std::uint64_t step, std::size_t bytes, std::size_t at, const std::byte* own);
  void combine_all(std::byte* into, std::size_t elements, const StepReduction& reduction);
  void combine_slice(std::uint64_t step, std::size_t elements, const StepReduction& reduction);
  void collect_slices(std::uint64_t step, std::byte* into, std::size_t elements,
                      const StepReduction& reduction);
  void allreduce_whole(const std::byte* from, std::byte* into, const Pieces& pieces,
                       const StepReduction& reduction);
  void reduce_whole(Rank root, const std::byte* from, std::byte* into, const Pieces& pieces,
                    const StepReduction& reduction);
  void by_slices(const std::byte* from, std::byte* into, const Pieces& pieces,
                 const StepReduction& reduction);

  SharedSteps steps_;
  StepSizes sizes_;
  std::vector<const std::byte*> sources_;  // by rank
  std::size_t given_ = 0;
};

}  // namespace arlab::collectives
