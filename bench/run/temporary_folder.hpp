// A folder for the files of this process, and the process that works in it.
#pragma once

#include <sys/types.h>

#include <memory>
#include <string>

namespace arlab::bench {

class SignalWatch;

/// Is removed at the end, also when a signal ends this process (SIGTERM, SIGINT, SIGHUP, SIGQUIT,
/// SIGXCPU, or SIGPIPE of a closed pipe): then the processes of Worker end first, and this process
/// ends by the same signal. One exists at a time.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::string file(const std::string& name) const { return path_ + "/" + name; }

 private:
  std::string path_;
  std::unique_ptr<SignalWatch> watch_;
};

/// While it exists, such a signal also ends this group of processes.
class Worker {
 public:
  explicit Worker(pid_t group);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
};

}  // namespace arlab::bench
