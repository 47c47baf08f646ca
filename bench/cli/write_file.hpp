// Files that a command writes at once: pages, schedules, traces. Result files grow line by line
// instead (result_file.hpp).
#pragma once

#include <string>
#include <string_view>

namespace arlab::bench {

/// Writes the whole text; "-" is stdout. Makes the folder if it is missing. Throws
/// Error(environment) with the system's reason.
void write_file(const std::string& path, std::string_view text);

/// The Error of a file that cannot be written, with errno's reason.
[[noreturn]] void cannot_write(const std::string& path);

/// Makes the folder that `path` lies in. That it fails is told by opening the file.
void make_folder_of(const std::string& path);

/// Throws Error(environment) if something printed to stdout was lost, on a full disk for example.
void check_stdout();

}  // namespace arlab::bench
