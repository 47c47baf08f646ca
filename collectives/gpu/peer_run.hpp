// PeerRun: a plan in the memory of all devices, ready to be launched again and again.
//
// One kernel per device runs the steps of all ranks there. Devices read and write one another's
// memory: those of one process, or those of several, of which each launches the kernel of its own
// rank.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "collectives/gpu/device.hpp"
#include "collectives/gpu/peer_processes.hpp"
#include "collectives/gpu/peer_schedule.hpp"

namespace arlab::collectives {

class PeerRun {
 public:
  /// `homes`: the device of each rank, ranks of one device in a row. `data` and `scratch`: of each
  /// rank. All must outlive this. Throws Error(environment) unless all devices reach one another,
  /// and have room for all blocks at once.
  PeerRun(const DeviceSchedule& schedule, std::span<Device* const> homes,
          std::span<std::byte* const> data, std::span<std::byte* const> scratch,
          const PeerOptions& options);
  /// `data` and `scratch`: of this process's rank. All ranks call it together. Throws
  /// Error(environment) on all of them if one cannot open the memory that it needs.
  PeerRun(const DeviceSchedule& schedule, PeerProcesses& processes, std::byte* data,
          std::byte* scratch, const PeerOptions& options);

  std::size_t devices() const { return parts_.size(); }
  Rank first_rank(std::size_t device) const { return parts_[device].first; }
  /// Enqueues one device's kernel. All devices must be launched. Those of one process start when
  /// all their vectors are complete, and their next run after the end of all.
  void launch(std::size_t device, DeviceStream& stream) const;
  /// Throws Stalled if a wait of the runs so far was given up. They must have ended.
  void check() const;

  const PeerSchedule& schedule() const { return schedule_; }
  const PeerGrid& grid() const { return grid_; }

 private:
  struct Part {
    Device* device = nullptr;
    Rank first = 0, ranks = 0;
    DeviceMemory shared;  // flags and words of its ranks, and its control
    DeviceMemory tables;  // steps, waits, sources
    DeviceMemory stall;   // on the host
    PeerPlan plan;
  };

  void find_parts(std::span<Device* const> homes);
  void choose_grid();
  void limit_blocks(const DeviceSchedule& schedule);
  void allocate(Part& part);
  PeerProcesses::Wanted wanted_by(Rank rank) const;
  void fill_tables(Part& part);
  std::size_t flag_bytes() const;
  std::byte* address(const PeerPlace& place) const;
  PeerFlag* flags(Rank rank) const;

  PeerOptions options_;
  Operand operand_;
  PeerGrid grid_;
  PeerSchedule schedule_;
  std::vector<Part> parts_;         // by device of this process
  std::vector<PeerSpaces> memory_;  // of each rank; its flags, and then its words, are the last
  PeerProcesses::Opened opened_;    // of other processes
};

}  // namespace arlab::collectives
