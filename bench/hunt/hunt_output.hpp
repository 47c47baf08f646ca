// What a hunt prints and writes: of one its tables and sentences, of a watch a line each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bench/formats/hunt_file.hpp"
#include "bench/hunt/hunt_report.hpp"
#include "bench/hunt/watch.hpp"
#include "bench/results/result_file.hpp"

namespace arlab::bench {

class HuntOutput {
 public:
  struct To {
    std::string json;                  ///< file of records; empty: none; "-": stdout, alone
    std::vector<std::string> command;  ///< the whole command line
    bool is_watch = false;
    bool has_dates = true;  ///< lines begin with theirs
  };

  /// earlier: what each is compared with.
  HuntOutput(To to, std::optional<HuntFile> earlier);

  void add(const Hunted& hunted, const hunt::Search& found);
  /// Returns the exit status: 1 if any hunt found something slow, or that all ranks became slower.
  int end() const;

 private:
  void show(const Hunted& hunted, const hunt::Search& found, const Json& record,
            const std::optional<HuntChanges>& changes);
  void write(const Json& record);

  To to_;
  std::optional<HuntFile> earlier_;
  std::optional<ResultFile> file_;
  WatchedRounds rounds_;
  bool is_slow_ = false;
};

}  // namespace arlab::bench
