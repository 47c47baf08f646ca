// PeerRun: a plan in the memory of all devices, ready to be launched again and again.
//
// One kernel per device runs the steps of all ranks there. Devices read and write one another's memory.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "collectives/gpu/device.hpp"
#include "collectives/gpu/peer_schedule.hpp"

namespace arlab::collectives {

class PeerRun {
 public:
  /// `homes`: the device of each rank, ranks of one device in a row. `data` and `scratch`: of each rank.
  /// All must outlive this. Throws Error(environment) unless all devices reach one another, and have
  /// room for all blocks at once.
  PeerRun(const DeviceSchedule& schedule, std::span<Device* const> homes,
          std::span<std::byte* const> data, std::span<std::byte* const> scratch,
          const PeerOptions& options);

  std::size_t devices() const { return parts_.size(); }
  Rank first_rank(std::size_t device) const { return parts_[device].first; }
  /// Enqueues one device's kernel. All devices must be launched, and all vectors be complete before any
  /// kernel starts. The next run starts after the end of all.
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
  void choose_grid(const DeviceSchedule& schedule);
  void allocate();
  void fill_tables(Part& part, std::span<std::byte* const> data,
                   std::span<std::byte* const> scratch);
  PeerFlag* flags(Rank rank) const;
  std::byte* words(Rank rank) const;

  PeerOptions options_;
  Operand operand_;
  PeerGrid grid_;
  PeerSchedule schedule_;
  std::vector<Part> parts_;             // by device
  std::vector<std::size_t> part_of_;    // of each rank
  std::vector<std::size_t> shared_at_;  // of each rank: its flags, and then its words, in `shared`
};

}  // namespace arlab::collectives
