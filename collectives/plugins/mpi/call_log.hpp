// CallLog: what a process called, by size: calls, time, and which algorithm ran.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "algorithms/problem.hpp"
#include "collectives/reduce/dtype.hpp"

namespace arlab::collectives {

/// The calls that are counted together.
struct CallKind {
  Rank ranks = 0;
  Bytes bytes = 0;
  std::string type, op;  ///< such as float32 and sum; empty if ours does not know them
  std::string ran;       ///< the algorithm; "mpi" or "mpi: why" for the library's own
  auto operator<=>(const CallKind&) const = default;
};

struct CallCount {
  std::int64_t calls = 0;
  double seconds = 0, longest = 0;
};

/// Any thread may add.
class CallLog {
 public:
  void add(const CallKind& kind, double seconds);
  std::map<CallKind, CallCount> calls() const;

 private:
  mutable std::mutex mutex_;
  std::map<CallKind, CallCount> calls_;
};

/// Returns a table for people: a line per kind, the most time first.
std::string report_of(const std::map<CallKind, CallCount>& calls);

/// Returns a JSON line per kind: {"kind":"profile","ranks":4,"bytes":1024,...}. `fastest` and `slowest`
/// are the least and the most seconds that any rank spent in the calls of a kind, in the map's order.
std::string profile_of(const std::map<CallKind, CallCount>& calls,
                       const std::vector<double>& fastest, const std::vector<double>& slowest);

}  // namespace arlab::collectives
