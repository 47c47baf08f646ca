// Files that a command writes at once: pages, schedules, traces. Result files grow line by line
// instead (result_file.hpp).
#pragma once

#include <string>
#include <string_view>

#include "collectives/files/output_file.hpp"

namespace arlab::bench {

using collectives::cannot_write;

/// The `schema` of records and schedules: it rises when a key changes its meaning or is removed.
inline constexpr int kSchema = 2;

/// Makes the folder of a file if it is missing, with a note on stderr.
void make_folder_of(const std::string& path);

/// Writes the text; "-" is stdout. Creates a missing folder. An earlier file is replaced by the
/// whole text or stays. Throws Error(environment) with the reason of the system.
void write_file(const std::string& path, std::string_view text);

/// Throws Error(environment), with the reason of the system, if the file cannot be written. Leaves
/// no new file.
void check_can_write(const std::string& path);

/// The same, and throws Error(usage) if the file holds records, which would be lost.
void check_writable(const std::string& path);

/// The same for a folder, which it creates.
void check_writable_folder(const std::string& path);

/// Returns whether both names are of one file, which need not exist.
bool same_file(const std::string& one, const std::string& other);

/// Keeps what is printed to stdout while it exists, for this file; "-" changes nothing.
class RedirectedStdout {
 public:
  /// Throws as write_file does.
  explicit RedirectedStdout(const std::string& path);
  ~RedirectedStdout();
  RedirectedStdout(const RedirectedStdout&) = delete;
  RedirectedStdout& operator=(const RedirectedStdout&) = delete;

  /// Writes the file, and reports it. Throws as write_file does.
  void finish();

 private:
  std::string path_;
  int kept_ = -1, stdout_ = -1;
};

/// Reports on stderr that a file was written; nothing for "-".
void say_written(const std::string& path);

/// Throws Error(environment) if something printed to stdout was lost, on a full disk for example.
void check_stdout();

}  // namespace arlab::bench
