// Measurements: what users name on the command line, as records: result files of arlab, logs of
// other benchmarks, and folders of both.
#pragma once

#include <string>
#include <vector>

#include "bench/logs/log.hpp"
#include "bench/results/result_file.hpp"

namespace arlab::bench {

/// Returns the context line of a table and its records. `path`: of its file.
void add_records(const LogTable& table, const std::string& path, Results& results);

/// What a file or folder holds, and what of it was left out.
struct ImportedResults {
  Results results;
  std::vector<std::string> notes = {};  ///< "FILE:LINE: ...", in the order of files and lines
  std::size_t refused = 0;              ///< rows, or what looks like rows, that were left out
};

/// Reads a result file, a log, or all files of a folder and of its folders, by name. Throws Error
/// if a file cannot be read, if a result file is damaged, or if nothing is found.
ImportedResults read_measurements(const std::string& path, const LogHints& hints = {});

/// The same, and says the notes on stderr, at most 20 of a path.
Results read_results_or_logs(const std::string& path);
void say_notes(const ImportedResults& measurements);

/// Returns the files of a folder and of its folders, by name, without those whose names begin with
/// a dot. Throws Error(environment) if it cannot be read.
std::vector<std::string> files_below(const std::string& folder);

/// Adds records with their contexts.
void append(Results more, Results& all);

}  // namespace arlab::bench
