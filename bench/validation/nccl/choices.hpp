// aws_choice.csv: what AWS's tuner takes on its platforms, beside what NCCL's own estimates choose.
//
// AWS's tuner (aws/aws-ofi-nccl) replaces NCCL's choice by what AWS measured on EFA, so that the
// two differ where EFA differs from the InfiniBand that NCCL's constants describe.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace arlab::bench {

struct TunerRow {
  std::string platform, collective;
  std::string tuner;  ///< "tree ll128": what the tuner takes
  std::string own;    ///< what NCCL's estimates choose
  double bytes = 0;
  int nodes = 1, ranks_per_node = 1;
};

/// Reads the text of aws_choice.csv and computes NCCL's choices. Throws Error(usage) that names the
/// line, the value, and the remedy.
std::vector<TunerRow> read_tuner_rows(std::string_view text, const std::string& name);

/// Returns the shares of rows that agree, and a matrix of both choices for each collective.
std::string tuner_tables(const std::vector<TunerRow>& rows);

}  // namespace arlab::bench
