// Parses untrusted JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

namespace arlab::training {

using Json = nlohmann::ordered_json;

/// Returns nothing if the text is not JSON or nests deeper than 64 levels, which recursion may not
/// survive.
std::optional<Json> parse_json(std::string_view text);

}  // namespace arlab::training
