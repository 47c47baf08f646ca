// Preamble: what the comments before a table say about how it was measured.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/logs/log.hpp"

namespace arlab::bench {

struct LogPreamble {
  // nccl-tests, rccl-tests
  std::string version = {}, program = {}, command = {};
  std::string library = {};                ///< "NCCL 2.30.4"
  std::map<Rank, std::string> hosts = {};  ///< by rank
  /// By rank: the number of its communicator. NCCL_TESTS_SPLIT makes several, which run at once.
  std::map<Rank, std::int64_t> communicators = {};
  std::string gpu = {};
  int iterations = 20, aggregated = 1;
  bool waits = false;          ///< for each run
  bool last_in_place = false;  ///< the line above the header names one half, in place
  bool rccl = false;
  // OSU, IMB
  std::string osu_title = {}, osu_version = {}, imb_version = {}, benchmark = {}, date = {};
  std::string osu_library = {}, osu_device = {};  ///< MPI, NCCL or XCCL; CUDA, ROCM or nothing
  std::string datatype, datatype_of_reductions = "MPI_FLOAT", op = "MPI_SUM";
  std::optional<Rank> processes = {};
  int groups = 1;  ///< that run at once

  bool operator==(const LogPreamble&) const = default;
};

/// What a comment is: of no benchmark, the first line of another table, something about one, or
/// what follows one.
enum class LogComment { none, next, says, ends };

/// Whether a comment, from its # on, is one of the first of a run of a benchmark: what was said
/// before is of another run.
bool begins_run(std::string_view comment);

/// Reads a comment into the preamble.
LogComment read_comment(std::string_view comment, LogPreamble& preamble);

/// Returns the number of ranks in the communicator of rank 0, whose times a table has; nothing
/// unless the ranks that are listed are 0, 1, 2, ....
std::optional<Rank> listed_ranks(const LogPreamble& preamble);

/// Returns the number of the host of each of these ranks; empty unless all ranks are listed.
std::vector<std::int32_t> hosts_of_ranks(const LogPreamble& preamble);

/// Returns a note that several communicators ran at once; empty if one did.
std::string split_note(const LogPreamble& preamble);

/// Returns "NCCL 2.29.5" of 22905; empty for what is no such number.
std::string nccl_release(std::int64_t code);

/// Returns the origin of a table of nccl-tests or rccl-tests. `library`: "NCCL 2.27.5"; `rccl`: the
/// version of rccl-tests; both empty if not said.
LogOrigin nccl_origin(const LogPreamble& preamble, const std::string& library,
                      const std::string& rccl);

}  // namespace arlab::bench
