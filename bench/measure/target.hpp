// Subject: what measure() measures: the ranks of a backend that this process has.
//
// A rank's vector may be in this process's memory (threads, MPI) or on a device (CUDA, NCCL); the
// one way of timing and checking is written against this.
#pragma once

#include <memory>
#include <string>

#include "bench/cli/options.hpp"
#include "collectives/communicator.hpp"

namespace arlab::bench {

class BenchmarkTarget {
 public:
  struct Run {
    double us = 0;    ///< of the slowest of all ranks; the same on all
    Count wrong = 0;  ///< elements, of this process's ranks
    Cost sent;        ///< by them; rounds: of the one with the most. Zero for a native collective
    double traffic = 0;  ///< bytes that all ranks move through a device's memory; 0 if not known
  };

  virtual ~BenchmarkTarget() = default;
  virtual bool is_first() const = 0;     ///< whether rank 0 is here
  virtual double max(double value) = 0;  ///< over all processes or threads that have ranks
  virtual Count sum(Count value) = 0;
  virtual std::string native_name() const = 0;  ///< empty where there is no native allreduce
  /// What the library tells about its choice for the last native allreduce of so many bytes; or "".
  virtual std::string native_choice(Count /*bytes*/) const { return ""; }

  /// Fills the input of the runs to come, and forgets the last.
  virtual void prepare(const Problem& problem, collectives::Operand operand) = 0;
  /// Copies the input in place, runs, and checks every element that must be right.
  virtual Run run(const Config& config) = 0;
};

/// A rank whose vector is in this process's memory. The communicator must outlive it.
std::unique_ptr<BenchmarkTarget> subject_of(collectives::Communicator& communicator);

}  // namespace arlab::bench
