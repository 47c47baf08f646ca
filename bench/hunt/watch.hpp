// Watch: hunts that are repeated, what each found in a line, and how often, at the end.
#pragma once

#include <chrono>
#include <csignal>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "bench/hunt/hunt_changes.hpp"
#include "bench/results/record.hpp"

namespace CLI {
class App;
}

namespace arlab::bench {

/// When to hunt again.
struct WatchPlan {
  bool is_on = false;
  std::chrono::duration<double> every{};  ///< from one start to the next; 0: at once
  Count rounds = 0;                       ///< 0: until it is stopped
  bool is_last(Count round) const { return !is_on || round == rounds; }
};

/// Adds --watch.
void add_watch(CLI::App& command, WatchPlan& plan);

/// While it exists, the first Ctrl-C, or SIGTERM, is noted only; the second ends the process. A
/// signal that is ignored, as in a background job of a script, stays so.
class StopNote {
 public:
  StopNote();
  ~StopNote();
  StopNote(const StopNote&) = delete;
  StopNote& operator=(const StopNote&) = delete;
  static bool is_noted();

 private:
  std::vector<std::pair<int, struct sigaction>> earlier_;
};

/// Waits until `every` after `start`, unless a signal comes. Returns whether to hunt again.
/// All ranks call it together: `largest` returns the largest number of all, and only one `decides`
/// by its clock.
bool wait_for_next(const WatchPlan& plan, std::chrono::steady_clock::time_point start, bool decides,
                   const std::function<double(double)>& largest);

/// What the rounds found so far.
class WatchedRounds {
 public:
  /// Returns the line of the next round: its verdict, and what is new since the last round that
  /// could tell. changes: since an earlier hunt, if one was given.
  std::string add(const Json& record, const std::string& date, const HuntChanges* changes);
  /// Returns how many rounds found something, and which places, most often first.
  std::string summary() const;

 private:
  std::string places_line(const Json& record);

  Count rounds_ = 0;
  std::map<std::string, Count> verdicts_, places_;  // and in how many rounds
  std::vector<std::string> last_;                   // places of the last round that could tell
  bool has_last_ = false;
};

}  // namespace arlab::bench
