// Run facts: what lines beside a table of nccl-tests say about its run, which are neither comments
// nor rows: commands, variables that NCCL lists, the network, and versions.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bench/logs/log.hpp"
#include "bench/logs/preamble.hpp"

namespace arlab::bench {

class RunFacts {
 public:
  /// Takes what the line says. `words`: its words.
  void read(const std::string& line, const std::vector<std::string_view>& words);

  /// A table ended. What NCCL says from now on is of the next run: its lines may come before the
  /// header, since each process writes its own.
  void end_run() { ended_ = true; }
  /// Forgets the run before, if it ended.
  void begin_run();

  /// Returns the last program of nccl-tests that a line names.
  const std::string& program() const { return program_; }
  LogOrigin origin(const LogPreamble& preamble) const;

 private:
  void read_nccl(const std::vector<std::string_view>& words);

  std::string program_, library_, rccl_, network_;
  std::map<std::string, std::string> environment_;
  bool ended_ = false;
};

/// Returns what a line says of a failed test, "Test NCCL failure common.cu:1005"; else empty.
std::string failure_in(const std::string& line);

/// Returns what the line after a table says against the results: "Out of bounds values : 26
/// FAILED", or the like of a bandwidth below the least that was asked for (NCCL_TESTS_MIN_BW).
/// Empty if the line is no such footer, or passes.
std::string failed_verdict(std::string_view line);

}  // namespace arlab::bench
