// Output files. Product code creates files here and nowhere else (tests/architecture/rooms.py).
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace arlab::collectives {

/// A file that takes the place of an older one when it is complete, not before: a full disk, an
/// error or a kill leaves the older one. Until then it is a temporary file beside it, which only
/// this process writes. A symbolic link stays, and the file that it names is replaced, which keeps
/// its mode. What is no regular file (a device, a pipe) is written itself, as is a descriptor such
/// as /dev/stdout.
class OutputFile {
 public:
  /// Creates missing folders. This and the other functions throw Error(environment) with the reason
  /// of the system.
  explicit OutputFile(std::string path);
  /// Removes the temporary file, unless commit() has succeeded.
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  int descriptor() const { return fd_; }
  void write(std::string_view bytes) const;
  /// Flushes the bytes to the disk, and gives the file its name.
  void commit();

 private:
  void create_beside();

  std::string path_, target_, temporary_;
  int fd_ = -1;
};

/// Writes the pieces one after another to an OutputFile.
void write_atomically(const std::string& path, std::span<const std::string_view> pieces);

/// Returns whether this is the name of a temporary file that a killed process left.
bool is_left_over(std::string_view file_name);

/// Returns where the file is: behind all symbolic links, of which the last may name nothing.
std::string behind_links(std::string path);

/// Throws what writing this file would, as far as that is known now. Changes nothing but missing
/// folders.
void check_can_write(const std::string& path);

/// Returns a descriptor, for appending, of a file that is created if it does not exist; -1 with
/// errno if that fails. `exclusive`: it must not exist.
int open_to_append(const std::string& path, bool exclusive = false);

/// Creates the folder of `path`; returns whether it was missing. A failure shows when the file is
/// opened.
bool make_folder_of(const std::string& path);

/// Throws Error(environment) for a file that cannot be written, with the reason of errno.
[[noreturn]] void cannot_write(const std::string& path);

}  // namespace arlab::collectives
