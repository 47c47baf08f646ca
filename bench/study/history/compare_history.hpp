// arlab compare with more than two files, or a folder: what changed, and when.
#pragma once

#include <string>
#include <vector>

#include "bench/study/history/history.hpp"
#include "bench/text/table_view.hpp"

namespace arlab::bench {

struct HistoryCommand {
  std::string output = "-";  ///< of the tables, or NAME.csv or NAME.jsonl of records
  TableView view = {};
  double threshold = 0.05;
  std::vector<std::string> command = {};
};

/// Writes records to NAME.csv or NAME.jsonl, else the head and the table.
void write_changes(const HistoryCommand& command, const std::string& head, const Table& table,
                   const std::vector<Json>& records);

/// Reads the files, and the files in the folders; those of a folder that hold no times are noted.
/// Throws Error that names a file that cannot be read, and a folder without records.
std::vector<HistoryFile> history_files(const std::vector<std::string>& paths);

/// Prints what changed, and returns the exit code: 1 if something became slower, or is wrong.
int compare_history(std::vector<HistoryFile> files, const HistoryCommand& command);

}  // namespace arlab::bench
