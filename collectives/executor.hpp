// Executor: runs collectives on the ranks of a backend that this process or thread holds.
//
// The one interface of real execution. Threads, MPI and emulated ranks implement it over a
// Communicator (host/host_executor.hpp), GPUs over a Device (gpu/*_executor.hpp). Training runs
// collectives on its own vectors with execute(). Benchmarks run them on verifiable input with
// run_checked(): the vectors then lie where the backend computes, and its own clock times the run.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "collectives/communicator.hpp"
#include "collectives/timed_run.hpp"

namespace arlab::collectives {

class Device;       // gpu/device.hpp
class DeviceEvent;  // the same
struct SendRecv;    // gpu/device_transport.hpp

class Executor {
 public:
  virtual ~Executor() = default;

  /// Joins all executors of a run, one member each, for barriers and small values. Its rank() is
  /// this executor's position.
  virtual Communicator& control() = 0;
  /// Number of ranks that this executor runs: one, or all of them.
  virtual Rank ranks_here() const { return 1; }
  /// How messages travel, or reach device memory, where the backend has several ways; else empty.
  virtual std::string transport() const { return ""; }

  /// Runs the collective in place. `data` holds the vectors of this executor's ranks, one after
  /// another. All executors of a run call it with the same algorithm, problem and segments. Returns
  /// the cost of what these ranks sent. Lanes are numbered from `first_lane`, so that concurrent
  /// collectives do not mix. Throws Error(usage) if the sizes disagree or the algorithm does not
  /// support the problem.
  virtual Cost execute(const Algorithm& algorithm, const Problem& problem,
                       std::span<std::byte> data, Operand operand, int segments = 1,
                       int first_lane = 0) = 0;

  /// The device whose memory execute_on_device() takes; null if vectors lie in host memory.
  virtual Device* device() { return nullptr; }
  struct DeviceRun {
    Cost sent;
    double seconds = 0;  ///< that the device took
  };
  /// The same as execute() on a vector in the device's memory, once the events are done, to the same bits;
  /// without an algorithm, the library's own allreduce. Returns when it is done. Throws Error(usage) if
  /// there is no device.
  virtual DeviceRun execute_on_device(const Algorithm* algorithm, const Problem& problem,
                                      std::byte* data, Operand operand, int segments,
                                      std::span<const DeviceEvent> after);
  /// Whether there is exchange_on_device(); if not although there is a device, kernels carry all messages.
  virtual bool exchanges_on_device() const { return false; }
  /// Sends and receives these messages, which lie in the device's memory, once the event is done. Returns
  /// the seconds that the device took, when it is done. Both ends call it together. Throws Error(usage)
  /// unless exchanges_on_device().
  virtual double exchange_on_device(std::span<const SendRecv> messages, const DeviceEvent& after);

  /// Name of the library's own allreduce; empty if the backend has none.
  virtual std::string native_name() const = 0;
  /// Runs the library's own allreduce in place. Throws Error(usage) if there is none.
  virtual void native_allreduce(std::span<std::byte> data, Operand operand) = 0;
  /// Name of the library's own form of the problem's collective; empty if the backend has none.
  virtual std::string native_name_for(const Problem& problem) const {
    return problem.collective == Collective::allreduce ? native_name() : "";
  }
  /// The algorithms that the library's own allreduce can be made to run, by the library's names. All
  /// executors of a run call it together. Throws Error(environment) with a remedy if there are none.
  virtual std::vector<std::string> native_algorithms();
  /// The algorithms of another library on the same ranks, as "gloo:ring"; run_checked() takes them as
  /// RunRequest::native. All executors of a run call it together. Throws Error(environment) with a remedy
  /// if there is none.
  virtual std::vector<std::string> other_algorithms();

  /// Returns why the library cannot run one of these, with its settings, on such elements, or, of an empty
  /// name, what it chooses; empty if it can. All executors of a run call it together. Throws Error(usage) for settings that it lacks.
  virtual std::string native_unsupported(const std::string& /*spec*/, Operand /*operand*/) {
    return "";
  }
  /// The algorithm that the library reports for the checked runs of its allreduce by `spec`, which is empty
  /// for its own choice; empty if unknown.
  virtual std::string native_choice(const std::string& /*spec*/) const { return ""; }
  /// Returns what a row of the library's own allreduce by one of these is called.
  virtual std::string native_label(const std::string& spec) const {
    return native_name() + ":" + spec;
  }

  /// Prepares the verifiable input of the runs to come, and forgets the last one.
  virtual void load_input(const Problem& problem, Operand operand) = 0;
  /// Copies the input into place, waits for all ranks, runs the collective, and checks every element
  /// that it defines. Runs back to back are checked by the result of the last; in place, where each
  /// changes the input of the next, by one more run. Needs load_input().
  virtual CheckedRun run_checked(const RunRequest& request) = 0;
};

}  // namespace arlab::collectives
