// The tables that `arlab tune` prints.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/tune/decide.hpp"
#include "bench/tune/write_files.hpp"

namespace arlab::bench {

/// Decisions by cell: the choice, the default, and the candidate with the lowest median.
std::string table_of_decisions(const std::vector<TuneCell>& cells,
                               const std::vector<std::optional<TuneDecision>>& decisions);

/// Returns how many defaults the choices replace, by how much, and the commands that use the files.
std::vector<std::string> sentences(const std::vector<TuneCell>& cells,
                                   const std::vector<std::optional<TuneDecision>>& of_all,
                                   const std::vector<std::optional<TuneDecision>>& of_library,
                                   const TuneFiles& files);

}  // namespace arlab::bench
