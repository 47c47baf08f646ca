// Result files: JSON Lines, a context line and then one record per line, so that a killed sweep
// keeps its finished records.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "bench/results/context.hpp"
#include "bench/results/locked_file.hpp"
#include "bench/results/record.hpp"

namespace arlab::bench {

/// The lines of a result file, in schema 2 whatever the schema of the file.
struct Results {
  std::vector<Json> contexts;
  std::vector<Json> records;     ///< each with "context": the index of its context, or null
  bool cut_short = false;        ///< the last line is incomplete (and left out)
  std::int64_t whole_bytes = 0;  ///< of the file, up to the end of the last complete line
  /// Of a log, where and how its benchmark failed by its own verdict: "FILE:LINE: ...".
  std::vector<std::string> failures = {};
  /// Of logs, the contexts whose hosts ran different numbers of ranks: records count hosts only.
  std::set<std::size_t> uneven = {};
};

/// Reads files of schemas 1 and 2. Throws Error(environment) if the file cannot be read, and
/// Error(usage) with the line, the key and the reason if a line is not a record of these schemas.
/// Leaves out runs that a later command with --resume measured again, beside those that it added.
Results read_results(const std::string& path);
/// The same of the text of such a file.
Results results_of(std::string_view text, const std::string& path);

/// Returns the context of one of the records; null if it has none.
const Json& context_of(const Results& results, const Json& record);

class ResultFile {
 public:
  enum class Mode {
    fresh,      ///< an earlier file is renamed to <path>.1, .2, ...
    resume,     ///< appends to an earlier file
    resumable,  ///< as fresh, where --resume would have appended
  };

  /// path "-" is stdout. Throws Error(environment) if the file cannot be written.
  ResultFile(const std::string& path, Mode mode, const Json& context);

  /// The records of another file, too, are held.
  void hold(const std::string& other);

  /// Returns the record of the same configuration that the file held when it was opened to be
  /// resumed, or null. One that was skipped, for whatever reason, matches only a skipped record.
  const Json* find(const Json& record) const;
  /// Returns whether one command wrote what the file held of all these configurations.
  bool holds_together(const std::vector<Json>& records) const;

  /// Writes a line and flushes it.
  void add(const Json& record);

 private:
  struct Held {
    Json record, context;
  };
  void resume();
  void read_earlier();
  void take(std::vector<Json> records);

  std::string path_;
  std::map<std::string, Held> there_;  // by identity
  LockedFile file_;
};

/// Writes the context of a command, and a record of each row; nothing if the path is empty.
template <class Rows>
void write_records(const std::string& path, const std::vector<std::string>& command,
                   const Rows& rows) {
  if (path.empty()) return;
  ResultFile file(path, ResultFile::Mode::fresh, context(command));
  for (const auto& row : rows) file.add(to_json(row));
}

}  // namespace arlab::bench
