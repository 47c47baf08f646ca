// Schema versions: the reader accepts lines of schema 1 and converts them to schema 2.
#pragma once

#include <string>

#include "bench/results/record.hpp"

namespace arlab::bench {

/// Returns why this line is neither a record nor a context that upgraded() accepts; empty if it is.
std::string unreadable(const Json& line);

/// Returns a readable line in schema 2: renames the keys of schema 1 and converts their units. Lines
/// of schema 2 stay as they are.
Json upgraded(Json line);

}  // namespace arlab::bench
