#include "bench/run/run_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "bench/measure/binding.hpp"
#include "bench/measure/job.hpp"
#include "bench/measure/timeout.hpp"
#include "bench/options/options.hpp"
#include "bench/options/rare_options.hpp"
#include "bench/options/settings.hpp"
#include "bench/options/words/old_names.hpp"
#include "bench/text/comma_list.hpp"
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
double parse_precision(std::string text, const std::string& what) {
  const bool percent = text.ends_with('%');
  if (percent) text.pop_back();
  const double value = parse_ratio(text, what) / (percent ? 100 : 1);
  if (value >= 1)
    fail(Blame::usage, fmt::format("{} is {}{}: give a part of the median, such as 2%", what, text,
                                   percent ? "%" : ""));
  return value;
}

// "1:100us".
void parse_late(const std::string& text, const std::string& what, MeasureOptions& measure) {
  const std::size_t colon = text.find(':');
  if (colon == std::string::npos)
    fail(Blame::usage,
         fmt::format("{} is '{}': give a rank and a time, for example 1:100us", what, text));
  measure.late_rank =
      checked_number(parse_count(text.substr(0, colon), what), what, 0, kMostRanks - 1);
  measure.late_seconds = parse_time(text.substr(colon + 1), what) / 1e12;
}

bool starts_at_agreed_time(const std::string& text) {
  constexpr std::string_view kStarts[] = {"barrier", "agreed-time"}, kOld = "round-time";
  if (text == kOld) note_old_name("--start round-time", "--start agreed-time");
  if (text != kStarts[0] && text != kStarts[1] && text != kOld)
    fail_unknown("start", text, kStarts);
  return text != kStarts[0];
}

void add_start(CLI::App& app, MeasureOptions& measure) {
  using Text = const std::string&;
  add_settings(
      app, "--start",
      "How ranks synchronize before a run: barrier (default) or agreed-time; a run that a rank is "
      "late for is repeated. late=1:100us delays one rank's entry into every run",
      {{"", [&measure](Text text, Text) { measure.at_agreed_time = starts_at_agreed_time(text); }},
       {"late", [&measure](Text text, Text what) { parse_late(text, what, measure); }}})
      ->type_name("NAME");
}

void add_parts(std::vector<std::string>& all, const std::string& list) {
  std::ranges::move(parts_of_list(list), std::back_inserter(all));
}

void add_modes(CLI::App& app, RunCommand& command) {
  using Text = const std::string&;
  add_words(
      app, "--buffers", command.places,
      "in-place (default): the result replaces the input; out-of-place: another vector; or both");
  add_settings(app, "--mode",
               "alone (default): each run starts when all ranks are ready; streaming: runs back to "
               "back, streaming:repeats=20 of them; or both. cache=warm (default), cold (vectors "
               "are evicted from the caches before each run), or both: alone:cache=cold",
               {{"", [&command](Text text, Text) { add_parts(command.modes, text); }, true},
                {"cache", [&command](Text text, Text) { add_parts(command.caches, text); }, true},
                {"repeats",
                 [&command](Text text, Text what) {
                   command.repeats = checked_number(parse_count(text, what), what, 2, 1'000'000);
                 }}})
      ->type_name("NAMES");
}

void add_length(CLI::App& app, MeasureOptions& measure) {
  using Text = const std::string&;
  add_settings(
      app, "--time",
      "Time limit per configuration, after which no run begins: 1s, 0 (a few runs); default 200ms, "
      "but at least 5 runs. 5s:precision=2%: stop before when the 95% confidence interval of the "
      "median is within this of it",
      {{"",
        [&measure](Text text, Text what) {
          measure.seconds = parse_time(text, what) / 1e12;
          measure.limited = measure.seconds > 0;
        }},
       {"precision",
        [&measure](Text text, Text what) { measure.precision = parse_precision(text, what); }}})
      ->type_name("TIME");
  add_whole_number(app, "--runs", "Timed runs per configuration, instead of a time", 1,
                   [&measure](int n) { measure.min_runs = measure.max_runs = n; });
  add_whole_number(app, "--warmup",
                   "Untimed runs per configuration, before the timed ones (default 1)", 0,
                   [&measure](int n) { measure.warm_ups = n; });
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
  using Text = const std::string&;
  add_settings(
      app, "-b,--backend",
      fmt::format(
          "{}; default {}, under mpirun and srun {}. threads:bind=core binds each rank to a "
          "processor, bind=0,2,4-7 to these, bind=none (default) to none",
          backend_names([](const Backend&) { return true; }),
          backend_names([](const Backend& b) { return b.default_alone; }),
          backend_names([](const Backend& b) { return b.default_in_job; })),
      {word_reader("", command.backend),
       {"bind", [&command](Text text, Text) { command.processors = parse_binding(text); }}})
      ->type_name("NAME");
  add_length(app, command.measure);
  add_modes(app, command);
  add_start(app, command.measure);
  add_seed(
      app, [&command](std::uint64_t seed) { command.measure.seed = seed; },
      "shuffles sizes, and the configurations of each turn (default: their given order)");
  app.add_option(
         "--raw", command.samples,
         "Write each rank's entry and exit time of each run to this file: FILE.csv, or JSON "
         "Lines; - is stdout")
      ->type_name("FILE");
  add_launches(app, command.launches);
  command.model.add_machine(app);
  add_timeout(app, command.patience);
  make_rare(app, {"--start"});
}

std::vector<Config> in_all_modes(const RunCommand& command, const std::vector<Config>& configs) {
  const auto flows = chosen(command.modes, "mode", kModes);
  if (command.repeats && std::ranges::find(flows, true) == flows.end())
    fail_without_effect("--mode repeats", "--mode streaming");
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
