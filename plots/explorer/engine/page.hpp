// The explorer's page and its engine.
#pragma once

#include <string>
#include <string_view>

namespace arlab::explorer {

extern const std::string_view kPage;       ///< with a placeholder for the engine
extern const std::string_view kModuleHex;  ///< the WebAssembly module; empty if it was not built

/// Returns whether the page can contain the WebAssembly module.
inline bool has_module() { return !kModuleHex.empty(); }

/// Returns the page with the WebAssembly module.
std::string page_with_module();

/// Returns the page with precomputed answers for a selection of runs.
std::string page_with_answers();

/// Escapes JSON for use inside a script, so that it cannot end the script.
std::string script_safe(const std::string& json);

}  // namespace arlab::explorer
