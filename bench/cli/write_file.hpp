// Files that a command writes at once: pages, schedules, traces. Result files grow line by line
// instead (result_file.hpp).
#pragma once

#include <string>
#include <string_view>

namespace arlab::bench {

/// Writes the text; "-" is stdout. Creates a missing folder. Throws Error(environment) with the
/// reason of the system.
void write_file(const std::string& path, std::string_view text);

/// Throws Error(environment), with the reason of the system, if the file cannot be written. Leaves no
/// new file.
void check_can_write(const std::string& path);

/// The same, and throws Error(usage) if the file holds records, which would be lost.
void check_writable(const std::string& path);

/// The same for a folder, which it creates.
void check_writable_folder(const std::string& path);

/// Returns whether both names are of one file, which need not exist.
bool same_file(const std::string& one, const std::string& other);

/// Sends what follows on stdout to this file; "-" changes nothing. Throws as write_file does.
void redirect_stdout(const std::string& path);

/// Throws Error(environment) for a file that cannot be written, with the reason of errno.
[[noreturn]] void cannot_write(const std::string& path);

/// Creates the folder of `path`. A failure shows when the file is opened.
void make_folder_of(const std::string& path);

/// Reports on stderr that a file was written; nothing for "-".
void say_written(const std::string& path);

/// Throws Error(environment) if something printed to stdout was lost, on a full disk for example.
void check_stdout();

}  // namespace arlab::bench
