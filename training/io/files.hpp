// Reads and writes files.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace arlab::training {

/// Returns the file's content. Throws Error(environment) with the system's reason and `hint` as the
/// remedy.
std::string read_whole(const std::string& path, std::string_view hint = "use a readable file");

/// Bytes that are read in parts.
struct ByteSource {
  std::uint64_t size = 0;
  /// Copies the bytes from `at` on, which must be within the size.
  std::function<void(std::uint64_t at, std::span<char> into)> read;
};

/// Opens a file for reading in parts. It throws Error(environment) like read_whole(), and so does
/// reading.
ByteSource open_source(const std::string& path, std::string_view hint = "use a readable file");

/// The bytes must outlive it.
ByteSource in_memory(std::string_view bytes);

/// Writes the pieces one after another, atomically: anyone who opens `path`, now or after a crash,
/// finds either the old file or the complete new one. It writes a temporary file beside it and
/// calls fsync, rename, and fsync on the folder. Creates the folder if it is missing. Throws
/// Error(environment) with the system's reason, and then leaves the old file as it was.
void write_atomically(const std::string& path, std::span<const std::string_view> pieces);

/// Returns whether this is the name of a temporary file that a killed write_atomically() left.
bool is_left_over(std::string_view file_name);

}  // namespace arlab::training
