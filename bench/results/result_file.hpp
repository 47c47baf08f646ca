// Result files: JSON Lines, a context line and then a record a line, so that a killed sweep keeps
// what it measured.
#pragma once

#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "bench/results/record.hpp"

namespace arlab::bench {

struct Results {
  std::vector<Json> contexts;
  std::vector<Json>
      records;  ///< each with "context": the index of the context it came after, null if none
  bool cut_short = false;        ///< the last line is half-written (and left out)
  std::int64_t whole_bytes = 0;  ///< of the file up to the end of the last whole line
};

/// Throws Error(environment) if the file cannot be read, Error(usage) with its line if one is no
/// record.
Results read_results(const std::string& path);

/// Keeps a file of this name as <path>.1, .2, ..., so that a new one does not overwrite it.
void keep_earlier(const std::string& path);

class ResultFile {
 public:
  enum class Mode {
    fresh,   ///< a file of that name is kept as <path>.1, .2, ...
    resume,  ///< goes on after what is there
  };

  /// path "-" is stdout. Throws Error(environment) if it cannot be written.
  ResultFile(const std::string& path, Mode mode, const Json& context);

  /// The record of the same configuration that was there when the file was opened to be resumed;
  /// null if there was none. One that was skipped counts only for one skipped for the same reason.
  const Json* find(const Json& record) const;

  /// Adds a line and flushes it.
  void add(const Json& record);

 private:
  void open(Mode mode);
  void read_earlier();

  struct Close {
    void operator()(std::FILE* file) const {
      if (file != stdout) std::fclose(file);
    }
  };
  std::string path_;
  std::map<std::string, Json> there_;
  std::unique_ptr<std::FILE, Close> file_;
};

}  // namespace arlab::bench
