// Files read and written whole.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace arlab::training {

/// Throws Error(environment) with the system's reason, and `hint` as what to do next.
std::string read_whole(const std::string& path,
                       std::string_view hint = "name a file that can be read");

/// Writes the pieces one after another so that whoever opens `path`, now or after a crash, finds
/// either the old file or the whole new one: a temporary file beside it, fsync, rename, fsync of
/// the folder. Makes the folder if it is missing. Throws Error(environment) with the system's
/// reason, and leaves the old file as it was.
void write_atomically(const std::string& path, std::span<const std::string_view> pieces);

/// The name of a temporary file of write_atomically, as a process that was killed leaves it.
bool is_left_over(std::string_view file_name);

}  // namespace arlab::training
