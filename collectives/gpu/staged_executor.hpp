// StagedExecutor: collectives on vectors in this process's memory that travel between devices: each is
// copied to the rank's device, runs there, and is copied back.
//
// For whoever computes on the host, or hands its results out there as training does, where the fast
// network joins the GPUs. The buffers are kept, pinned on the host's side, and so is the plan of
// every problem: training runs the same few again and again.
#pragma once

#include <compare>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "collectives/gpu/rank_executor.hpp"

namespace arlab::collectives {

class StagedExecutor {
 public:
  /// As RankExecutor's.
  StagedExecutor(Communicator& control, Device& device, DeviceTransport& wires,
                 RankExecutor::Seconds patience = RankExecutor::Seconds(60));

  /// As execute() of execute.hpp, to the same bits; the algorithm is one of the catalogue. Throws
  /// what RankExecutor does, too, and Error(environment) ever after.
  Cost execute(const Algorithm& algorithm, const Problem& problem, std::span<std::byte> data,
               Operand operand, int segments = 1);

  /// The library's own allreduce, in place; its name is empty where there is none.
  std::string native_name() const { return rank_.wires().native_name(); }
  void native_allreduce(std::span<std::byte> data, Operand operand);

 private:
  struct Key {
    const Algorithm* algorithm;
    Collective collective;
    Count elements;
    Rank root;
    DType dtype;
    Op op;
    int segments;
    std::vector<Rank> groups;  // of each rank; empty: none
    auto operator<=>(const Key&) const = default;
  };

  // Freeing and allocating device memory may wait for all streams of all peers, and so for ever if
  // a peer's stream already waits for this rank. Both therefore end with a barrier: no rank starts
  // a collective before all have their memory.
  RankExecutor::Prepared& prepared_for(const Key& key, const Problem& problem);
  /// Buffers of so many bytes at least. What was prepared on smaller ones is forgotten.
  void make_room(std::size_t bytes);
  void expect_unbroken() const;
  template <class Run>
  void stage(std::span<std::byte> data, Run run);

  Communicator& control_;
  Device& device_;
  DeviceMemory there_, here_;  // on the device, pinned on the host
  std::map<Key, RankExecutor::Prepared> prepared_;
  bool failed_ = false;  // copies may be under way still
  RankExecutor rank_;    // goes first, and waits for what is under way on the others
};

}  // namespace arlab::collectives
