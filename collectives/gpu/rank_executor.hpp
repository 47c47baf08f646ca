// RankExecutor: one rank of a collective, with its own device. NCCL uses it, and so does MPI
// with device buffers. Every rank has one, in its own process or thread.
//
// It performs the steps of the rank's plan (rank_plan.hpp). A DeviceTransport moves the messages.
// Or a kernel runs a whole plan and reads its peers (PeerRun).
#pragma once

#include <array>
#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "collectives/executor.hpp"
#include "collectives/gpu/checked_vector.hpp"
#include "collectives/gpu/device.hpp"
#include "collectives/gpu/device_transport.hpp"
#include "collectives/gpu/peer_run.hpp"
#include "collectives/schedule/rank_plan.hpp"

namespace arlab::collectives {

class RankExecutor final : public Executor, private Workload {
 public:
  using Seconds = std::chrono::duration<double>;

  /// A rank's part on its memory, ready to be run again and again. Must outlive its runs.
  class Prepared {
   public:
    const Cost& sent() const { return part_.sent; }

   private:
    friend class RankExecutor;
    using Graph = std::unique_ptr<DeviceGraph>;  // null: destroyed by abort()
    RankPlan part_;
    std::byte* data_ = nullptr;
    Operand operand_;
    Rank ranks_ = 0;
    std::shared_ptr<DeviceMemory> scratch_;
    std::shared_ptr<PeerRun> peer_;  // if a kernel runs it instead of steps
    std::shared_ptr<Graph> graph_;   // with the events that time it, if it can be captured
  };

  /// `control` knows this rank's number. All three must outlive this. synchronize() gives up after
  /// `patience`. The vectors of execute() and native_allreduce() lie in the device's memory.
  RankExecutor(Communicator& control, Device& device, DeviceTransport& transport,
               Seconds patience = Seconds(60));
  ~RankExecutor() override;

  Device& own_device() const { return device_; }
  DeviceStream& stream() const { return *stream_; }

  /// How the vector is cut into chunks: for speed, or so that each result has the bits of a run on
  /// the host, which adds an element in the order of its chunk.
  enum class Cutting { at_64_bytes, of_equal_size };

  /// From how many bytes that a rank adds per step, in the mean, two waves of lanes overlap
  /// (rank_plan.hpp). Each step then has two groups of messages. The default is an estimate: it was
  /// measured on no GPU. The same on all ranks; for what is prepared from now on.
  void overlap_from(double bytes) { overlap_from_ = bytes; }

  /// `data`: this rank's vector, on its device; changed in place. All ranks call it together:
  /// capturing may connect them. Throws Error(usage) if the algorithm does not support the problem.
  Prepared prepare(const Algorithm& algorithm, const Problem& problem, std::byte* data,
                   Operand operand, int segments, Cutting cutting = Cutting::at_64_bytes);
  /// Enqueues it. Every rank must run the same.
  void run(Prepared& prepared);
  void run_native(const Problem& problem, std::byte* data, Operand operand);
  /// Enqueues these messages. Both ends must do so.
  void exchange(std::span<const SendRecv> messages);

  /// Waits until all work is done. Throws its errors, and Error(environment) after `patience`.
  void synchronize();
  /// Duration of the last run on this device. Waits for it.
  double microseconds();
  /// Cancels all messages in progress. Graphs with messages are destroyed, and their later runs
  /// throw: NCCL ends no communicator before the graphs that have its messages.
  void abort();

 private:
  /// Returns when it is done.
  Cost run_in_place(const Algorithm* algorithm, const Problem& problem, std::span<std::byte> data,
                    Operand operand, int segments, int first_lane) override;

  // Workload. A rank enters when the host enqueues the first work of an idle stream, and leaves
  // after the time that the device takes.
  void load(const Problem& problem, Operand operand) override;
  void reset(const RunRequest& request) override;
  double run(const RunRequest& request, int repeats) override;
  Result check() override;

  /// Of a rank that is gone: kernels that run plans give up by themselves before, and name it.
  Seconds patience() const { return ran_.empty() ? patience_ : 2 * patience_; }
  void enter_collective(const Prepared* prepared);
  void leave_collective();
  std::string ranks_before() const;
  using Key = std::pair<const Algorithm*, int>;  // and its segments

  Prepared prepare(const Algorithm& algorithm, const Problem& problem, std::byte* data,
                   Operand operand, int segments, Cutting cutting,
                   std::shared_ptr<DeviceMemory>& scratch);
  Prepared& prepared_for(const Algorithm& algorithm, int segments);
  /// Enqueues the steps of a prepared part, as a graph where there is one.
  void enqueue(Prepared& prepared);
  /// `place`: shows the rounds while their messages are in progress, or null.
  void enqueue_steps(const Prepared& prepared, Place* place);
  void apply(const Prepared& prepared, const PlannedStep& step, DeviceStream& stream);
  void destroy_graphs() noexcept;

  Communicator& control_;
  Device& device_;
  DeviceTransport& transport_;
  Seconds patience_;
  std::unique_ptr<DeviceStream> stream_;
  DeviceEvent start_, stop_, graph_start_, graph_stop_;
  double overlap_from_ = 8 << 20;
  std::unique_ptr<DeviceStream>
      second_;  // applies what has arrived, while stream_ carries the rest
  std::array<DeviceEvent, 2> arrived_, applied_;        // by wave
  bool timed_by_graph_ = false;                         // the last run
  std::set<std::shared_ptr<const PeerRun>> ran_;        // plans, until they have been checked
  std::vector<std::weak_ptr<Prepared::Graph>> graphs_;  // with messages of the transport
  bool inside_ = false;                                 // a collective that has been enqueued
  std::vector<SendRecv> calls_;
  std::vector<const std::byte*> senders_;
  Problem problem_;
  Operand operand_;
  std::unique_ptr<CheckedVector> vector_;
  std::shared_ptr<DeviceMemory> scratch_;  // for all that is prepared
  std::map<Key, Prepared> prepared_;
  Prepared* prepared_request_ = nullptr;  // of the workload; null: the library's own collective
};

}  // namespace arlab::collectives
