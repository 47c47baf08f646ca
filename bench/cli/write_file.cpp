#include "bench/cli/write_file.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "algorithms/base/error.hpp"
#include "bench/cli/say.hpp"

namespace arlab::bench {

namespace fs = std::filesystem;

namespace {

// Whether the first line is that of a result file.
bool holds_records(const std::string& path) {
  std::error_code error;
  if (!fs::is_regular_file(path, error)) return false;
  std::ifstream in(path, std::ios::binary);
  std::string start(64, '\0');
  in.read(start.data(), static_cast<std::streamsize>(start.size()));
  return start.starts_with("{\"schema\":") &&
         start.find("\"kind\":\"context\"") != std::string::npos;
}

}  // namespace

void say_written(const std::string& path) {
  if (path != "-") say("wrote {}\n", path);
}

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
  if (!folder.empty() && fs::create_directories(folder, ignored))
    say("note: made the folder {}\n", folder.string());
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

void check_can_write(const std::string& path) {
  if (path == "-" || path.empty()) return;
  std::error_code ignored;
  const bool there = fs::exists(path, ignored);
  if (there && !fs::is_regular_file(path, ignored) && !fs::is_directory(path, ignored)) return;
  make_folder_of(path);
  std::FILE* file = std::fopen(path.c_str(), "ab");
  if (!file) cannot_write(path);
  std::fclose(file);
  if (!there) fs::remove(path, ignored);
}

void check_writable(const std::string& path) {
  if (holds_records(path))
    fail(Blame::usage,
         fmt::format("{} holds records, which would be lost: name another file", path));
  check_can_write(path);
}

void check_writable_folder(const std::string& path) {
  std::error_code error;
  fs::create_directories(path, error);
  if (!error && !fs::is_directory(path, error))
    error = std::make_error_code(std::errc::not_a_directory);
  if (!error && ::access(path.c_str(), W_OK | X_OK) != 0)
    error = std::error_code(errno, std::generic_category());
  if (error)
    fail(Blame::environment,
         fmt::format("cannot write to folder {} ({}): name another folder", path, error.message()));
}

bool same_file(const std::string& one, const std::string& other) {
  if (one == "-" || other == "-") return one == other;
  std::error_code error;
  if (fs::equivalent(one, other, error)) return fs::is_regular_file(one, error);
  return fs::absolute(one, error).lexically_normal() ==
         fs::absolute(other, error).lexically_normal();
}

void redirect_stdout(const std::string& path) {
  if (path == "-") return;
  make_folder_of(path);
  if (!std::freopen(path.c_str(), "wb", stdout)) cannot_write(path);
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
