#include "bench/hunt/watch.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <csignal>
#include <thread>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/quantities.hpp"
#include "bench/hunt/hunt_names.hpp"
#include "bench/options/options.hpp"
#include "bench/options/settings.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {
namespace {

constexpr std::array kStopSignals{SIGINT, SIGTERM};
volatile std::sig_atomic_t stop_signal = 0;

void note_stop(int signal) { stop_signal = signal; }

// "rank 3 (h3) by bandwidth", the same in every round.
std::string watched_place(const hunt::Finding& f, const std::vector<std::string>& hosts) {
  return fmt::format("{} by {}", place_text(f, hosts), name(f.quantity));
}

double largest_spread(const Json& record) {
  double most = 0;
  for (const auto& [quantity, measured] : record.at("measured").items())
    if (measured.at("noisy").get<bool>())
      most = std::max(most, measured.at("spread").get<double>());
  return most;
}

}  // namespace

void add_watch(CLI::App& command, WatchPlan& plan) {
  constexpr std::int32_t kMostRounds = 1'000'000;
  const auto read_every = [&plan](const std::string& text, const std::string& what) {
    constexpr double kLongestWait = 30. * 24 * 3600;
    plan.is_on = true;
    plan.every = std::chrono::duration<double>(parse_time(text, what) / 1e12);
    if (plan.every.count() > kLongestWait)
      fail(Blame::usage, fmt::format("{} is '{}': give at most 30 days, such as 600s", what, text));
  };
  const auto read_rounds = [&plan](const std::string& text, const std::string& what) {
    plan.is_on = true;
    plan.rounds = checked_number(parse_count(text, what), what, 1, kMostRounds);
  };
  add_settings(
      command, "--watch",
      "Hunt again every 600s (0: at once) until Ctrl-C, with a line per round: what is slow, and "
      "what is new; 600s:rounds=6: six times",
      {{"", read_every}, {"rounds", read_rounds}})
      ->type_name("TIME");
}

StopNote::StopNote() {
  stop_signal = 0;
  struct sigaction noting {};
  noting.sa_handler = note_stop;
  noting.sa_flags = static_cast<int>(SA_RESETHAND);  // the second ends the process
  for (const int signal : kStopSignals) {
    struct sigaction earlier {};
    if (sigaction(signal, nullptr, &earlier) != 0 || earlier.sa_handler == SIG_IGN) continue;
    sigaction(signal, &noting, nullptr);
    earlier_.emplace_back(signal, earlier);
  }
}

StopNote::~StopNote() {
  for (const auto& [signal, action] : earlier_) sigaction(signal, &action, nullptr);
}

bool StopNote::is_noted() { return stop_signal != 0; }

bool wait_for_next(const WatchPlan& plan, std::chrono::steady_clock::time_point start, bool decides,
                   const std::function<double(double)>& largest) {
  using namespace std::chrono_literals;
  constexpr double kWait = 0, kGo = 1, kStop = 2;  // the largest is the answer of all
  const auto next =
      start + std::chrono::duration_cast<std::chrono::steady_clock::duration>(plan.every);
  for (;;) {
    const bool is_due = decides && std::chrono::steady_clock::now() >= next;
    const double answer = largest(StopNote::is_noted() ? kStop : is_due ? kGo : kWait);
    if (answer >= kGo) return answer < kStop;
    std::this_thread::sleep_for(100ms);
  }
}

std::string WatchedRounds::places_line(const Json& record) {
  constexpr std::size_t kMostShown = 4;
  const auto hosts = record.at("hosts").get<std::vector<std::string>>();
  std::vector<std::string> shown, now;
  Count fresh = 0;
  for (const hunt::Finding& f : findings_of(record)) {
    const std::string place = watched_place(f, hosts);
    if (std::ranges::find(now, place) == now.end()) ++places_[place];
    now.push_back(place);
    const bool is_new = has_last_ && std::ranges::find(last_, place) == last_.end();
    fresh += is_new ? 1 : 0;
    if (shown.size() < kMostShown)
      shown.push_back(
          fmt::format("{} {} {:.2f}x{}", name(f.place), place, f.times, is_new ? " (new)" : ""));
  }
  const auto gone = std::ranges::count_if(
      last_, [&](const std::string& place) { return std::ranges::find(now, place) == now.end(); });
  std::string line =
      now.empty() ? "nothing is slow" : fmt::format("slow: {}", fmt::join(shown, ", "));
  if (now.size() > shown.size()) line += fmt::format(", and {} more", now.size() - shown.size());
  if (gone > 0) line += fmt::format("; no longer slow: {}", show_count(gone));
  last_ = std::move(now);
  has_last_ = true;
  return line;
}

std::string WatchedRounds::add(const Json& record, const std::string& date,
                               const HuntChanges* changes) {
  const std::string verdict = record.at("verdict").get<std::string>();
  ++rounds_;
  ++verdicts_[verdict];
  std::string line = fmt::format("{}round {}: ", date.empty() ? "" : date + " ", rounds_);
  if (verdict == name(hunt::Verdict::noisy))
    line += fmt::format("too noisy to tell: the same measurement differs {}",
                        spread_text(largest_spread(record)));
  else if (verdict == name(hunt::Verdict::few))
    line += fmt::format("too few ranks to tell: start {} or more", hunt::kFewestRanks);
  else
    line += places_line(record);
  if (changes && changes->is_slower()) line += "; all ranks are slower than in the earlier hunt";
  return line + "\n";
}

std::string WatchedRounds::summary() const {
  const auto rounds_with = [&](const char* verdict) {
    const auto found = verdicts_.find(verdict);
    return found == verdicts_.end() ? Count{0} : found->second;
  };
  std::string text = fmt::format("{}: {} found something slow, {} nothing, {} could not tell\n",
                                 show_plural(rounds_, "round"), rounds_with("slow"),
                                 rounds_with("quiet"), rounds_with("noisy") + rounds_with("few"));
  std::vector<std::pair<Count, std::string>> often;
  for (const auto& [place, rounds] : places_) often.emplace_back(-rounds, place);
  std::ranges::sort(often);
  for (const auto& [minus, place] : often)
    text += fmt::format("{}: slow in {} of {} rounds\n", place, -minus, rounds_);
  return text;
}

}  // namespace arlab::bench
