// What this program starts in Python, as a zip archive: plots/charts with the schema of records,
// and the package arlab without its compiled module. Compiled in through a generated source.
#pragma once

#include <string_view>

namespace arlab::bench {

extern const std::string_view kChartsArchiveHex;  ///< two digits per byte

/// Returns a file without a name that holds the archive, which programs that this process starts
/// have open, too. Throws Error(environment).
int open_charts_archive();

}  // namespace arlab::bench
