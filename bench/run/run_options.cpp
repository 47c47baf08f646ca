#include "bench/run/run_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <span>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "bench/measure/binding.hpp"
#include "bench/measure/job.hpp"
#include "bench/measure/timeout.hpp"
#include "bench/options/old_names.hpp"
#include "bench/options/options.hpp"
#include "bench/options/rare_options.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {
namespace {

using collectives::Backend;
using collectives::RunMode;

void add_whole_number(CLI::App& app, const char* name, const char* help, std::int64_t least,
                      const std::function<void(int)>& use) {
  constexpr std::int64_t kMost = 1'000'000;
  const auto parse = [=](const std::string& text) {
    const std::int64_t n = parse_count(text, name);
    if (n < least || n > kMost)
      fail(Blame::usage, fmt::format("{} is {}: give {} to {}", name, n, least, kMost));
    use(static_cast<int>(n));
  };
  app.add_option_function<std::string>(name, parse, help)->type_name("NUMBER");
}

void add_words(CLI::App& app, const char* name, std::vector<std::string>& words, const char* help) {
  app.add_option(name, words, help)
      ->delimiter(',')
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all()
      ->type_name("NAMES");
}

// "2%" or "0.02".
double parse_precision(std::string text) {
  const bool percent = text.ends_with('%');
  if (percent) text.pop_back();
  const double value = parse_ratio(text, "--precision") / (percent ? 100 : 1);
  if (value >= 1)
    fail(Blame::usage, fmt::format("--precision is {}{}: give a part of the median, such as 2%",
                                   text, percent ? "%" : ""));
  return value;
}

// "1:100us".
void parse_late(const std::string& text, MeasureOptions& measure) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos)
    fail(Blame::usage,
         fmt::format("--late is '{}': give a rank and a time, for example 1:100us", text));
  measure.late_rank =
      checked_number(parse_count(text.substr(0, colon), "--late"), "--late", 0, kMostRanks - 1);
  measure.late_seconds = parse_time(text.substr(colon + 1), "--late") / 1e12;
}

void add_start(CLI::App& app, MeasureOptions& measure) {
  app.add_option_function<std::string>(
         "--start",
         [&measure](const std::string& text) {
           constexpr std::string_view kStarts[] = {"barrier", "agreed-time"}, kOld = "round-time";
           if (text == kOld) note_old_name("--start round-time", "--start agreed-time");
           if (text != kStarts[0] && text != kStarts[1] && text != kOld)
             fail_unknown("start", text, kStarts);
           measure.at_agreed_time = text != kStarts[0];
         },
         "How ranks synchronize before a run: barrier (default) or agreed-time; a run that a rank "
         "is late for is repeated")
      ->type_name("NAME");
  app.add_option_function<std::string>(
         "--late", [&measure](const std::string& text) { parse_late(text, measure); },
         "Delay ranks: one rank's entry into every run, 1:100us")
      ->type_name("RANK:TIME");
}

void add_modes(CLI::App& app, RunCommand& command) {
  add_words(
      app, "--buffers", command.places,
      "in-place (default): the result replaces the input; out-of-place: another vector; or both");
  add_words(app, "--mode", command.modes,
            "alone (default): each run starts when all ranks are ready; streaming: runs back to "
            "back; or both");
  add_words(app, "--cache", command.caches,
            "warm (default); cold: vectors are evicted from the caches before each run; or both");
  add_whole_number(app, "--repeats", "Runs back to back with --mode streaming (default 20)", 2,
                   [&command](int n) { command.repeats = n; });
}

void add_length(CLI::App& app, MeasureOptions& measure) {
  app.add_option_function<std::string>(
         "--time",
         [&measure](const std::string& text) {
           measure.seconds = parse_time(text, "--time") / 1e12;
           measure.limited = measure.seconds > 0;
         },
         "Time limit per configuration, after which no run begins: 1s, 0 (a few runs); default "
         "200ms, but at least 5 runs")
      ->type_name("TIME");
  add_whole_number(app, "--runs", "Timed runs per configuration, instead of a time", 1,
                   [&measure](int n) { measure.min_runs = measure.max_runs = n; });
  add_whole_number(app, "--warmup",
                   "Untimed runs per configuration, before the timed ones (default 1)", 0,
                   [&measure](int n) { measure.warm_ups = n; });
  app.add_option_function<std::string>(
         "--precision",
         [&measure](const std::string& text) { measure.precision = parse_precision(text); },
         "Stop when the 95% confidence interval of the median is within this of it, such as 2%, or "
         "at --time")
      ->type_name("PART");
}

// In place of --place in,out.
std::vector<std::string> with_new_buffers(std::vector<std::string> words) {
  for (std::string& word : words)
    if (word == "in" || word == "out") {
      const std::string old = word;
      word += word == "in" ? "-place" : "-of-place";
      note_old_name("--buffers " + old, "--buffers " + word);
    }
  return words;
}

// Which of two values of an option are wanted, without repetition; "both" stands for each.
std::vector<bool> chosen(const std::vector<std::string>& words, const char* what,
                         std::span<const std::string_view, 3> names) {
  std::vector<bool> all;
  const auto add = [&](bool second) {
    if (std::find(all.begin(), all.end(), second) == all.end()) all.push_back(second);
  };
  for (const std::string& word : words) {
    const auto found = std::find(names.begin(), names.end(), word);
    if (found == names.end()) fail_unknown(what, word, names);
    if (*found != names[1]) add(false);
    if (*found != names[0]) add(true);
  }
  if (all.empty()) all.push_back(false);
  return all;
}

constexpr std::string_view kPlaces[] = {"in-place", "out-of-place", "both"},
                           kModes[] = {"alone", "streaming", "both"},
                           kCaches[] = {"warm", "cold", "both"};

}  // namespace

void add_run_options(CLI::App& app, RunCommand& command) {
  app.add_option("-b,--backend", command.backend,
                 fmt::format("{}; default {}, under mpirun and srun {}",
                             backend_names([](const Backend&) { return true; }),
                             backend_names([](const Backend& b) { return b.default_alone; }),
                             backend_names([](const Backend& b) { return b.default_in_job; })))
      ->type_name("NAME");
  app.add_option("--table", command.table,
                 "Tuning table, for algorithm auto: what `arlab tune --table` wrote")
      ->type_name("FILE");
  add_length(app, command.measure);
  add_modes(app, command);
  add_start(app, command.measure);
  app.add_option_function<std::string>(
         "--seed",
         [&command](const std::string& text) {
           const std::int64_t number = parse_count(text, "--seed");
           if (number < 0)
             fail(Blame::usage, fmt::format("--seed is {}: give a number of 0 or more", number));
           command.measure.seed = static_cast<std::uint64_t>(number);
         },
         "Seed of random numbers: shuffles sizes, and the configurations of each turn (default: "
         "their given order)")
      ->type_name("SEED");
  app.add_option_function<std::string>(
         "--bind",
         [&command](const std::string& text) { command.processors = parse_binding(text); },
         "Bind ranks to processors: core (one per rank), a list such as 0,2,4-7, or none "
         "(default)")
      ->type_name("WHERE");
  app.add_option(
         "--raw", command.samples,
         "Write each rank's entry and exit time of each run to this file: FILE.csv, or JSON "
         "Lines; - is stdout")
      ->type_name("FILE");
  add_launches(app, command.launches);
  command.model.add_machine(app);
  add_timeout(app, command.patience);
  make_rare(app, {"--algorithm", "--trees", "--dims", "--repeats", "--start", "--late",
                  "--launcher", "--cache", "--bind", "--precision"});
}

std::vector<Config> in_all_modes(const RunCommand& command, const std::vector<Config>& configs) {
  const auto flows = chosen(command.modes, "mode", kModes);
  if (command.repeats && std::ranges::find(flows, true) == flows.end())
    fail_without_effect("--repeats", "--mode streaming");
  std::vector<RunMode> modes;
  for (const bool cold : chosen(command.caches, "cache", kCaches))
    for (const bool streaming : flows)
      for (const bool out : chosen(with_new_buffers(command.places), "buffers", kPlaces))
        modes.push_back({!out, streaming ? command.repeats.value_or(20) : 1, cold});
  std::vector<Config> all;
  all.reserve(configs.size() * modes.size());
  for (const Config& config : configs)
    for (const RunMode& mode : modes) {
      all.push_back(config);
      all.back().mode = mode;
    }
  return all;
}

}  // namespace arlab::bench
