// Sentences about regressions: what became slower, and what to do next.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "bench/study/regression.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {
namespace {

using Compared = std::vector<const TimeComparison*>;
using Verdict = TimeComparison::Verdict;

Compared with_verdict(const TimeComparisons& regression, Verdict verdict) {
  Compared some;
  for (const TimeComparison& c : regression.all)
    if (c.verdict == verdict) some.push_back(&c);
  return some;
}

std::string place_of(const TimeComparison& c) {
  return fmt::format("{} on {}, {}", c.record["algorithm"].get<std::string>(),
                     show_plural(c.record["ranks"].get<Count>(), "rank"),
                     show_bytes(c.record["bytes"].get<Count>()));
}

std::string confidence(const TimeComparison& c) {
  if (c.of_logs) return "";
  return c.p < 0.001 ? " (p < 0.001)" : fmt::format(" (p = {:.2g})", c.p);
}

template <class Values>
std::string list_of(const Values& values) {
  return fmt::format("{}", fmt::join(values, ","));
}

// The command that measures some again; empty where a command cannot, such as for logs.
std::string command_for(const Compared& some) {
  std::set<std::string> algorithms, backends;
  std::set<Count> ranks, bytes;
  for (const TimeComparison* const c : some) {
    if (c->of_logs || c->record["kind"] != "run") return "";
    const std::string name = c->record["algorithm"];
    if (c->record["family"] != "native")
      algorithms.insert(name);
    else if (const std::size_t colon = name.find(':'); colon != std::string::npos)
      algorithms.insert("native" + name.substr(colon));
    ranks.insert(c->record["ranks"].get<Count>());
    bytes.insert(c->record["bytes"].get<Count>());
    if (c->record["backend"].is_string()) backends.insert(c->record["backend"].get<std::string>());
  }
  if (backends.size() != 1) return "";
  if (algorithms.empty()) algorithms.insert("ring");  // the library's own comes with any
  const std::string backend = *backends.begin();
  return fmt::format("arlab run {} -p {} -s {} -b {} --launches 10 --json again.jsonl",
                     list_of(algorithms), list_of(ranks), list_of(bytes),
                     backend.substr(0, backend.find(' ')));
}

}  // namespace

std::vector<std::string> sentences(const TimeComparisons& regression, double threshold) {
  const Compared slower = with_verdict(regression, Verdict::slower),
                 faster = with_verdict(regression, Verdict::faster),
                 wrong = with_verdict(regression, Verdict::wrong),
                 unsure = with_verdict(regression, Verdict::unsure);
  const std::string all = show_plural(std::ssize(regression.all), "configuration"),
                    by = fmt::format("{:.3g}%", 100 * threshold);
  std::vector<std::string> said;
  if (!wrong.empty())
    said.push_back(fmt::format("{} of {} WRONG: {}.", wrong.size(), all, place_of(*wrong.front())));
  if (!faster.empty())
    said.push_back(fmt::format("{} of {} faster by more than {}, most {}: {:.3g} times{}.",
                               faster.size(), all, by, place_of(*faster.back()),
                               1 / faster.back()->ratio, confidence(*faster.back())));
  if (!unsure.empty()) {
    const bool logs = std::all_of(unsure.begin(), unsure.end(),
                                  [](const TimeComparison* c) { return c->of_logs; });
    if (!logs)
      said.push_back(
          fmt::format("{} of {} without a verdict, since a side has fewer than 6 runs: "
                      "measure with a longer --time.",
                      unsure.size(), all));
  }
  if (slower.empty()) {
    said.push_back(fmt::format("None of {} is slower by more than {}.", all, by));
    return said;
  }
  said.push_back(fmt::format("{} of {} slower by more than {}, most {}: {:.3g} times{}.",
                             slower.size(), all, by, place_of(*slower.front()),
                             slower.front()->ratio, confidence(*slower.front())));
  if (const std::string command = command_for(slower); !command.empty())
    said.push_back("To measure these again: " + command);
  return said;
}

}  // namespace arlab::bench
