// ColocatedExecutor: all ranks of a collective as virtual ranks on the devices of this process.
//
// Every rank has its vector on a device, and a few streams there. A whole schedule is enqueued
// ahead, and nothing waits on the host: a receiver's stream waits for the event at which the
// sender's round began, the sender's next round for the events at which its messages were read.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <vector>

#include "collectives/gpu/device.hpp"
#include "collectives/gpu/device_schedule.hpp"

namespace arlab::collectives {

inline constexpr Rank kMaxDeviceRanks = 256;

class ColocatedExecutor {
 public:
  static constexpr int kDefaultStreams = 4;

  /// A schedule on the ranks' memory, ready to be run again and again. Must outlive its runs.
  class Prepared {
   public:
    const Cost& sent(Rank rank) const {
      return schedule_.plan.sent[static_cast<std::size_t>(rank)];
    }
    double traffic() const { return schedule_.traffic; }  ///< bytes (DeviceSchedule)

   private:
    friend class ColocatedExecutor;
    DeviceSchedule schedule_;
    std::vector<std::byte*> data_;       // of each rank
    std::vector<DeviceMemory> scratch_;  // of each rank
    std::unique_ptr<DeviceGraph> graph_;
  };

  /// Spreads the ranks over the devices in blocks. `streams`: of each rank; its lanes take turns on
  /// them. The devices must outlive this. Throws Error(usage) unless 1 <= ranks <=
  /// kMaxDeviceRanks.
  ColocatedExecutor(Devices& devices, Rank ranks, int streams = kDefaultStreams);
  ~ColocatedExecutor();

  Rank ranks() const { return static_cast<Rank>(homes_.size()); }
  Device& device(Rank rank) const { return *homes_[static_cast<std::size_t>(rank)]; }
  /// Work here goes before and after runs, as enqueued: for filling and checking memory.
  DeviceStream& stream(Rank rank) const { return *streams_[stream_of(rank, 0)]; }

  /// `data`: each rank's vector, on its device; changed in place. As a graph, all rounds of all
  /// ranks are launched at once. Throws Error(usage) if the algorithm does not support the problem.
  Prepared prepare(const Algorithm& algorithm, const Problem& problem,
                   std::span<std::byte* const> data, Operand operand, int segments, bool as_graph);
  /// Enqueues it; returns at once.
  void run(Prepared& prepared);

  /// Waits until all is done; throws what went wrong.
  void synchronise();
  /// Of the last run, from when all ranks could start to when all were done. Waits for it.
  double microseconds() const { return stop_->microseconds_since(*start_); }

 private:
  class Enqueuing;
  struct EventPool {
    std::vector<std::unique_ptr<DeviceEvent>> all;
    std::vector<DeviceEvent*> free;
  };

  std::size_t stream_of(Rank rank, int lane) const {
    return static_cast<std::size_t>(rank) * static_cast<std::size_t>(streams_a_rank_) +
           static_cast<std::size_t>(lane % streams_a_rank_);
  }
  DeviceEvent& take_event(Device& device);
  void give_back(Device& device, DeviceEvent& event) { events_[&device].free.push_back(&event); }
  /// What `later` gets from now on follows what `earlier` has got.
  void order(DeviceStream& earlier, Device& device, DeviceStream& later);
  void enqueue(const Prepared& prepared);

  std::vector<Device*> homes_;  // by rank
  int streams_a_rank_;
  std::map<const Device*, EventPool> events_;
  std::unique_ptr<DeviceEvent> start_, stop_;
  std::unique_ptr<DeviceStream> origin_;                // on the first device: begins and ends all
  std::vector<std::unique_ptr<DeviceStream>> streams_;  // by rank, then lane
};

}  // namespace arlab::collectives
