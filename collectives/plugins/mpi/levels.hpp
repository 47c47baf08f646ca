// Levels: collectives of ranks on several machines: through shared memory within each machine, by
// messages of MPI between machines.
//
// For an allreduce, the ranks of a machine sum the vector in slices; each slice is summed between
// the ranks that carry it, one per machine; the ranks of a machine collect the slices. A short
// vector is one slice. A longer one has as many as the machine with the fewest ranks has ranks.
// Each of M machines sends 2 (M - 1) / M times the vector, which is the least, whatever the ranks'
// order. The other collectives are parts of it: each block or slice enters a machine once.
#pragma once

#include <mpi.h>

#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "algorithms/groups.hpp"
#include "collectives/plugins/mpi/machine_steps.hpp"
#include "collectives/plugins/mpi/ranks.hpp"
#include "collectives/plugins/mpi/reductions.hpp"

namespace arlab::collectives {

/// Returns why ranks on these machines cannot go by level; empty if they can.
const char* why_not_by_level(const Groups& machines);

class Levels {
 public:
  /// `machines`: those of the ranks of `comm`. Makes nothing yet.
  Levels(MPI_Comm comm, Groups machines, bool crowded)
      : comm_(comm), machines_(std::move(machines)), crowded_(crowded) {}
  ~Levels();
  Levels(const Levels&) = delete;
  Levels& operator=(const Levels&) = delete;

  const Groups& machines() const { return machines_; }

  Rank me() const;
  Rank ranks() const { return machines_.ranks(); }

  /// Makes in the first call what collectives need; all ranks call it together. Returns whether
  /// they have it: if those of any machine cannot share memory, rank 0 says so once.
  bool open();
  /// Whether messages between machines are at most as fast as where levels were measured. open()
  /// has returned true.
  bool has_slow_network() const { return has_slow_network_; }

  /// Null `from` means in place. All ranks call it together, after open() has returned true.
  void allreduce(const std::byte* from, std::byte* into, int elements,
                 const LocalReduction& reduction);
  // As those of StepCollectives, of vectors of at most kMostBytes in all.
  void broadcast(Rank root, std::byte* data, std::size_t bytes);
  void reduce(Rank root, const std::byte* from, std::byte* into, std::size_t elements,
              const LocalReduction& reduction);
  void allgather(const std::byte* mine, std::byte* all, std::size_t bytes_each);
  void reduce_scatter(const std::byte* from, std::byte* into, std::span<const int> elements,
                      const LocalReduction& reduction);
  static constexpr Bytes kMostBytes = std::numeric_limits<int>::max();

 private:
  struct Carried;

  bool all_make(const std::function<void()>& make);
  void share_within(Rank machine, Rank me);
  double connect(Rank machine, Rank place);
  Count cut(Count elements, std::size_t element_bytes);
  Carried carried(std::span<const int> elements, std::size_t element_bytes);
  void sum_between(std::byte* slice, int elements, const LocalReduction& reduction);
  void broadcast_between(Rank source, std::byte* slice, int bytes);
  void reduce_between(Rank target, std::byte* slice, int elements, const LocalReduction& reduction);
  int pieces_in_chain(Bytes bytes) const;

  MPI_Comm comm_;
  Groups machines_;
  bool crowded_, was_opened_ = false, is_open_ = false, has_slow_network_ = false;
  Rank most_slices_ = 1;
  std::optional<MachineSteps> within_;
  MPI_Comm between_ = MPI_COMM_NULL;       // of the ranks that carry the same slice
  std::unique_ptr<PluginRanks> carriers_;  // the same; null: this rank carries none
  std::vector<int> slices_;                // elements of each rank of this machine
};

}  // namespace arlab::collectives
