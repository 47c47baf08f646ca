// TuningTable: which algorithm to use for each number of ranks and each size, as a file of our own.
//
// Ranges of ranks and of bytes follow one another without a gap, from 1 rank and 0 bytes to any
// number.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "algorithms/problem.hpp"

namespace arlab::collectives {

struct TunedChoice {
  /// A spec of the catalog, "native" for the library's own choice, or "native:ring".
  std::string algorithm = "native";
  int segments = 1;
  bool operator==(const TunedChoice&) const = default;
};

struct TuningTable {
  static constexpr Count kNoEnd = std::numeric_limits<Count>::max();

  struct Sizes {
    Count first = 0, last = kNoEnd;  ///< bytes of the vector, both included
    TunedChoice choice;
    bool operator==(const Sizes&) const = default;
  };
  struct Row {
    Count first = 1, last = kNoEnd;  ///< ranks, both included
    std::vector<Sizes> sizes;
    bool operator==(const Row&) const = default;
  };

  std::string made_by;  ///< how the choices were found, for people
  std::vector<Row> rows;
  Collective collective = Collective::allreduce;
  bool operator==(const TuningTable&) const = default;

  /// The choice for an allreduce.
  const TunedChoice& choice(Rank ranks, Bytes bytes) const;
};

/// Returns the file's text.
std::string to_text(const TuningTable& table);

/// Reads a table of allreduce: no caller uses another. Throws Error(usage) that names `path` and
/// the part for a table with a gap, an overlap, an unknown algorithm, or a damaged file.
TuningTable parse_tuning_table(const std::string& text, const std::string& path);

}  // namespace arlab::collectives
