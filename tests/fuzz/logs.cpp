// Fuzzes the readers of logs, text and JSON: they never throw, and what they read is possible and
// can be a record.
#include <cmath>

#include "bench/logs/measurements.hpp"
#include "bench/logs/ranks.hpp"
#include "bench/results/record.hpp"
#include "tests/fuzz/fuzz.hpp"

namespace {

using namespace arlab;
using namespace arlab::bench;

void check_log(const Log& log) {
  Results results;
  for (const LogTable& table : log.tables) {
    fuzz::demand(table.ranks >= 1 && table.ranks <= kMostLoggedRanks, "an impossible rank count");
    for (const LogRow& row : table.rows)
      fuzz::demand(row.bytes >= 0 && row.time_us >= 0 && std::isfinite(row.time_us) &&
                       row.root >= 0 && row.root < table.ranks,
                   "an impossible row");
    add_records(table, "fuzzed", results);
  }
  for (const Json& record : results.records) identity(record);
}

}  // namespace

void arlab::fuzz::logs(std::string_view input) {
  const std::string text(input);
  try {
    check_log(read_log_text(text));
    check_log(read_log_json(text));
    check_log(read_log_text(text, {.collective = Collective::all_gather, .ranks = 16}));
  } catch (const Error& error) {
    throw Finding(std::string("throws: ") + error.what());
  }
}
