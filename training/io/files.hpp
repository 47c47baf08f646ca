// Reads and writes whole files.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace arlab::training {

/// Returns the file's content. Throws Error(environment) with the system's reason and `hint` as the
/// remedy.
std::string read_whole(const std::string& path, std::string_view hint = "use a readable file");

/// Writes the pieces one after another, atomically: anyone who opens `path`, now or after a crash,
/// finds either the old file or the complete new one. It writes a temporary file beside it and calls
/// fsync, rename, and fsync on the folder. Creates the folder if it is missing. Throws
/// Error(environment) with the system's reason, and then leaves the old file as it was.
void write_atomically(const std::string& path, std::span<const std::string_view> pieces);

/// Returns whether this is the name of a temporary file that a killed write_atomically() left.
bool is_left_over(std::string_view file_name);

}  // namespace arlab::training
