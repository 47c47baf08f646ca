// JSON from outside: read without trust in its form or depth.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>

namespace arlab::training {

using Json = nlohmann::ordered_json;

/// None if the text is no JSON, or nests deeper than 64 levels (writing it again would recurse).
std::optional<Json> parse_json(std::string_view text);

}  // namespace arlab::training
