#include "bench/results/result_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

#include "algorithms/base/error.hpp"
#include "bench/cli/write_file.hpp"
#include "bench/results/schema.hpp"

namespace arlab::bench {
namespace {

namespace fs = std::filesystem;

// Distinguishes the records of a file that is resumed.
std::string key_of(const Json& record) {
  return identity(record) + record.value("skipped", Json()).dump();
}

bool ends_in_newline(const std::string& path) {
  std::ifstream in(path, std::ios::binary | std::ios::ate);
  if (in.tellg() <= 0) return true;
  in.seekg(-1, std::ios::end);
  return in.get() == '\n';
}

}  // namespace

void keep_earlier(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error) || fs::file_size(path, error) == 0) return;
  int number = 1;
  while (fs::exists(fmt::format("{}.{}", path, number), error)) ++number;
  const std::string kept = fmt::format("{}.{}", path, number);
  fs::rename(path, kept, error);
  if (error)
    fail(Blame::environment,
         fmt::format("cannot keep the earlier {} as {} ({}): name another file or use --resume",
                     path, kept, error.message()));
  fmt::print(stderr, "note: kept the earlier {} as {} (--resume would continue it)\n", path, kept);
}

Results read_results(const std::string& path) {
  std::error_code error;
  const bool folder = fs::is_directory(path, error);
  errno = 0;
  std::ifstream in(path, std::ios::binary);
  if (!in || folder)
    fail(Blame::environment,
         fmt::format("cannot read {} ({}): give a result file written with --json", path,
                     folder ? "it is a folder" : std::strerror(errno)));
  Results results;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    const bool whole = !in.eof();  // a complete line ends in a newline
    const bool blank = line.find_first_not_of(" \t\r") == std::string::npos;
    Json json = blank ? Json() : Json::parse(line, nullptr, false);
    if (const std::string why = blank ? "" : unreadable(json); !why.empty()) {
      if (!whole && json.is_discarded()) {
        results.cut_short = true;
        break;
      }
      fail(Blame::usage, fmt::format("{}:{}: {}", path, number, why));
    }
    results.whole_bytes += static_cast<std::int64_t>(line.size()) + (whole ? 1 : 0);
    if (blank) continue;
    json = upgraded(std::move(json));
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
    open(mode);
  }
  add(context);
}

void ResultFile::open(Mode mode) {
  std::error_code error;
  const bool resumes = mode == Mode::resume && fs::exists(path_, error);
  if (resumes)
    read_earlier();
  else
    keep_earlier(path_);
  make_folder_of(path_);
  const bool starts_a_line = !resumes || ends_in_newline(path_);
  file_.reset(std::fopen(path_.c_str(), resumes ? "ab" : "wb"));
  if (!file_) cannot_write(path_);
  if (!starts_a_line) std::fputc('\n', file_.get());
}

void ResultFile::read_earlier() {
  Results earlier = read_results(path_);
  for (Json& record : earlier.records) {
    record.erase("context");
    there_.insert_or_assign(key_of(record), std::move(record));
  }
  if (!earlier.cut_short) return;
  fmt::print(stderr, "note: {} ends in an incomplete line, which is dropped and measured again\n",
             path_);
  std::error_code error;
  fs::resize_file(path_, static_cast<std::uintmax_t>(earlier.whole_bytes), error);
  if (error) {
    errno = error.value();
    cannot_write(path_);
  }
}

const Json* ResultFile::find(const Json& record) const {
  const auto found = there_.find(key_of(record));
  return found == there_.end() ? nullptr : &found->second;
}

void ResultFile::add(const Json& record) {
  const std::string line = record.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  if (std::fwrite(line.data(), 1, line.size(), file_.get()) != line.size() ||
      std::fflush(file_.get()) != 0)
    cannot_write(path_);
}

}  // namespace arlab::bench
