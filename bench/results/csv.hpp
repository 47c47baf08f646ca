// Comma-separated values of records: JSON's keys, nested ones joined by a dot. Quoted as RFC 4180
// says.
#pragma once

#include <string>

#include "bench/results/record.hpp"

namespace arlab::bench {

std::string csv_header(const Json& record);
std::string csv_row(const Json& record);

}  // namespace arlab::bench
