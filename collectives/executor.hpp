// Executor: runs collectives on the ranks of a backend that this process or thread holds.
//
// The one interface of real execution. Threads, MPI and emulated ranks implement it over a
// Communicator (host/host_executor.hpp), GPUs over a Device (gpu/*_executor.hpp). Training runs
// collectives on its own vectors with execute(). Benchmarks run them on verifiable input with a
// CheckedRunner (host/checked_runner.hpp), on the executor's Workload: its vectors lie where the
// backend computes, and its own clock times the run.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <utility>

#include "algorithms/algorithm.hpp"
#include "collectives/baseline.hpp"
#include "collectives/communicator.hpp"
#include "collectives/timed_run.hpp"

namespace arlab::collectives {

class Device;       // gpu/device.hpp
class DeviceEvent;  // the same
struct SendRecv;    // gpu/device_transport.hpp

/// The verifiable vectors of an executor's ranks, and runs on them.
class Workload {
 public:
  virtual ~Workload() = default;

  /// Makes the vectors of the runs to come, and forgets those of the last.
  virtual void load(const Problem& problem, Operand operand) = 0;
  /// Makes ready what the runs of this request need, which takes longer the first time. Puts the
  /// input in place, or out of place values that are no result. Returns when it is done. Needs
  /// load().
  virtual void reset(const RunRequest& request) = 0;
  /// Runs the collective of the last reset() `repeats` times back to back. Returns the seconds from
  /// the first start to the last end.
  virtual double run(const RunRequest& request, int repeats) = 0;

  struct Result {
    Count wrong = 0;     ///< elements that the collective defines, on these ranks
    Cost sent;           ///< by them in one run; zero for a native collective
    double traffic = 0;  ///< bytes that they at least read and write in their memory; 0: not known
  };
  /// Checks the vectors, and returns what is known of the last run.
  virtual Result check() = 0;
};

/// A run on vectors in a device's memory.
struct DeviceRun {
  Cost sent;
  double seconds = 0;  ///< that the device took
};

/// Runs collectives on vectors in the memory of a rank's device.
class DeviceCollectives {
 public:
  virtual ~DeviceCollectives() = default;

  Device& gpu() const { return gpu_; }
  /// Whether there is exchange(); if not, kernels carry all messages.
  bool exchanges() const { return exchanges_; }
  /// The same as Executor::execute() on a vector in the device's memory, once the events are done,
  /// to the same bits; without an algorithm, the library's own allreduce. Returns when it is done.
  virtual DeviceRun execute(const Algorithm* algorithm, const Problem& problem, std::byte* data,
                            Operand operand, int segments, std::span<const DeviceEvent> after) = 0;
  /// Sends and receives these messages, which lie in the device's memory, once the event is done.
  /// Returns the seconds that the device took, when it is done. Both ends call it together. Throws
  /// Error(usage) unless exchanges().
  virtual double exchange(std::span<const SendRecv> messages, const DeviceEvent& after) = 0;

 protected:
  DeviceCollectives(Device& gpu, bool exchanges) : gpu_(gpu), exchanges_(exchanges) {}

 private:
  Device& gpu_;
  bool exchanges_;
};

class Executor {
 public:
  virtual ~Executor() = default;

  /// Joins all executors of a run, one member each, for barriers and small values. Its rank() is
  /// this executor's position.
  Communicator& control() const { return *traits_.control; }

  /// Runs the collective in place. `data` holds the vectors of this executor's ranks, one after
  /// another. All executors of a run call it with the same algorithm, problem and segments. Returns
  /// the cost of what these ranks sent. Lanes are numbered from `first_lane`, so that concurrent
  /// collectives do not mix. Throws Error(usage) if the sizes disagree or the algorithm does not
  /// support the problem.
  Cost execute(const Algorithm& algorithm, const Problem& problem, std::span<std::byte> data,
               Operand operand, int segments = 1, int first_lane = 0) {
    return run_in_place(&algorithm, problem, data, operand, segments, first_lane);
  }
  /// Runs the library's own allreduce in place. Throws Error(usage) if there is none.
  void native_allreduce(std::span<std::byte> data, Operand operand);

  /// What a CheckedRunner runs.
  Workload& workload() const { return *traits_.workload; }

  /// The own collectives of the library that carries the messages. RunRequest::native names one of
  /// its algorithms.
  Baseline& baseline() const { return *traits_.baseline; }
  /// Those of another library on the same ranks, whose algorithms have names such as "gloo:ring".
  /// All executors of a run call it together. Throws Error(environment) with a remedy if there is
  /// none.
  virtual Baseline& other_baseline();
  /// The one of both that knows an algorithm of that name.
  Baseline& baseline_of(const std::string& native);

  /// On vectors in the memory of this rank's device; null if vectors lie in host memory.
  DeviceCollectives* on_device() const { return traits_.on_device; }
  /// The same. Throws Error(usage) if vectors lie in host memory.
  DeviceCollectives& expect_device() const;
  Device* device() const { return on_device() ? &on_device()->gpu() : nullptr; }

  /// What an executor has. The objects live as long as it does.
  struct Traits {
    Communicator* control = nullptr;
    Workload* workload = nullptr;
    Baseline* baseline = &no_baseline();
    DeviceCollectives* on_device = nullptr;
    std::string transport =
        {};  ///< how messages travel, or reach device memory, where there are several ways
    Rank ranks_here = 1;    ///< that this executor runs: one, or all of them
    bool together = false;  ///< its ranks start together: none has times of its own, or can be late
  };
  const Traits& traits() const { return traits_; }
  const std::string& transport() const { return traits_.transport; }
  Rank ranks_here() const { return traits_.ranks_here; }

 protected:
  explicit Executor(Traits traits) : traits_(std::move(traits)) {}
  Traits traits_;

 private:
  /// execute(), or without an algorithm native_allreduce().
  virtual Cost run_in_place(const Algorithm* algorithm, const Problem& problem,
                            std::span<std::byte> data, Operand operand, int segments,
                            int first_lane) = 0;
};

}  // namespace arlab::collectives
