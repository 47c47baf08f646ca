// Sentences about a history: what became slower, since which file, and what else differs there.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "bench/study/history/history.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {
namespace {

using Trends = std::vector<const Trend*>;

std::string place_of(const Trend& t, const History& history) {
  const std::string at = history.hosts > 1 ? " on host " + t.host : "";
  if (t.record.is_null()) return fmt::format("all {} together{}", t.members, at);
  return fmt::format("{} on {}, {}{}", t.record["algorithm"].get<std::string>(),
                     show_plural(t.record["ranks"].get<Count>(), "rank"),
                     show_bytes(t.record["bytes"].get<Count>()), at);
}

std::string p_text(double p) { return p < 0.001 ? "p < 0.001" : fmt::format("p = {:.2g}", p); }

std::string file_text(const History& history, std::size_t number) {
  const std::string& date = history.files[number].date;
  const std::string name = short_names(history.files)[number];
  return date.empty() ? name : fmt::format("{} ({})", name, date.substr(0, date.find('T')));
}

Trends with(const History& history, Trend::Verdict verdict, bool is_together) {
  Trends some;
  for (const Trend& t : history.all)
    if (t.verdict == verdict && t.record.is_null() == is_together) some.push_back(&t);
  return some;
}

// "3 of 4 configurations slower by more than 5% since week6.jsonl (2026-11-09), most ring ...".
void add_changes(const History& history, const Trends& some, std::size_t all,
                 const std::string& word, double threshold, std::vector<std::string>& said) {
  std::map<std::size_t, Trends> by_file;
  for (const Trend* const t : some) by_file[t->since].push_back(t);
  for (const auto& [file, trends] : by_file) {
    const Trend& most = word == "slower" ? *trends.front() : *trends.back();
    const double times = word == "slower" ? most.ratio() : 1 / most.ratio();
    said.push_back(fmt::format(
        "{} of {} {} by more than {:.3g}% since {}, most {}: {:.3g} times ({}).", trends.size(),
        show_plural(static_cast<Count>(all), "configuration"), word, 100 * threshold,
        file_text(history, file), place_of(most, history), times, p_text(most.p)));
  }
}

// What else differs, and where: "commit: abc, def from week6.jsonl on".
std::vector<std::string> other_changes(const History& history) {
  constexpr std::size_t kMostParts = 8;
  constexpr std::pair<const char*, std::string HistoryFile::*> kKeys[] = {
      {"CPU", &HistoryFile::cpu}, {"MPI", &HistoryFile::mpi}, {"commit", &HistoryFile::commit}};
  const std::vector<std::string> names = short_names(history.files);
  std::vector<std::string> said;
  for (const auto& [what, member] : kKeys) {
    std::map<std::string, std::string> latest;  // by host
    std::set<std::string> values;
    std::vector<std::string> parts;
    for (std::size_t i = 0; i < names.size(); ++i) {
      const std::string &host = history.files[i].host, &value = history.files[i].*member;
      if (value.empty() || value == latest[host]) continue;
      if (!latest[host].empty())
        parts.push_back(fmt::format("{} from {} on", value, names[i]));
      else
        parts.push_back(history.hosts > 1 ? fmt::format("{} on host {}", value, host) : value);
      latest[host] = value;
      values.insert(value);
    }
    if (values.size() < 2) continue;
    if (parts.size() > kMostParts) {
      parts.resize(kMostParts);
      parts.emplace_back("...");
    }
    said.push_back(fmt::format("The files differ in {}: {}.", what, fmt::join(parts, ", ")));
  }
  return said;
}

std::string hosts_sentence(const History& history) {
  std::set<std::string> hosts;
  for (const Trend& t : history.all) hosts.insert(t.host);
  for (const HistoryFile& file : history.files)
    if (!file.host.empty()) hosts.insert(file.host);
  return fmt::format("The files are of {}, {}: each host is compared with itself.",
                     show_plural(std::ssize(hosts), "host"), fmt::join(hosts, ", "));
}

}  // namespace

std::vector<std::string> sentences(const History& history, double threshold) {
  using Verdict = Trend::Verdict;
  std::vector<std::string> said;
  if (history.hosts > 1) said.push_back(hosts_sentence(history));
  for (std::string& text : other_changes(history)) said.push_back(std::move(text));
  const auto singles = static_cast<std::size_t>(std::count_if(
      history.all.begin(), history.all.end(), [](const Trend& t) { return !t.record.is_null(); }));
  const std::string all = show_plural(static_cast<Count>(singles), "configuration");
  for (const Trend* const t : with(history, Verdict::wrong, false))
    said.push_back(fmt::format("WRONG in the latest file: {}.", place_of(*t, history)));
  add_changes(history, with(history, Verdict::faster, false), singles, "faster", threshold, said);
  if (const Trends unsure = with(history, Verdict::unsure, false); !unsure.empty())
    said.push_back(
        fmt::format("{} of {} without a verdict, since a file has fewer than 6 runs and there are "
                    "fewer than 6 files: measure with a longer --time.",
                    unsure.size(), all));
  for (const Trend* const t : with(history, Verdict::faster, true))
    said.push_back(fmt::format("{}: faster, {:.3g} times since {} ({}).", place_of(*t, history),
                               1 / t->ratio(), file_text(history, t->since), p_text(t->p)));
  for (const Trend* const t : with(history, Verdict::slower, true))
    said.push_back(fmt::format("{}: slower, {:.3g} times since {} ({}).", place_of(*t, history),
                               t->ratio(), file_text(history, t->since), p_text(t->p)));
  const Trends slower = with(history, Verdict::slower, false);
  if (slower.empty())
    said.push_back(fmt::format("None of {} is slower by more than {:.3g}% for certain.", all,
                               100 * threshold));
  else
    add_changes(history, slower, singles, "slower", threshold, said);
  return said;
}

}  // namespace arlab::bench
