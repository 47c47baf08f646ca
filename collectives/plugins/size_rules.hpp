// SizeRules: which algorithm an allreduce runs, by the bytes of its vector; RankRules: by the
// ranks, too, as the environment gives them.
#pragma once

#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "collectives/plugins/tuning_table.hpp"

namespace arlab::collectives {

/// Whether ranks of one machine use shared memory: where it was measured to be faster, or always.
enum class SharedUse : unsigned char { never, where_faster, always };

/// One rule: vectors of up to `most_bytes` take shared memory or `algorithm`; neither: the MPI
/// library's own.
struct SizeRule {
  Bytes most_bytes = std::numeric_limits<Bytes>::max();
  const Algorithm* algorithm = nullptr;
  SharedUse shared = SharedUse::never;
  bool is_library() const { return !algorithm && shared == SharedUse::never; }
};

/// Rules in order of size; the last has no upper end.
using SizeRules = std::vector<SizeRule>;

/// Reads "ring", "butterfly@16K,ring", "mpi@64K,ring": an algorithm for vectors of up to that many
/// bytes, then the next one; "mpi" is the library's own. Larger vectors than the last size take the
/// library's own. If `knows_shared`, "shared" is shared memory, and "auto" the same where it was
/// measured to be faster. Throws Error(usage) that names `what` for an unknown algorithm or falling
/// sizes.
SizeRules parse_size_rules(std::string_view text, std::string_view what, bool knows_shared = false);

/// Returns the rule for a vector of that many bytes.
const SizeRule& rule_for(const SizeRules& rules, Bytes bytes);

/// Returns the rule's algorithm for a vector of that many bytes; null: the library's own.
const Algorithm* chosen(const SizeRules& rules, Bytes bytes);

/// The rules of communicators of `first` to `last` ranks.
struct RankRule {
  Count first = 1, last = TuningTable::kNoEnd;
  SizeRules sizes;
};

/// Ranges of ranks without a gap, from 1 to any number.
using RankRules = std::vector<RankRule>;

/// Returns the choices of a table. What the plugins cannot run, the library's algorithms by name
/// and segments, is the library's own.
RankRules rules_of(const TuningTable& table);

/// Reads a value of ARLAB_ALGORITHM: what parse_size_rules() takes, for any number of ranks; or, if
/// it ends in ".json", the path of a table that `arlab tune --table` wrote. Throws Error that names
/// `what` or the file.
RankRules read_rank_rules(const std::string& text, std::string_view what,
                          bool knows_shared = false);

const SizeRules& rules_for(const RankRules& rules, Rank ranks);

}  // namespace arlab::collectives
