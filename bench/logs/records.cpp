#include <fmt/chrono.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <ctime>

#include "algorithms/groups.hpp"
#include "bench/logs/measurements.hpp"
#include "bench/results/context.hpp"
#include "bench/results/version.hpp"

namespace arlab::bench {
namespace {

// When the file was last written, as contexts have dates.
std::string written_at(const std::string& path) {
  struct stat about {};
  if (::stat(path.c_str(), &about) != 0) return "unknown";
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(about.st_mtime));
}

// A log says little about the machine, and nothing about the program that made its numbers.
Json context_of(const LogTable& table, const std::string& path) {
  const LogOrigin& o = table.origin;
  return context({}, {{"commit", ""},  // of arlab, which did not measure this
                      {"date", o.date.empty() ? written_at(path) : o.date},
                      {"host", o.host.empty() ? "unknown" : o.host},
                      {"cpu", "unknown"},
                      {"gpu", text_or_null(o.gpu)},
                      {"compiler", "unknown"},
                      {"build", "unknown"},
                      {"mpi", nullptr},
                      {"nccl", text_or_null(o.library)},
                      {"cuda", nullptr},
                      {"governor", nullptr},
                      {"environment", o.environment.empty() ? Json(nullptr) : Json(o.environment)},
                      {"launch", fmt::format("{}:{}", path, table.line)},
                      {"command", o.command}});
}

Json record_of(const LogTable& table, const LogRow& row, const Groups* hosts) {
  const LogOrigin& o = table.origin;
  RunBody body{.backend = o.backend,
               .time_us = summarize({row.time_us}),
               .mode = {.in_place = row.in_place, .repeats = o.repeats}};
  body.source = o.tool;
  body.mean_over_ranks = o.mean_over_ranks;
  const auto element = static_cast<std::int64_t>(collectives::size_of(row.operand.dtype));
  Record record{.algorithm = o.algorithm,
                .problem = {.collective = table.collective,
                            .ranks = table.ranks,
                            .elements = row.bytes / element,
                            .root = row.root,
                            .groups = hosts},
                .operand = row.operand,
                .lanes = {},
                .segments = 1,
                .sent = {},
                .claimed = {},
                .wrong = row.wrong,
                .skipped = {},
                .label = o.algorithm,
                .color = "#000000",
                .family = "native",
                .body = std::move(body)};
  return to_json(record);
}

}  // namespace

void add_records(const LogTable& table, const std::string& path, Results& results) {
  std::optional<Groups> hosts;
  if (!table.host_of_rank.empty()) hosts.emplace(table.host_of_rank);
  if (hosts && hosts->even_size() == 0) results.uneven.insert(results.contexts.size());
  results.contexts.push_back(context_of(table, path));
  for (const LogRow& row : table.rows) {
    Json record = record_of(table, row, hosts ? &*hosts : nullptr);
    record["context"] = results.contexts.size() - 1;
    results.records.push_back(std::move(record));
  }
}

}  // namespace arlab::bench
