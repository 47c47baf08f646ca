// Schema versions: the reader accepts lines of schemas 1 and 2, and converts schema 1 to schema 2.
#pragma once

#include <string>

#include "bench/results/record.hpp"

namespace arlab::bench {

/// Checks a line of a result file against docs/records.schema.json, and converts it to schema 2:
/// renames the keys of schema 1 and converts their units. Lines of schema 1 may lack keys. Keys
/// that the schema does not know are kept. Returns the reason, with the key, if it is not a record
/// or a context; empty if it is.
std::string make_readable(Json& line);

}  // namespace arlab::bench
