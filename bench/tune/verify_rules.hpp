// verify_rules: runs Open MPI with a rules file, and finds out cell by cell whether it took the
// rule, and whether it became faster. A file is never trusted: the library ignores a faulty one
// silently.
#pragma once

#include <string>
#include <vector>

#include "bench/study/regression.hpp"
#include "bench/tune/cells.hpp"

namespace arlab::bench {

struct RuleCheck {
  Rank ranks = 1;
  Count elements = 0;
  Bytes bytes = 0;
  std::string rule;                                ///< "ring"; empty: left to the library
  std::vector<std::string> by_default, with_file;  ///< what ran, by its messages
  bool taken = false;  ///< the rule's algorithm ran; without a rule, the same as by default
  double before_us = 0, after_us = 0;  ///< medians without the file and with it; 0: not timed
  std::string verdict;  ///< faster, slower, same, not enough runs; empty without a rule
};

/// Runs all sizes on all ranks of the options, with and without the file. `table`: what the file
/// says. `timed`: also measures both, in `options.launches` jobs each. Throws Error(environment) if
/// a job without the file fails, and Error(check) if only the one with it does.
std::vector<RuleCheck> verify_rules(const TuneOptions& options, const TuningTable& table,
                                    const std::string& file, bool timed,
                                    const TemporaryFolder& folder);

std::string table_of_checks(const std::vector<RuleCheck>& checks);

}  // namespace arlab::bench
