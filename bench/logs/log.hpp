// Logs of other benchmarks: what the readers of bench/logs find in the output of nccl-tests,
// rccl-tests, OSU micro-benchmarks and the Intel MPI Benchmarks (IMB).
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/problem.hpp"
#include "collectives/reduce/dtype.hpp"

namespace arlab::bench {

/// A time of a log, as records hold it.
struct LogRow {
  std::size_t line = 0;    ///< of the file, from 1
  std::int64_t bytes = 0;  ///< of the whole vector, as in records
  collectives::Operand operand = {};
  Rank root = 0;
  bool in_place = false;
  double time_us = 0;               ///< mean over the loop of the benchmark
  std::optional<Count> wrong = {};  ///< elements; nothing: not checked, or counted in another way
};

/// What the lines around a table say about how it was measured.
struct LogOrigin {
  std::string tool = {};       ///< "nccl-tests 2.19.6", "OSU 5.7", "IMB 2021.6"
  std::string backend = {};    ///< as in records: nccl, rccl, mpi, mpi-cuda; empty: not known
  std::string algorithm = {};  ///< the library's own: ncclAllReduce, MPI_Allreduce
  std::string host = {}, gpu = {}, library = {}, command = {}, date = {};  ///< empty: not said
  std::map<std::string, std::string> environment = {};  ///< variables of NCCL that the log names
  int repeats = 1;              ///< runs back to back, which were waited for once
  bool mean_over_ranks = true;  ///< else a time is that of the slowest rank
};

struct LogTable {
  std::size_t line = 0;  ///< of its header
  LogOrigin origin = {};
  Collective collective = Collective::allreduce;
  Rank ranks = 1;
  std::vector<std::int32_t> host_of_rank = {};  ///< empty: not known
  std::vector<LogRow> rows = {};
};

/// What a reader has to say about a line.
struct LogNote {
  std::size_t line = 0;
  std::string text = {};
  bool refused = false;  ///< a row, or what looks like one, is left out
  bool failed = false;   ///< the benchmark's own verdict: wrong results, or too low a rate
};

struct Log {
  std::vector<LogTable> tables = {};
  std::vector<LogNote> notes = {};  ///< in the order of the lines
  bool cut = false;                 ///< a table has no end, or the benchmark says that it failed

  /// Notes that what this line says is left out.
  void refuse(std::size_t line, std::string why) { notes.push_back({line, std::move(why), true}); }

  /// Notes what the benchmark says against its own results.
  void fail(std::size_t line, const std::string& verdict) {
    notes.push_back({line, "the benchmark failed: " + verdict, false, true});
  }
};

/// What the user says, since logs may not.
struct LogHints {
  std::optional<Collective> collective = {};
  std::optional<Rank> ranks = {};
};

/// Reads a text that holds any number of tables, between other lines and behind prefixes of
/// launchers (mpirun --tag-output, srun --label, kubectl, time stamps). Never throws on what it
/// does not understand: notes say what is left out, and why.
Log read_log_text(const std::string& text, const LogHints& hints = {});

/// The same of JSON: a file of nccl-tests (-J) or of rccl-tests (-Z json).
Log read_log_json(const std::string& text, const LogHints& hints = {});

}  // namespace arlab::bench
