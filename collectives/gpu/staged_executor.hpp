// StagedExecutor: one rank whose vectors travel between devices. A vector in host memory is copied
// to the rank's device, runs there, and is copied back; one in the device's memory runs where it
// is.
//
// For training, which hands out gradients on either side while the fast network joins the GPUs.
// Buffers are kept, pinned on the host's side. So is the plan of every problem, because training
// repeats the same few problems. Its workload is the rank's: the device alone is measured, without
// the copies.
#pragma once

#include <compare>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "collectives/gpu/rank_executor.hpp"

namespace arlab::collectives {

class StagedExecutor final : public Executor, private DeviceCollectives {
 public:
  /// As RankExecutor's.
  StagedExecutor(Communicator& control, Device& device, DeviceTransport& transport,
                 RankExecutor::Seconds patience = RankExecutor::Seconds(60));

  using Executor::execute;

 private:
  /// Gives the same bits as execute() of execute.hpp. Throws what RankExecutor throws. After such a
  /// failure every later call throws Error(environment).
  Cost run_in_place(const Algorithm* algorithm, const Problem& problem, std::span<std::byte> data,
                    Operand operand, int segments, int first_lane) override;

  // DeviceCollectives
  /// `data` keeps its address from call to call. Throws as execute() on host memory does.
  DeviceRun execute(const Algorithm* algorithm, const Problem& problem, std::byte* data,
                    Operand operand, int segments, std::span<const DeviceEvent> after) override;
  double exchange(std::span<const SendRecv> messages, const DeviceEvent& after) override;

  struct Key {
    const std::byte* data;  // on the device
    const Algorithm* algorithm;
    Collective collective;
    Count elements;
    Rank root;
    DType dtype;
    Op op;
    int segments;
    std::vector<Rank> groups;  // by rank; empty: none
    std::vector<Rank> grid;    // its sizes; empty: none
    const Forest* forest;      // lives as long as its problems
    auto operator<=>(const Key&) const = default;
  };

  // Freeing and allocating device memory may wait for all streams of all peers, and so for ever if
  // a peer's stream already waits for this rank. Both therefore end with a barrier: no rank starts
  // a collective before all have their memory.
  RankExecutor::Prepared& prepared_for(const Algorithm& algorithm, const Problem& problem,
                                       std::byte* data, Operand operand, int segments);
  /// Makes the buffers at least that large. Forgets what was prepared on smaller ones.
  void make_room(std::size_t bytes);
  void expect_unbroken() const;
  /// Runs work of the rank on memory of the caller, once the events are done. Returns its
  /// microseconds.
  template <class Run>
  double run_on_device(std::span<const DeviceEvent> after, Run run);
  template <class Run>
  void stage(std::span<std::byte> data, Run run);
  void bring_back(std::span<std::byte> data);

  // Every other piece comes back in this stream. Work in it may still use the memory below.
  struct SecondStream {
    std::unique_ptr<DeviceStream> stream;
    ~SecondStream();
  };

  Communicator& control_;
  Device& device_;
  DeviceMemory there_, here_;  // on the device, pinned on the host
  std::map<Key, RankExecutor::Prepared> prepared_;
  DeviceEvent reduced_;
  SecondStream second_;
  bool failed_ = false;  // copies may still be in progress
  RankExecutor rank_;    // destroyed first: waits for work on the memory above
};

}  // namespace arlab::collectives
