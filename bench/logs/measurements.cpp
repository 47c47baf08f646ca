#include "bench/logs/measurements.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <iterator>

#include "algorithms/base/error.hpp"
#include "bench/text/read_file.hpp"
#include "bench/text/say.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRemedy =
    "give a result file written with --json, or a log of nccl-tests, rccl-tests, OSU or IMB";

constexpr std::size_t kMostNotes = 20;

enum class Kind { records, json, text };

Kind kind_of(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
  if (first == std::string::npos) return Kind::records;  // an empty file has none
  if (text[first] != '{' && text[first] != '[') return Kind::text;
  for (const char* key : {"\"results\"", "\"busBw\"", "\"start_time\""})
    if (text.find(key) != std::string::npos && text.find("\"kind\"") == std::string::npos)
      return Kind::json;
  return text.find_first_not_of(" \t\r\n", first + 1) != std::string::npos && text[first] == '[' &&
                 text.find('{') == std::string::npos
             ? Kind::text
             : Kind::records;
}

// Of a text without rows of a log: nothing.
bool read_log_into(const std::string& text, const std::string& path, const LogHints& hints,
                   ImportedResults& all) {
  const Kind kind = kind_of(text);
  Log log;
  if (kind == Kind::text) log = read_log_text(text, hints);
  if (kind == Kind::json) log = read_log_json(text, hints);
  if (kind == Kind::records || (log.tables.empty() && log.notes.empty())) return false;
  for (const LogNote& note : log.notes) {
    all.notes.push_back(
        fmt::format("{}:{}: {}{}", path, note.line, note.refused ? "left out: " : "", note.text));
    all.refused += note.refused ? 1 : 0;
    if (note.failed) all.results.failures.push_back(all.notes.back());
  }
  for (const LogTable& table : log.tables) add_records(table, path, all.results);
  all.results.cut_short = all.results.cut_short || log.cut;
  return true;
}

// The first notes, each on an indented line.
std::string listed(std::vector<std::string> notes) {
  if (notes.size() > kMostNotes) notes.resize(kMostNotes);
  std::string text;
  for (const std::string& note : notes) text += "\n  " + note;
  return text;
}

void read_folder(const std::string& path, const LogHints& hints, ImportedResults& all) {
  for (const std::string& file : files_below(path)) {
    const std::string text = read_file(file, kRemedy);
    if (read_log_into(text, file, hints, all)) continue;
    try {
      Results results = results_of(text, file);
      if (results.records.empty()) all.notes.push_back(file + ": no records: left out");
      append(std::move(results), all.results);
    } catch (const Error&) {
      all.notes.push_back(file + ": neither records nor a known log format: left out");
    }
  }
}

}  // namespace

std::vector<std::string> files_below(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::recursive_directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error))
    if (at->is_regular_file(error) && !at->path().filename().string().starts_with('.'))
      files.push_back(at->path().string());
  if (error)
    fail(Blame::environment,
         fmt::format("cannot read {} ({}): {}", folder, error.message(), kRemedy));
  std::sort(files.begin(), files.end());
  return files;
}

void append(Results more, Results& all) {
  const std::size_t contexts = all.contexts.size();
  std::move(more.contexts.begin(), more.contexts.end(), std::back_inserter(all.contexts));
  for (Json& record : more.records) {
    if (record["context"].is_number())
      record["context"] = record["context"].get<std::size_t>() + contexts;
    all.records.push_back(std::move(record));
  }
  for (const std::size_t number : more.uneven) all.uneven.insert(number + contexts);
  std::ranges::move(more.failures, std::back_inserter(all.failures));
  all.cut_short = all.cut_short || more.cut_short;
}

ImportedResults read_measurements(const std::string& path, const LogHints& hints) {
  ImportedResults all;
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    read_folder(path, hints, all);
    if (all.results.records.empty())
      fail(Blame::usage, fmt::format("no records in the folder {}: {}{}", path, kRemedy,
                                     listed(std::move(all.notes))));
    return all;
  }
  const std::string text = read_file(path, kRemedy);  // once: it may be a pipe
  if (!read_log_into(text, path, hints, all)) {
    if (kind_of(text) == Kind::text)
      fail(
          Blame::usage,
          fmt::format("{} holds no records and no rows of a known log format; it may have been cut "
                      "before its first row: {}",
                      path, kRemedy));
    all.results = results_of(text, path);
    return all;
  }
  if (all.results.records.empty())
    fail(Blame::usage,
         fmt::format("nothing could be read of {}:{}", path, listed(std::move(all.notes))));
  return all;
}

void say_notes(const ImportedResults& measurements) {
  std::size_t said = 0;
  for (const std::string& note : measurements.notes) {
    if (said++ == kMostNotes) break;
    say("note: {}\n", note);
  }
  if (measurements.notes.size() > kMostNotes)
    say("note: {} more\n",
        show_plural(static_cast<Count>(measurements.notes.size() - kMostNotes), "note"));
}

Results read_results_or_logs(const std::string& path) {
  ImportedResults measurements = read_measurements(path);
  say_notes(measurements);
  return std::move(measurements.results);
}

}  // namespace arlab::bench
