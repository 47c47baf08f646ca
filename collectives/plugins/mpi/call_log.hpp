// CallLog: what a process called, by size: calls, time, and which algorithm ran; JobLog: the logs
// of all ranks.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "algorithms/problem.hpp"
#include "collectives/reduce/dtype.hpp"

namespace arlab::collectives {

/// The calls that are counted together.
struct CallKind {
  Rank ranks = 0;
  Bytes bytes = 0;
  std::string type, op;  ///< such as float32 and sum; empty if ours does not know them
  std::string ran;       ///< the algorithm; "mpi" or "mpi: why" for the library's own
  std::string call = "MPI_Allreduce";
  auto operator<=>(const CallKind&) const = default;
};

struct CallCount {
  std::int64_t calls = 0;
  double seconds = 0, longest = 0;
};

using Calls = std::map<CallKind, CallCount>;

/// Any thread may add.
class CallLog {
 public:
  void add(const CallKind& kind, double seconds);
  Calls calls() const;

 private:
  mutable std::mutex mutex_;
  Calls calls_;
};

/// Returns the calls as text that read_calls() takes, to send them to another rank.
std::string written(const Calls& calls);
Calls read_calls(const std::string& text);

/// One kind of call, over the ranks that made it.
struct JobCount {
  std::int64_t calls = 0;   ///< of the rank that made most
  double least_rank_s = 0;  ///< seconds of the rank that spent the least in them
  double most_rank_s = 0;   ///< and of the one that spent the most
  double longest = 0;       ///< seconds of the longest call
};

/// The calls of a job, and those of the rank that made most: all, and by algorithms of ours.
struct JobLog {
  std::map<CallKind, JobCount> kinds;
  struct Share {
    std::int64_t calls = 0, ours = 0;
  };
  std::map<std::string, Share> shares;  ///< by call
};

/// Returns the logs of all ranks as one. Ranks may differ in what they called.
JobLog merged(const std::vector<Calls>& of_ranks);

/// Returns a table for people: a line per kind, the most time first.
std::string report_of(const JobLog& log);

/// Returns a JSON line per kind of MPI_Allreduce: {"kind":"profile","ranks":4,"bytes":1024,...}.
std::string profile_of(const JobLog& log);

}  // namespace arlab::collectives
