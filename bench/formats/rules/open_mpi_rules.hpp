// Rules files of Open MPI's component coll_tuned: which of its allreduce algorithms to use for
// which communicators and sizes. Releases before 6.0 read the classic format, later ones JSON.
#pragma once

#include <optional>
#include <string>

#include "bench/formats/rules/tuning_table.hpp"

namespace arlab::bench {

struct OpenMpiVersion {
  int major = 0, minor = 0, release = 0;
  auto operator<=>(const OpenMpiVersion&) const = default;
  bool reads_json() const { return major >= 6; }
};

/// Reads "4.1.4" or "Open MPI v4.1.4"; nothing if the text is neither.
std::optional<OpenMpiVersion> open_mpi_version(const std::string& text);
std::string name(const OpenMpiVersion& version);

/// Returns the file. The choices are "native" (no rule: the library decides) and "native:ring".
/// Throws Error(usage) for another choice, and for an algorithm that the version lacks.
std::string open_mpi_rules(const TuningTable& table, const OpenMpiVersion& version);

/// Reads a classic file as the library does. Throws Error(usage) that names `path` and the line for
/// whatever makes the library ignore the file, or abort: what it does not report itself.
TuningTable parse_open_mpi_rules(const std::string& text, const std::string& path,
                                 const OpenMpiVersion& version);

}  // namespace arlab::bench
