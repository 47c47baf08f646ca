// ColocatedExecutor: all ranks of a collective, co-located on the devices of this process.
//
// Every rank has its vector and a few streams on a device. A whole schedule is enqueued ahead, so
// that nothing waits on the host. A receiver's stream waits for the event at which the sender's
// round began. The sender's next round waits for the events at which its messages were read. Or one
// kernel per device runs all steps of its ranks by itself (PeerRun).
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "collectives/alone.hpp"
#include "collectives/executor.hpp"
#include "collectives/gpu/checked_vector.hpp"
#include "collectives/gpu/device.hpp"
#include "collectives/gpu/device_schedule.hpp"
#include "collectives/gpu/peer_run.hpp"

namespace arlab::collectives {

inline constexpr Rank kMaxDeviceRanks = 256;

class ColocatedExecutor final : public Executor, private Workload {
 public:
  static constexpr int kDefaultStreams = 4;

  /// A schedule on the ranks' memory, ready to be run again and again. Must outlive its runs.
  class Prepared {
   public:
    const Cost& sent(Rank rank) const {
      return schedule_.plan.sent[static_cast<std::size_t>(rank)];
    }
    /// Bytes that all ranks read and write in device memory.
    double traffic() const { return peer_ ? peer_->schedule().traffic : schedule_.traffic; }
    const DeviceSchedule& schedule() const { return schedule_; }
    const PeerRun* peer() const { return peer_.get(); }  ///< null unless kernels run the plan

   private:
    friend class ColocatedExecutor;
    DeviceSchedule schedule_;
    int lanes_ = 1;                                       // streams that each rank uses
    std::vector<std::byte*> data_;                        // of each rank
    std::vector<std::shared_ptr<DeviceMemory>> scratch_;  // of each rank
    std::shared_ptr<PeerRun> peer_;
    std::unique_ptr<DeviceGraph> graph_, out_of_place_;  // with the events that time them
  };

  /// Spreads the ranks over the devices in blocks. `streams`: per rank; its lanes take turns on
  /// them. `as_graphs`: execute() and the workload launch a schedule as one graph instead of
  /// enqueuing its copies and kernels one by one. `peer`: one kernel per device runs the whole
  /// plan. The devices must outlive this. Throws Error(usage) unless 1 <= ranks <= kMaxDeviceRanks.
  ColocatedExecutor(Devices& devices, Rank ranks, int streams = kDefaultStreams,
                    bool as_graphs = true, std::optional<PeerOptions> peer = {});
  ~ColocatedExecutor() override;

  Rank ranks() const { return static_cast<Rank>(homes_.size()); }
  Device& device_of(Rank rank) const { return *homes_[static_cast<std::size_t>(rank)]; }
  /// Work here goes before and after runs, as enqueued: for filling and checking memory.
  DeviceStream& stream(Rank rank) const { return stream(rank, 0); }

  /// `data`: each rank's vector, on its device; changed in place. As a graph, all rounds of all
  /// ranks are launched at once. Throws Error(usage) if the algorithm does not support the problem.
  Prepared prepare(const Algorithm& algorithm, const Problem& problem,
                   std::span<std::byte* const> data, Operand operand, int segments, bool as_graph);
  /// Enqueues it; returns at once.
  void run(Prepared& prepared) { run(prepared, {}); }

  /// Waits until all is done; throws what went wrong, and Stalled where a kernel gave up a wait.
  void synchronize();
  /// Of the last run, from when all ranks could start to when all were done. Waits for it.
  double microseconds() const {
    return timed_by_graph_ ? origin_->microseconds_between(graph_start_, graph_stop_)
                           : origin_->microseconds_between(start_, stop_);
  }

 private:
  /// On vectors in host memory, which are copied to the devices and back.
  Cost run_in_place(const Algorithm* algorithm, const Problem& problem, std::span<std::byte> data,
                    Operand operand, int segments, int first_lane) override;

  // Workload. Ranks start together: they cannot be late, and have no intervals of their own.
  void load(const Problem& problem, Operand operand) override;
  void reset(const RunRequest& request) override;
  double run(const RunRequest& request, int repeats) override;
  Result check() override;

  class Enqueuing;
  using Key = std::pair<const Algorithm*, int>;  // and its segments

  DeviceStream& stream(Rank rank, int lane) const {
    const auto its = static_cast<std::size_t>(lane % streams_per_rank_);
    return *streams_[its][static_cast<std::size_t>(rank)];
  }
  /// Makes the streams of the first lanes. A device has few hardware queues, in which streams take
  /// turns as they are made: those of one lane are made one after the other, and no more than are
  /// used.
  void make_streams(int lanes);
  Prepared prepare(const Algorithm& algorithm, const Problem& problem,
                   std::span<std::byte* const> data, Operand operand, int segments, bool as_graph,
                   std::vector<std::shared_ptr<DeviceMemory>>& scratch);
  std::unique_ptr<DeviceGraph> capture(const Prepared& prepared, bool in_place);
  DeviceEvent take_event(Device& device);
  void give_back(Device& device, DeviceEvent event) {
    free_events_[&device].push_back(std::move(event));
  }
  /// Orders later work of `later` after the work that `earlier` already has.
  void order(DeviceStream& earlier, Device& device, DeviceStream& later);
  /// Enqueues the repeats of a mode, each out of place after a copy of the loaded input.
  void run(Prepared& prepared, const RunMode& mode);
  void enqueue(const Prepared& prepared, bool in_place);
  void enqueue_peers(const Prepared& prepared, bool in_place);
  Prepared& prepared_for(const Algorithm& algorithm, int segments, const RunMode& mode);
  Cost sent_by_all(const Prepared& prepared) const;

  Alone control_;
  std::vector<Device*> homes_;  // by rank
  int streams_per_rank_;
  bool as_graphs_, one_device_;
  std::optional<PeerOptions> peer_;
  std::shared_ptr<const PeerRun> last_peer_;  // of the last run, until it has been checked
  std::map<const Device*, std::vector<DeviceEvent>> free_events_;
  DeviceEvent start_, stop_, graph_start_, graph_stop_;
  bool timed_by_graph_ = false;  // the last run
  Problem problem_;
  Operand operand_;
  std::unique_ptr<DeviceStream> origin_;  // on the first device: begins and ends all
  std::vector<std::vector<std::unique_ptr<DeviceStream>>> streams_;  // by lane, then rank
  std::vector<std::unique_ptr<CheckedVector>> vectors_;              // by rank
  std::vector<std::shared_ptr<DeviceMemory>> scratch_;  // of each rank, for all that is prepared
  std::map<Key, Prepared> prepared_;
  Prepared* prepared_request_ = nullptr;  // of the workload
};

}  // namespace arlab::collectives
