#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "bench/logs/nccl_names.hpp"
#include "bench/logs/nccl_rows.hpp"
#include "bench/logs/ranks.hpp"

namespace arlab::bench {
namespace {

// A number of rows beside why all of them are left out.
std::string left_out(const NcclTable& table, std::string_view why) {
  std::set<std::size_t> lines;
  for (const NcclLogRow& row : table.rows) lines.insert(row.line);
  return fmt::format("{}: {} rows left out", why, lines.size());
}

// The collective by what a row shows: operation, root, and whether the count is of the whole
// vector. An all_gather looks like an alltoall, and is not told from it.
std::optional<Collective> shown_collective(const NcclRows& rows) {
  const auto largest =
      std::max_element(rows.begin(), rows.end(),
                       [](const NcclLogRow& a, const NcclLogRow& b) { return a.size < b.size; });
  const auto element = static_cast<std::int64_t>(collectives::size_of(largest->dtype));
  const bool whole = largest->count * element == largest->size;
  if (largest->op && largest->root) return Collective::reduce;
  if (largest->op) return whole ? Collective::allreduce : Collective::reduce_scatter;
  if (largest->root && whole) return Collective::broadcast;
  return std::nullopt;
}

// Adds a note and returns nothing if the collective is none that records have, or not known.
std::optional<Collective> collective_of(const NcclTable& table, const LogHints& hints, Log& log) {
  if (hints.collective) return hints.collective;
  std::string program = table.program;
  if (program.empty()) {
    if (const std::optional<Collective> shown = shown_collective(table.rows)) return shown;
    program = table.mentioned;
  }
  const std::optional<Collective> named = nccl_collective(program);
  if (!named)
    log.refuse(table.line,
               left_out(table, program.empty()
                                   ? "the log does not say whether this is an all_gather: give "
                                     "--assume collective=NAME to arlab import"
                                   : fmt::format("records have no collective {}", program)));
  return named;
}

// The ranks that the user, the header, or the numbers say.
std::optional<Rank> ranks_of(const NcclTable& table, Collective collective, const LogHints& hints,
                             Log& log) {
  const RankRange likely = likely_ranks(table.rows, collective);
  const bool fits = table.ranks && *table.ranks >= likely.first && *table.ranks <= likely.second;
  if (fits && hints.ranks && *hints.ranks != *table.ranks) {
    log.refuse(table.line,
               left_out(table, fmt::format("the header lists {} ranks, but --assume says ranks={}",
                                           *table.ranks, *hints.ranks)));
    return std::nullopt;
  }
  if (hints.ranks) return hints.ranks;
  if (fits) return table.ranks;
  if (table.ranks) {
    log.refuse(
        table.line,
        left_out(table, fmt::format("the header lists {} ranks, but the numbers are those of {} "
                                    "of {}: give --assume ranks=NUMBER to arlab import",
                                    *table.ranks, name(collective), to_text(likely))));
    return std::nullopt;
  }
  if (likely.first != likely.second) {
    log.refuse(
        table.line,
        left_out(table, fmt::format("the log does not list the ranks, and the numbers fit {}: "
                                    "give --assume ranks=NUMBER to arlab import",
                                    to_text(likely))));
    return std::nullopt;
  }
  log.notes.push_back(
      {table.line,
       fmt::format("the log does not list the ranks: {}, by {}", likely.first,
                   collective == Collective::allreduce ? "busbw / algbw" : "size / count"),
       false});
  return likely.first;
}

bool fits(const NcclLogRow& row, Collective collective, Rank ranks) {
  const auto [first, last] = possible_ranks(row, collective);
  return ranks >= first && ranks <= last && row.root.value_or(0) < ranks;
}

// Whether the columns can be those of the collective: a reduction has an operation.
bool shows(const NcclLogRow& row, Collective collective) {
  const bool reduces = Problem{.collective = collective}.reduces();
  return reduces == row.op.has_value();
}

}  // namespace

void settle(NcclTable table, const LogHints& hints, Log& log) {
  if (table.rows.empty()) return;
  const std::optional<Collective> collective = collective_of(table, hints, log);
  if (!collective) return;
  const std::optional<Rank> ranks = ranks_of(table, *collective, hints, log);
  if (!ranks) return;
  std::set<std::size_t> bad;
  for (const NcclLogRow& row : table.rows)
    if (!fits(row, *collective, *ranks) || !shows(row, *collective)) bad.insert(row.line);
  for (const std::size_t line : bad)
    log.refuse(line, fmt::format("the numbers are not those of {} of {} ranks", name(*collective),
                                 *ranks));
  LogTable settled{.line = table.line,
                   .origin = std::move(table.origin),
                   .collective = *collective,
                   .ranks = *ranks,
                   .host_of_rank = std::move(table.host_of_rank)};
  if (settled.host_of_rank.size() != static_cast<std::size_t>(*ranks)) settled.host_of_rank.clear();
  if (settled.origin.algorithm.empty()) settled.origin.algorithm = nccl_call(*collective);
  for (const NcclLogRow& row : table.rows)
    if (!bad.contains(row.line))
      settled.rows.push_back({row.line,
                              row.size,
                              {row.dtype, row.op.value_or(collectives::Op::sum)},
                              row.root.value_or(0),
                              row.in_place,
                              row.time_us.value,
                              row.wrong});
  if (!settled.rows.empty()) log.tables.push_back(std::move(settled));
}

}  // namespace arlab::bench
