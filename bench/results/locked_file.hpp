// Locked files: result files that one process at a time writes.
#pragma once

#include <cstdio>
#include <memory>
#include <string>

namespace arlab::bench {

struct CloseFile {
  void operator()(std::FILE* file) const {
    if (file != stdout) std::fclose(file);
  }
};
using LockedFile = std::unique_ptr<std::FILE, CloseFile>;

/// Opens a file to append to it; "-" is stdout. Creates its folder. Locks it until it is closed.
/// Throws Error(environment) with the reason of the system, or if another process writes the file.
LockedFile open_to_append(const std::string& path);

/// The same, but renames an earlier file that is not empty to <path>.1, .2, ....; see
/// keep_earlier().
LockedFile open_new(const std::string& path, const std::string& instead = "");

/// Renames a file of this name that is not empty to <path>.1, .2, ..., so that a new one does not
/// overwrite it; of a symbolic link, the file behind it. The note on stderr says what could be done
/// `instead`, if anything can.
void keep_earlier(const std::string& path, const std::string& instead = "");

}  // namespace arlab::bench
