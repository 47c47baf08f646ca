// Parses untrusted JSON, and writes JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace arlab::training {

using Json = nlohmann::ordered_json;

/// Returns nothing if the text is not JSON or nests deeper than 64 levels, which recursion may not
/// survive.
std::optional<Json> parse_json(std::string_view text);

/// Returns the JSON as text that any terminal and parser may read: bytes of strings that are not
/// UTF-8 are replaced, and if a string has characters that printable() escapes, all beyond ASCII
/// are escaped. `indent`: spaces per level; -1: all on one line.
std::string json_text(const Json& json, int indent = -1);

}  // namespace arlab::training
