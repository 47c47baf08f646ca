// What changed since an earlier hunt.
#pragma once

#include <string>
#include <vector>

#include "bench/formats/hunt_file.hpp"
#include "bench/results/record.hpp"

namespace arlab::bench {

/// One place, as a multiple of what is usual, then and now; 1: usual. Of all ranks together what is
/// usual itself, as a multiple of what it was then.
struct HuntChange {
  std::string place;     ///< "rank 3 (h3)"
  std::string what, by;  ///< "port", "bandwidth"; what of all ranks: "usual"
  double then = 1, now = 1;
};

struct HuntChanges {
  std::vector<HuntChange> all;
  bool is_comparable = true;  ///< false: the new hunt could not tell what is slow
  bool is_slower() const;     ///< whether what is usual takes longer now
};

/// Compares two hunts. Ranks are the same if they are on the same host, where each has its own, and
/// else if they have the same number. Throws Error(usage) if their numbers of ranks differ and
/// hosts do not tell them apart.
HuntChanges hunt_changes(const HuntFile& then, const Json& now);

/// Returns a table, and a sentence that counts.
std::string changes_text(const HuntChanges& changes, const HuntFile& then);

/// Returns what a record says about it.
Json changes_json(const HuntChanges& changes, const HuntFile& then);

}  // namespace arlab::bench
