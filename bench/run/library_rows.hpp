// Rows of `arlab run` that are not algorithms of the catalog: "native", "native:ring" and
// "native:all", the library's own allreduce; "gloo:ring" and "gloo:all", those of Gloo on the same
// ranks; and "auto:table=FILE", what a tuning table chooses.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/formats/rules/tuning_table.hpp"
#include "bench/options/options.hpp"
#include "collectives/executor.hpp"

namespace arlab::bench {

/// Such names, as they were given.
struct LibraryNames {
  std::vector<std::string> native;  ///< after "native:"; "all" stands for each
  std::vector<std::string> other;   ///< "gloo:ring"; "gloo:all" stands for each
  std::vector<TuningTable> tables;
  bool alone = false;  ///< no algorithm of the catalog was named
  bool any() const { return alone || !native.empty() || !other.empty() || !tables.empty(); }
};

/// Throws Error(usage) if there are rows of another library: `command` knows this one only.
void refuse_other_library(const std::vector<std::string>& specs, std::string_view command);

/// Removes these names from those of the sweep. `table`: of the name "auto" without one; empty:
/// none. Throws Error(usage) for a bad table, and for collectives other than allreduce.
LibraryNames take_library_names(SweepOptions& sweep);

/// Returns the configurations with the rows of these names after those of their problem, or instead
/// of them.
std::vector<Config> with_library_rows(const std::vector<Config>& configs,
                                      const LibraryNames& names);

/// Returns the configurations of one problem with one for each of the library's algorithms instead
/// of "all". All executors of a run call it together. Throws Error(usage) with all names for an
/// algorithm that the library does not have.
std::vector<Config> checked_library_rows(const std::vector<Config>& configs,
                                         collectives::Executor& executor);

/// Returns why the library cannot run a row of its own; empty for other rows. All executors of a
/// run call it together.
std::string library_refusal(const Config& config, collectives::Executor& executor);

/// Whether configurations are measured in turns: one problem and operand.
bool compete(const Config& one, const Config& other);

/// Returns "MPI_Allreduce:ring" for an algorithm of the library whose allreduce has that name, and
/// "auto:ring" for the choice of a table.
std::string row_name(const Config& config, const std::string& native_name);

}  // namespace arlab::bench
