#include "bench/hunt/hunt_changes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "algorithms/base/error.hpp"
#include "bench/hunt/hunt_names.hpp"
#include "bench/hunt/search/ranks.hpp"
#include "bench/text/table.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {
namespace {

using Names = std::vector<std::string>;

constexpr const char* kUsual = "usual";

Names hosts_of(const Json& hunt) { return hunt.at("hosts").get<Names>(); }

bool are_distinct(const Names& hosts, std::size_t ranks) {
  return hosts.size() == ranks && std::set(hosts.begin(), hosts.end()).size() == ranks;
}

// What identifies the ranks of both hunts.
struct Identified {
  Names then, now;
};

Identified identified(const HuntFile& file, const Json& now) {
  const auto then_ranks = file.record.at("ranks").get<std::size_t>(),
             now_ranks = now.at("ranks").get<std::size_t>();
  const Names then_hosts = hosts_of(file.record), now_hosts = hosts_of(now);
  if (are_distinct(then_hosts, then_ranks) && are_distinct(now_hosts, now_ranks))
    return {then_hosts, now_hosts};
  if (then_ranks != now_ranks)
    fail(Blame::usage, fmt::format("the hunt in {} is of {} ranks, this one of {}, and hosts do "
                                   "not tell which are the same: hunt with as many",
                                   file.path, then_ranks, now_ranks));
  Names numbers;
  for (std::size_t r = 0; r < now_ranks; ++r) numbers.push_back(fmt::to_string(r));
  return {numbers, numbers};
}

std::set<std::string> named(const std::vector<Rank>& ranks, const Names& names) {
  std::set<std::string> all;
  for (const Rank r : ranks)
    if (r >= 0 && index(r) < names.size()) all.insert(names[index(r)]);
  return all;
}

// Groups of pairs are found by a sample of them: one rank in common is enough.
bool is_same(const hunt::Finding& a, const Names& a_names, const hunt::Finding& b,
             const Names& b_names) {
  if (a.place != b.place || a.quantity != b.quantity) return false;
  const std::set<std::string> near = named(a.ranks, a_names), others = named(b.ranks, b_names);
  if (a.place != hunt::Place::group)
    return near == others && named(a.others, a_names) == named(b.others, b_names);
  return std::any_of(near.begin(), near.end(),
                     [&](const std::string& one) { return others.contains(one); });
}

HuntChange change_of(const hunt::Finding& f, const Names& hosts) {
  return {.place = place_text(f, hosts),
          .what = std::string(name(f.place)),
          .by = std::string(name(f.quantity))};
}

void add_findings(const HuntFile& then, const Json& now, const Identified& ids,
                  std::vector<HuntChange>& all) {
  const std::vector<hunt::Finding> before = findings_of(then.record), after = findings_of(now);
  std::vector<bool> is_still(before.size());
  for (const hunt::Finding& f : after) {
    HuntChange change = change_of(f, hosts_of(now));
    change.now = f.times;
    for (std::size_t i = 0; i < before.size(); ++i)
      if (!is_still[i] && is_same(before[i], ids.then, f, ids.now)) {
        is_still[i] = true;
        change.then = before[i].times;
        break;
      }
    all.push_back(std::move(change));
  }
  for (std::size_t i = 0; i < before.size(); ++i)
    if (!is_still[i]) {
      HuntChange change = change_of(before[i], hosts_of(then.record));
      change.then = before[i].times;
      all.push_back(std::move(change));
    }
}

// What all ranks together take longer or shorter, by more than their measurements differ.
void add_usual(const HuntFile& then, const Json& now, std::vector<HuntChange>& all) {
  for (const hunt::Quantity quantity : hunt::kQuantities) {
    const std::string by(name(quantity));
    const Json &before = then.record.at("measured"), &after = now.at("measured");
    if (!before.contains(by) || !after.contains(by)) continue;
    double times = after[by].at("usual_us").get<double>() / before[by].at("usual_us").get<double>();
    if (quantity == hunt::Quantity::bandwidth)  // of a message that may have another size
      times *= then.record.at("bytes").get<double>() / now.at("bytes").get<double>();
    const double spread =
        after[by].at("spread").get<double>() + before[by].at("spread").get<double>();
    const double least = hunt::least_factor(quantity) + spread;
    if (times > least || times < 1 / least)
      all.push_back({.place = "all ranks", .what = kUsual, .by = by, .now = times});
  }
}

bool is_new(const HuntChange& c) { return c.what != kUsual && c.then == 1; }
bool is_gone(const HuntChange& c) { return c.what != kUsual && c.now == 1; }

std::string times_text(double times) {
  return times == 1 ? "usual" : fmt::format("{:.2f}x", times);
}

}  // namespace

bool HuntChanges::is_slower() const {
  return std::any_of(all.begin(), all.end(),
                     [](const HuntChange& c) { return c.what == kUsual && c.now > 1; });
}

HuntChanges hunt_changes(const HuntFile& then, const Json& now) {
  const Identified ids = identified(then, now);
  HuntChanges changes;
  const std::string verdict = now.at("verdict").get<std::string>();
  changes.is_comparable = verdict == name(hunt::Verdict::slow) || verdict == "quiet";
  if (!changes.is_comparable) return changes;
  add_usual(then, now, changes.all);
  add_findings(then, now, ids, changes.all);
  return changes;
}

std::string changes_text(const HuntChanges& changes, const HuntFile& then) {
  const std::string since =
      then.date.empty() ? then.path : fmt::format("{} ({})", then.path, then.date);
  if (!changes.is_comparable)
    return fmt::format("What changed since {} cannot be told, either.\n", since);
  if (changes.all.empty())
    return fmt::format("Nothing was slow in {}, and nothing is now.\n", since);
  std::vector<std::vector<std::string>> rows;
  Count fresh = 0, gone = 0, still = 0;
  for (const HuntChange& c : changes.all) {
    rows.push_back({c.place, c.what, c.by, times_text(c.then), times_text(c.now)});
    fresh += is_new(c) ? 1 : 0;
    gone += is_gone(c) ? 1 : 0;
    still += c.what != kUsual && !is_new(c) && !is_gone(c) ? 1 : 0;
  }
  std::string text = fmt::format("Since {}:\n{}", since,
                                 markdown({"place", "what", "by", "time then", "time now"}, rows));
  text += fmt::format("\nSlow since then: {}; no longer: {}; as before: {}.\n", fresh, gone, still);
  for (const HuntChange& c : changes.all)
    if (c.what == kUsual)
      text += fmt::format("The {} of all ranks takes {:.2f} times as long as then.\n",
                          c.by == "bandwidth" ? "large message" : c.by, c.now);
  return text;
}

Json changes_json(const HuntChanges& changes, const HuntFile& then) {
  Json all = Json::array();
  for (const HuntChange& c : changes.all)
    all.push_back(
        {{"place", c.place}, {"what", c.what}, {"by", c.by}, {"then", c.then}, {"now", c.now}});
  return {{"file", then.path},
          {"date", text_or_null(then.date)},
          {"comparable", changes.is_comparable},
          {"changes", std::move(all)}};
}

}  // namespace arlab::bench
