#include "bench/result_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "algorithms/error.hpp"

namespace arlab {
namespace {

namespace fs = std::filesystem;

// An earlier result is never overwritten.
void move_aside(const std::string& path) {
  if (!fs::is_regular_file(path) || fs::file_size(path) == 0) return;
  int number = 1;
  while (fs::exists(fmt::format("{}.{}", path, number))) ++number;
  const std::string kept = fmt::format("{}.{}", path, number);
  std::error_code error;
  fs::rename(path, kept, error);
  if (error)
    fail(Blame::environment,
         fmt::format("cannot keep the earlier {} as {}: {}; name another file or use --resume",
                     path, kept, error.message()));
  fmt::print(stderr, "note: kept the earlier {} as {} (--resume would go on with it)\n", path,
             kept);
}

}  // namespace

Results read_results(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in || fs::is_directory(path))
    fail(Blame::environment,
         fmt::format("cannot read {}: {}; give a result file written with --json", path,
                     fs::is_directory(path) ? "it is a folder" : std::strerror(errno)));
  Results results;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    const bool whole = !in.eof();  // a line that was written to its end ends in a newline
    const bool blank = line.find_first_not_of(" \t\r") == std::string::npos;
    Json json = blank ? Json() : Json::parse(line, nullptr, false);
    if (!blank && (!json.is_object() || !json.contains("kind") || !json["kind"].is_string())) {
      if (!whole) {
        results.cut_short = true;
        break;
      }
      fail(Blame::usage,
           fmt::format("{}:{}: no record (a JSON object with a \"kind\"): mend or remove the line",
                       path, number));
    }
    results.whole_bytes += static_cast<std::int64_t>(line.size()) + (whole ? 1 : 0);
    if (blank) continue;
    if (json["kind"] == "context") {
      results.contexts.push_back(std::move(json));
    } else {
      json["context"] =
          results.contexts.empty() ? Json(nullptr) : Json(results.contexts.size() - 1);
      results.records.push_back(std::move(json));
    }
  }
  return results;
}

ResultFile::ResultFile(const std::string& path, Mode mode, const Json& context) : path_(path) {
  if (path == "-") {
    file_.reset(stdout);
  } else {
    bool ends_in_newline = true;
    if (mode == Mode::resume && fs::exists(path)) {
      const Results earlier = read_results(path);
      for (const Json& record : earlier.records)
        if (record.value("skipped", Json()).is_null()) there_.insert(identity(record));
      if (earlier.cut_short) {
        fmt::print(stderr,
                   "note: {} ends in a half-written line, which is dropped and done again\n", path);
        fs::resize_file(path, static_cast<std::uintmax_t>(earlier.whole_bytes));
      }
      std::ifstream in(path, std::ios::binary | std::ios::ate);
      if (in.tellg() > 0) {
        in.seekg(-1, std::ios::end);
        ends_in_newline = in.get() == '\n';
      }
    } else {
      move_aside(path);
    }
    const fs::path folder = fs::path(path).parent_path();
    std::error_code ignored;  // opening the file tells
    if (!folder.empty()) fs::create_directories(folder, ignored);
    file_.reset(std::fopen(path.c_str(), mode == Mode::resume ? "ab" : "wb"));
    if (!file_)
      fail(Blame::environment, fmt::format("cannot write {}: {}", path, std::strerror(errno)));
    if (!ends_in_newline) std::fputc('\n', file_.get());
  }
  add(context);
}

void ResultFile::add(const Json& record) {
  const std::string line = record.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  if (std::fwrite(line.data(), 1, line.size(), file_.get()) != line.size() ||
      std::fflush(file_.get()) != 0)
    fail(Blame::environment, fmt::format("cannot write to {}: {}", path_, std::strerror(errno)));
}

}  // namespace arlab
