// arlab import: logs of other benchmarks as records.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "bench/commands/commands.hpp"
#include "bench/logs/measurements.hpp"
#include "bench/options/settings.hpp"
#include "bench/results/record_table.hpp"
#include "bench/text/say.hpp"
#include "bench/text/table.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {
namespace {

struct ImportCommand {
  std::vector<std::string> paths;
  std::string json;
  LogHints hints;
};

std::string rounded(const Json& number) {
  return number.is_number() ? fmt::format("{:.4g}", number.get<double>()) : "";
}

// The records as a table, without settings that are the same in all rows.
std::string table_of(const std::vector<Json>& records) {
  struct Row {
    const Json& record;
  };
  std::vector<Row> rows;
  for (const Json& record : records)
    if (record["kind"] == "run") rows.push_back({record});
  if (rows.empty()) return "";
  static constexpr const char* kSettings[] = {"source", "backend", "collective", "groups",
                                              "dtype",  "op",      "root",       "place"};
  std::vector<std::string> header{"algorithm", "ranks", "size"};
  const std::vector<const char*> settings = differing_keys(kSettings, rows);
  header.insert(header.end(), settings.begin(), settings.end());
  header.insert(header.end(), {"time", "algbw GB/s", "busbw GB/s", "wrong"});
  std::vector<std::vector<std::string>> cells;
  for (const auto& [record] : rows) {
    std::vector<std::string> row{cell_text(record["algorithm"]), cell_text(record["ranks"]),
                                 show_bytes(record["bytes"].get<Count>())};
    for (const char* key : settings) row.push_back(cell_text(record.value(key, Json())));
    const Json& time = record["time_us"];
    row.push_back(time.is_object() ? show_time(time["median"].get<double>()) : "");
    row.push_back(rounded(record["algbw_gb_per_s"]));
    row.push_back(rounded(record["busbw_gb_per_s"]));
    row.push_back(cell_text(record["wrong"]));
    cells.push_back(std::move(row));
  }
  return compact(header, cells);
}

// The contexts of a file stand before their records.
void write_results(const std::string& path, const Results& results) {
  std::optional<ResultFile> file;
  Json last;
  for (Json record : results.records) {
    const Json& context = context_of(results, record);
    const Json index = record["context"];
    record.erase("context");
    if (!file) {
      file.emplace(path, ResultFile::Mode::fresh, context);
    } else if (index != last) {
      file->add(context);
    }
    last = index;
    file->add(record);
  }
}

int import(const ImportCommand& command) {
  Results all;
  std::size_t refused = 0;
  for (const std::string& path : command.paths) {
    ImportedResults read = read_measurements(path, command.hints);
    say_notes(read);
    if (read.results.records.empty() && read.refused == 0)
      fail(Blame::usage,
           fmt::format("no records in {}: give logs of nccl-tests, rccl-tests, OSU or IMB", path));
    refused += read.refused;
    append(std::move(read.results), all);
  }
  if (!command.json.empty()) write_results(command.json, all);
  if (command.json != "-") print("{}", Lines{table_of(all.records)});
  // Records have no place for a verdict: whoever reads them only must not take them for right.
  if (!all.failures.empty())
    say("error: a benchmark failed by its own verdict, which the notes name and records lack\n");
  if (refused == 0) return all.failures.empty() ? 0 : 1;
  say("error: {} left out, of which the notes say why\n",
      show_plural(static_cast<Count>(refused), "line or table"));
  return 1;
}

}  // namespace

void add_import(CLI::App& command, Session& session) {
  command.footer(
      "Examples:\n  arlab import nccl.log\n  arlab import week1/ week2/ --json results.jsonl\n"
      "  arlab import osu.txt --assume ranks=64 --json osu.jsonl");
  const auto options = std::make_shared<ImportCommand>();
  command.add_option("logs", options->paths, "Logs, and folders of logs")
      ->required()
      ->type_name("");
  command
      .add_option("--json", options->json, "Write records as JSON Lines to this file; - is stdout")
      ->type_name("FILE");
  using Text = const std::string&;
  add_settings(
      command, "--assume",
      "What a log does not say: ranks=NUMBER, and collective=allreduce, reduce_scatter, all_gather, "
      "reduce or broadcast",
      {{"ranks",
        [options](Text text, Text what) {
          options->hints.ranks = checked_number(parse_count(text, what), what, 1, 1 << 22);
        }},
       {"collective", [options](Text text, Text) {
          options->hints.collective = find_named(kCollectives, text, "collective");
        }}});
  command.callback([options, &session] { session.exit_code = import(*options); });
}

}  // namespace arlab::bench
