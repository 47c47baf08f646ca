#include "bench/results/result_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "algorithms/base/error.hpp"
#include "bench/results/schema.hpp"
#include "bench/text/read_file.hpp"
#include "bench/text/say.hpp"
#include "bench/text/write_file.hpp"
#include "training/io/json.hpp"

namespace arlab::bench {
namespace {

namespace fs = std::filesystem;

bool is_skipped(const Json& record) { return record.value("skipped", Json()).is_string(); }

// Whether a line without its end is the begin of a record: a stopped command left it.
bool begins_record(std::string_view line) {
  constexpr std::string_view kBegin = "{\"schema\":";
  const std::size_t known = std::min(line.size(), kBegin.size());
  return line.substr(0, known) == kBegin.substr(0, known) &&
         line.find('\r') == std::string_view::npos;
}

// The brackets that are open at once at most. Nesting deeper than any record's is not parsed.
int depth_of(std::string_view line) {
  int depth = 0, deepest = 0;
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '\\')
      ++i;
    else if (c == '"')
      quoted = !quoted;
    else if (!quoted && (c == '{' || c == '['))
      deepest = std::max(deepest, ++depth);
    else if (!quoted && (c == '}' || c == ']'))
      --depth;
  }
  return deepest;
}

// Discarded if it is not JSON.
Json parsed(std::string_view line) {
  constexpr int kDeepest = 32;
  if (depth_of(line) > kDeepest) return Json(Json::value_t::discarded);
  return Json::parse(line, nullptr, false);
}

// Removes runs that a later command with --resume measured again.
void drop_repeated(Results& results) {
  const auto resumes = [&](const Json& context) {
    if (!context.is_number()) return false;
    const Json command = results.contexts[context.get<std::size_t>()].value("command", Json());
    return command.is_string() && command.get<std::string>().find(" --resume") != std::string::npos;
  };
  std::map<std::string, Json> again;  // the context of the last one that was measured by --resume
  for (const Json& record : results.records)
    if (const Json context = record.value("context", Json());
        record["kind"] == "run" && !is_skipped(record) && resumes(context))
      again[identity(record)] = context;
  std::erase_if(results.records, [&](const Json& record) {
    if (again.empty() || record["kind"] != "run") return false;
    const auto found = again.find(identity(record));
    return found != again.end() && record.value("context", Json()) < found->second;  // null is less
  });
}

bool ends_in_newline(const std::string& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (in.tellg() <= 0) return true;
  in.seekg(-1, std::ios::end);
  return in.get() == '\n';
}

}  // namespace

Results read_results(const std::string& path) {
  return results_of(read_file(path, "give a result file written with --json"), path);
}

Results results_of(std::string_view text, const std::string& path) {
  Results results;
  for (std::size_t begin = 0, number = 1; begin < text.size(); ++number) {
    const std::size_t newline = text.find('\n', begin);
    const bool whole = newline != std::string_view::npos;  // a complete line ends in a newline
    const std::size_t end = whole ? newline : text.size();
    const std::string_view line = text.substr(begin, end - begin);
    begin = whole ? end + 1 : end;
    const bool blank = line.find_first_not_of(" \t\r") == std::string_view::npos;
    if (!blank) {
      Json json = parsed(line);
      if (!whole && json.is_discarded() && begins_record(line)) {
        results.cut_short = true;
        break;
      }
      if (const std::string why = make_readable(json); !why.empty())
        fail(Blame::usage, fmt::format("{}:{}: {}", path, number, why));
      if (json["kind"] == "context") {
        results.contexts.push_back(std::move(json));
      } else {
        json["context"] =
            results.contexts.empty() ? Json(nullptr) : Json(results.contexts.size() - 1);
        results.records.push_back(std::move(json));
      }
    }
    results.whole_bytes = static_cast<std::int64_t>(begin);
  }
  drop_repeated(results);
  return results;
}

const Json& context_of(const Results& results, const Json& record) {
  static const Json kNone;
  const Json& number = member(record, "context");
  return number.is_number() ? results.contexts[number.get<std::size_t>()] : kNone;
}

ResultFile::ResultFile(const std::string& path, Mode mode, const Json& context) : path_(path) {
  if (mode == Mode::resume && path != "-")
    resume();
  else
    file_ = open_new(path_, mode == Mode::resumable ? "--resume would continue it" : "");
  add(context);
}

void ResultFile::resume() {
  file_ = open_to_append(path_);
  std::error_code none;
  if (!fs::is_regular_file(path_, none)) return;
  read_earlier();
  if (!ends_in_newline(path_)) std::fputc('\n', file_.get());
}

void ResultFile::read_earlier() {
  Results earlier = read_results(path_);
  take(std::move(earlier.records));
  if (!earlier.cut_short) return;
  say("note: {} ends in an incomplete line, which is dropped and measured again\n", path_);
  std::error_code error;
  fs::resize_file(path_, static_cast<std::uintmax_t>(earlier.whole_bytes), error);
  if (error) {
    errno = error.value();
    cannot_write(path_);
  }
}

// Of a configuration the last record counts, and a skipped one only if there is no other.
void ResultFile::take(std::vector<Json> records) {
  for (Json& record : records) {
    Held& held = there_[identity(record)];
    if (!held.record.is_null() && is_skipped(record) && !is_skipped(held.record)) continue;
    held.context = record.value("context", Json());
    record.erase("context");
    held.record = std::move(record);
  }
}

void ResultFile::hold(const std::string& other) {
  std::vector<Json> records = read_results(other).records;
  std::erase_if(records, [&](const Json& record) { return there_.contains(identity(record)); });
  take(std::move(records));
}

const Json* ResultFile::find(const Json& record) const {
  const auto found = there_.find(identity(record));
  if (found == there_.end()) return nullptr;
  const Json& held = found->second.record;
  return is_skipped(held) && !is_skipped(record) ? nullptr : &held;
}

bool ResultFile::holds_together(const std::vector<Json>& records) const {
  return std::ranges::all_of(records, [&](const Json& record) {
    return find(record) &&
           there_.at(identity(record)).context == there_.at(identity(records.front())).context;
  });
}

void ResultFile::add(const Json& record) {
  const std::string line = training::json_text(record) + "\n";
  if (std::fwrite(line.data(), 1, line.size(), file_.get()) != line.size() ||
      std::fflush(file_.get()) != 0)
    cannot_write(path_);
}

}  // namespace arlab::bench
