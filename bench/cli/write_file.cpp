#include "bench/cli/write_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <iostream>

#include "algorithms/base/error.hpp"

namespace arlab::bench {

namespace fs = std::filesystem;

void cannot_write(const std::string& path) {
  const int reason = errno;
  const std::string next =
      reason == ENOSPC ? "make room or write somewhere else" : "name a file that can be written";
  fail(Blame::environment, fmt::format("cannot write {} ({}): {}", path == "-" ? "to stdout" : path,
                                       std::strerror(reason), next));
}

void make_folder_of(const std::string& path) {
  const fs::path folder = fs::path(path).parent_path();
  std::error_code ignored;
  if (!folder.empty()) fs::create_directories(folder, ignored);
}

void write_file(const std::string& path, std::string_view text) {
  if (path == "-") {
    std::cout << text;
    return check_stdout();
  }
  make_folder_of(path);
  std::FILE* file = std::fopen(path.c_str(), "wb");
  if (!file) cannot_write(path);
  const bool written =
      std::fwrite(text.data(), 1, text.size(), file) == text.size() && std::fflush(file) == 0;
  const int reason = errno;
  const bool closed = std::fclose(file) == 0;
  if (!written) errno = reason;
  if (!written || !closed) cannot_write(path);
}

void check_stdout() {
  errno = 0;
  std::cout.flush();
  if (std::fflush(stdout) == 0 && std::cout && std::ferror(stdout) == 0) return;
  fail(Blame::environment,
       fmt::format("cannot write to stdout{}: make room where it goes, or send it somewhere else",
                   errno == 0 ? "" : fmt::format(" ({})", std::strerror(errno))));
}

}  // namespace arlab::bench
