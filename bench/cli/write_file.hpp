// Files that a command writes at once: pages, schedules, traces. Result files grow line by line
// instead (result_file.hpp).
#pragma once

#include <string>
#include <string_view>

namespace arlab::bench {

/// Writes the text; "-" is stdout. Creates a missing folder. Throws Error(environment) with the
/// reason of the system.
void write_file(const std::string& path, std::string_view text);

/// Throws Error(environment) for a file that cannot be written, with the reason of errno.
[[noreturn]] void cannot_write(const std::string& path);

/// Creates the folder of `path`. A failure shows when the file is opened.
void make_folder_of(const std::string& path);

/// Throws Error(environment) if something printed to stdout was lost, on a full disk for example.
void check_stdout();

}  // namespace arlab::bench
