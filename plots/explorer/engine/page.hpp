// The explorer's page, and what makes it move.
#pragma once

#include <string>
#include <string_view>

namespace arlab::explorer {

extern const std::string_view kPage;       ///< with a place for the engine
extern const std::string_view kModuleHex;  ///< the WebAssembly module; empty where it was not built

/// Whether the page can compute any run by itself.
inline bool has_module() { return !kModuleHex.empty(); }

/// The page with the WebAssembly module in it.
std::string page_with_module();

/// The page with answers computed here: a choice of runs, for browsers without the module.
std::string page_with_answers();

/// JSON for the inside of a script: nothing in it may end the script.
std::string script_safe(const std::string& json);

}  // namespace arlab::explorer
