// Implementations: what the name of a published algorithm stands for: the algorithm of our catalog,
// and how the library runs it.
#pragma once

#include <optional>
#include <string>
#include <variant>

#include "bench/validation/calibrated/gpu_nodes.hpp"
#include "bench/validation/calibrated/messages.hpp"
#include "bench/validation/calibrated/nccl.hpp"
#include "bench/validation/calibrated/torus_ports.hpp"
#include "bench/validation/published/published_time.hpp"

namespace arlab::bench {

/// A row as one of the calibrated models takes it; a reason if none does.
struct Implementation {
  std::variant<std::monostate, simulator::MessageCase, simulator::TorusCase, simulator::NcclCase,
               simulator::GpuNodesCase>
      model;
  std::string reason;  ///< why no model predicts it
  /// A library, which may ignore what it is asked for, ran the algorithm.
  bool library_chose = false;
  bool cuts = false;  ///< the vector, into one part per rank
};

/// Never throws: names that are not known give a reason.
Implementation implementation_of(const PublishedTime& row);

/// Returns the same row as the library's default would solve it, by its documented rule.
simulator::MessageCase by_default_rule(const PublishedTime& row);

/// Returns whether the job's library ran the algorithm that it was asked for; nothing if that is
/// not known. PICO switches Cray MPICH's own collectives off, which ignore what they are asked for,
/// since 16 March 2025 (commit 7a6c2c0, MPICH_COLL_OPT_OFF).
std::optional<bool> library_obeyed(const PublishedTime& row);

}  // namespace arlab::bench
