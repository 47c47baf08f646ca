// The explorer's page and its engine.
#pragma once

#include <string>
#include <string_view>

#include "algorithms/base/types.hpp"

namespace arlab::explorer {

extern const std::string_view kPage;       ///< with a placeholder for the engine
extern const std::string_view kNotebook;   ///< a page with a placeholder for a run
extern const std::string_view kModuleHex;  ///< the WebAssembly module; empty if it was not built

/// Returns whether the page can contain the WebAssembly module.
inline bool has_module() { return !kModuleHex.empty(); }

/// Returns the page with the WebAssembly module.
std::string page_with_module();

/// Returns the page with precomputed answers for a selection of runs.
std::string page_with_answers();

/// Returns a page that plays a schedule of an allreduce, of up to 64 ranks: for each rank, rounds
/// of [kind, peer, first chunk, chunks, stride] as in a request. Throws Error(usage).
std::string page_of_schedule(std::string_view schedule, Rank ranks);

/// Escapes JSON for use inside a script, so that it cannot end the script.
std::string script_safe(const std::string& json);

}  // namespace arlab::explorer
