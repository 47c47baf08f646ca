// Heat map: the bandwidths of all pairs as one character each.
#pragma once

#include <string>

#include "bench/hunt/search/search.hpp"

namespace arlab::bench {

/// Returns a row per sender and a column per receiver, with a legend; empty with too many ranks for
/// a terminal, or fewer than three.
std::string heat_map(const hunt::Search& found, Rank ranks);

}  // namespace arlab::bench
