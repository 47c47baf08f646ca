// Child processes: runs other commands, such as mpirun, and waits for them.
#pragma once

#include <map>
#include <string>
#include <vector>

namespace arlab::bench {

/// Runs the command with these environment variables besides this process's own, and waits. Its
/// stdout is discarded. Returns its exit status; 128 and more: the signal that ended it.
/// Throws Error(environment) if it cannot be started.
int run_child(const std::vector<std::string>& words,
              const std::map<std::string, std::string>& environment = {});

/// Returns the path of this program.
std::string own_program();

/// A folder for the files of this process, which is removed at the end.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
};

}  // namespace arlab::bench
