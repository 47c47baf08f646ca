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

// Distinguishes the records of a file that is resumed.
std::string key_of(const Json& record) {
  return identity(record) + training::json_text(record.value("skipped", Json()));
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
      if (!whole && json.is_discarded()) {
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
  return results;
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
  for (Json& record : earlier.records) {
    record.erase("context");
    there_.insert_or_assign(key_of(record), std::move(record));
  }
  if (!earlier.cut_short) return;
  say("note: {} ends in an incomplete line, which is dropped and measured again\n", path_);
  std::error_code error;
  fs::resize_file(path_, static_cast<std::uintmax_t>(earlier.whole_bytes), error);
  if (error) {
    errno = error.value();
    cannot_write(path_);
  }
}

void ResultFile::hold(const std::string& other) {
  for (Json& record : read_results(other).records) {
    record.erase("context");
    there_.try_emplace(key_of(record), std::move(record));
  }
}

const Json* ResultFile::find(const Json& record) const {
  const auto found = there_.find(key_of(record));
  return found == there_.end() ? nullptr : &found->second;
}

void ResultFile::add(const Json& record) {
  const std::string line = training::json_text(record) + "\n";
  if (std::fwrite(line.data(), 1, line.size(), file_.get()) != line.size() ||
      std::fflush(file_.get()) != 0)
    cannot_write(path_);
}

}  // namespace arlab::bench
