// Reads files. Outputs: collectives/files/output_file.hpp.
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

}  // namespace arlab::training
