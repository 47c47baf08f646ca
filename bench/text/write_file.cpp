#include "bench/text/write_file.hpp"

#include <fmt/format.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>

#include "algorithms/base/error.hpp"
#include "bench/text/say.hpp"

namespace arlab::bench {

namespace fs = std::filesystem;

namespace {

// Nothing of it is left when the process ends.
int file_without_name() {
#ifdef __linux__
  return memfd_create("arlab", MFD_CLOEXEC);
#else
  std::FILE* const file = std::tmpfile();
  return file ? ::dup(fileno(file)) : -1;
#endif
}

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

void make_folder_of(const std::string& path) {
  if (collectives::make_folder_of(path))
    say("note: made the folder {}\n", fs::path(path).parent_path().string());
}

void write_file(const std::string& path, std::string_view text) {
  if (path == "-") {
    std::cout << text;
    return check_stdout();
  }
  std::cout.flush();  // the file may be /dev/stdout
  std::fflush(stdout);
  make_folder_of(path);
  collectives::write_atomically(path, {&text, 1});
}

void check_can_write(const std::string& path) {
  if (path == "-" || path.empty()) return;
  make_folder_of(path);
  collectives::check_can_write(path);
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
  const auto place = [&](const std::string& path) {
    return fs::weakly_canonical(fs::absolute(collectives::behind_links(path), error), error);
  };
  return place(one) == place(other);
}

RedirectedStdout::RedirectedStdout(const std::string& path) : path_(path) {
  if (path_ == "-") return;
  check_stdout();
  kept_ = file_without_name();
  stdout_ = ::dup(STDOUT_FILENO);
  if (kept_ < 0 || stdout_ < 0 || ::dup2(kept_, STDOUT_FILENO) < 0) cannot_write(path_);
}

RedirectedStdout::~RedirectedStdout() {
  if (kept_ < 0) return;
  std::fflush(stdout);
  ::dup2(stdout_, STDOUT_FILENO);
  ::close(stdout_);
  ::close(kept_);
}

void RedirectedStdout::finish() {
  if (kept_ < 0) return;
  check_stdout();
  std::string text(static_cast<std::size_t>(::lseek(kept_, 0, SEEK_END)), '\0');
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t got = ::pread(kept_, text.data() + at, text.size() - at, static_cast<off_t>(at));
    if (got <= 0) cannot_write(path_);
    at += static_cast<std::size_t>(got);
  }
  write_file(path_, text);
  say_written(path_);
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
