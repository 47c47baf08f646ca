// Decisions in the forms of others: files of MPICH and NCCL, the variable of libarlab_mpi.so.
#pragma once

#include <string>
#include <vector>

#include "bench/formats/rules/tuning_table.hpp"

namespace arlab::bench {

/// Returns MPICH's selection file (JSON, releases 3.4 to 5.0) with the table's choices for
/// allreduce. `base`: the file that the release ships, since MPICH reads every collective from it;
/// what the table leaves to the library stays as it is there. Throws Error(usage) that names
/// `path`, the base, if it has no allreduce; for a choice that is not an algorithm of MPICH; and
/// for one that it may not know.
std::string mpich_selection(const TuningTable& table, const std::string& base,
                            const std::string& path);

/// Throws Error(usage) unless it is simple, ll or ll128.
void check_nccl_protocol(const std::string& protocol);

/// What was tuned for one number of ranks.
struct TunedRanks {
  Count ranks = 1;
  Rank nodes = -1;                              ///< -1: not known, so any
  Count first = 0, last = TuningTable::kNoEnd;  ///< bytes of the smallest and the largest vector
};

/// Returns lines of NCCL's example tuner plugin (CSV), for what was tuned: NCCL chooses for all
/// else, since no line fits. The choices are "ring", and "nccl_tree" or "double_tree", NCCL's tree.
/// `channels`: of every line, since the plugin takes 1 for "the default". `protocol`: simple, ll or
/// ll128. Throws Error(usage) for other choices.
std::string nccl_tuner_csv(const TuningTable& table, const std::vector<TunedRanks>& tuned,
                           int channels, const std::string& protocol);

/// Returns the choices of a row as ARLAB_ALGORITHM takes them: "mpi@16384,ring". What the drop-in
/// library cannot run, the library's own algorithms and segments, is "mpi".
std::string drop_in_rules(const TuningTable::Row& row);

}  // namespace arlab::bench
