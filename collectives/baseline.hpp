// Baseline: the own collectives of a library, such as MPI, NCCL or Gloo, beside which ours are
// measured.
//
// It runs where the library does: on host memory, and returns when the result is there; or on the
// memory of a device, and enqueues the work in the stream for which it was made
// (DeviceTransport::baseline). All ranks call the same functions together, except those that are
// const.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "algorithms/problem.hpp"
#include "collectives/reduce/dtype.hpp"

namespace arlab::collectives {

/// By itself: that of a backend without a library, which has no collective.
class Baseline {
 public:
  virtual ~Baseline() = default;

  /// Name of the library's form of the problem's collective; empty if it has none.
  virtual std::string name_of(const Problem& problem) const;
  /// Runs it from one vector, which is only read, into another; in place if both are the same.
  /// Throws Error(usage) if there is none.
  virtual void run(const Problem& problem, const std::byte* from, std::byte* into, Operand operand);

  /// The algorithms of the library's allreduce, by the library's names. Throws Error(environment)
  /// with a remedy if none can be chosen.
  virtual std::vector<std::string> algorithms();
  /// From now on, its allreduce runs this algorithm: a name of algorithms(), with settings if it
  /// has any ("segmented_ring:segment=64K"); empty: the library decides, and drops what it keeps
  /// for vectors. Throws Error(usage) with all names for another one.
  virtual void use(const std::string& algorithm);
  /// What a row of its allreduce by one of these is called: by default the name, a colon, and that.
  virtual std::string label(const std::string& algorithm) const;
  /// Returns why it cannot run one of these on such elements, or, of an empty name, what it
  /// chooses; empty if it can. May enqueue an allreduce. Throws Error(usage) for settings that it
  /// lacks.
  virtual std::string unsupported(const std::string& algorithm, Operand operand);
  /// The algorithm that the library reports for its last allreduce of that size; empty if unknown.
  virtual std::string choice(Count bytes) const;

  /// Name of its allreduce; empty if it has none.
  std::string name_of_allreduce() const { return name_of({.elements = 1}); }
};

/// The names of algorithms of Gloo begin so: "gloo:ring".
inline constexpr const char* kGlooPrefix = "gloo:";

/// That of a backend without a library.
Baseline& no_baseline();

/// Copies the vector, unless it is the same.
void copy_vector(const Problem& problem, const std::byte* from, std::byte* into, Operand operand);

}  // namespace arlab::collectives
