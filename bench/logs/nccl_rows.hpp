// Rows of nccl-tests, before it is known which collective of how many ranks they are of; and what
// must hold between the numbers of a row.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "bench/logs/layout.hpp"
#include "bench/logs/log.hpp"
#include "bench/logs/words.hpp"

namespace arlab::bench {

/// One half of a line: out of place, or in place.
struct NcclLogRow {
  std::size_t line = 0;
  std::int64_t size = 0, count = 0;
  collectives::DType dtype = collectives::DType::float32;
  std::optional<collectives::Op> op = {};  ///< nothing: none, or no such column
  std::optional<Rank> root = {};           ///< nothing: -1, or no such column
  bool in_place = false;
  Printed time_us = {}, algbw = {}, busbw = {};
  std::optional<Count> wrong = {};
};

using NcclRows = std::vector<NcclLogRow>;

/// Reads the words of a line. `one_is_in_place`: whether a table with one half is of runs in place.
/// Returns the halves, or why the line is refused.
std::variant<NcclRows, std::string> nccl_rows(const std::vector<std::string_view>& words,
                                              const LogLayout& layout, std::size_t line,
                                              bool one_is_in_place);

/// Returns why the row cannot be right, whatever the collective: algbw must be size / time, and
/// the size a multiple of the elements' size. Empty if it can.
std::string contradiction(const NcclLogRow& row);

struct NcclTable {
  std::size_t line = 0;
  LogOrigin origin = {};
  std::string program = {};                     ///< "all_reduce"; empty: the header does not say it
  std::string mentioned = {};                   ///< the same of the lines before
  std::optional<Rank> ranks = {};               ///< that the header lists
  std::vector<std::int32_t> host_of_rank = {};  ///< as in LogTable
  NcclRows rows = {};
};

/// Finds out the collective and the ranks, from the header, from the hints, or from the numbers:
/// busbw / algbw, and size / count. Adds the table to the log, without rows that contradict them;
/// notes say what was inferred, and what is left out.
void settle(NcclTable table, const LogHints& hints, Log& log);

}  // namespace arlab::bench
