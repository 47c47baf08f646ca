// The Python program of the charts: plots/charts and the schema of records as a zip archive,
// compiled in through a generated source.
#pragma once

#include <string_view>

namespace arlab::bench {

extern const std::string_view kChartsArchiveHex;  ///< two digits per byte

}  // namespace arlab::bench
