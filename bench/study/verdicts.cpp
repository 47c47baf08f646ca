#include "bench/study/verdicts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <tuple>

#include "bench/study/rank_sum.hpp"
#include "bench/study/standings.hpp"

namespace arlab::bench {
namespace {

// The problem and mode of a record: what its competitors share.
auto contest_of(const Record& r) {
  const Problem& p = r.problem;
  return std::tuple(p.collective, p.ranks, p.elements, p.root, r.operand.dtype, r.operand.op,
                    r.as<RunBody>().mode);
}

bool is_measured(const Record& r) {
  return std::holds_alternative<RunBody>(r.body) && r.as<RunBody>().time_us.has_value();
}

// The library's own collective, not one of its algorithms, whose names have a colon.
bool is_library(const Record& r) {
  return r.family == "native" && r.algorithm.find(':') == std::string::npos;
}

void compare_with_library(std::vector<Record>& records, const std::vector<Measurement>& measured,
                          const std::vector<std::size_t>& members) {
  const auto library = std::find_if(members.begin(), members.end(),
                                    [&](std::size_t i) { return is_library(records[i]); });
  if (library == members.end()) return;
  const Measurement& its = measured[*library];
  for (const std::size_t i : members) {
    RunBody& body = records[i].as<RunBody>();
    body.library = records[*library].algorithm;
    if (measured[i].time_us.median > 0)
      body.library_ratio = its.time_us.median / measured[i].time_us.median;
    if (i == *library) continue;
    const auto &a = its.samples_us, &b = measured[i].samples_us;
    body.library_rank_sum_p = rank_sum_p(a, b);
    body.least_library_p = least_rank_sum_p(a.size(), b.size());
  }
}

std::string beside_library(Standing standing, double ratio) {
  if (standing == Standing::undecided) return text_of(standing, "runs");
  if (standing == Standing::tie) return "no difference";
  return ratio >= 1 ? fmt::format("{:.3g}x faster", ratio)
                    : fmt::format("{:.3g}x slower", 1 / ratio);
}

// What a table says beside the library's own collective.
void decide_beside_library(std::vector<Record>& table) {
  std::vector<FastestTest> tests;
  std::vector<RunBody*> tested;
  for (Record& r : table) {
    if (!is_measured(r) || !r.as<RunBody>().library) continue;
    RunBody& body = r.as<RunBody>();
    if (!body.library_rank_sum_p) body.beside_library = "baseline";
    if (!body.library_rank_sum_p || !body.library_ratio) continue;
    tests.push_back({0, *body.library_rank_sum_p, body.least_library_p});
    tested.push_back(&body);
  }
  const Standings standings = standings_of(tests);
  for (std::size_t i = 0; i < tested.size(); ++i)
    tested[i]->beside_library = beside_library(standings.tested[i], *tested[i]->library_ratio);
}

}  // namespace

void compare_with_fastest(std::vector<Record>& records, const std::vector<Measurement>& measured) {
  std::map<decltype(contest_of(records.front())), std::vector<std::size_t>> contests;
  for (std::size_t i = 0; i < records.size(); ++i) contests[contest_of(records[i])].push_back(i);
  for (const auto& [contest, members] : contests) {
    compare_with_library(records, measured, members);
    std::size_t best = members.front();
    for (const std::size_t i : members)
      if (measured[i].time_us.median < measured[best].time_us.median) best = i;
    for (const std::size_t i : members) {
      if (i == best) continue;
      const auto &a = measured[best].samples_us, &b = measured[i].samples_us;
      records[i].as<RunBody>().rank_sum_p = rank_sum_p(a, b);
      records[i].as<RunBody>().least_rank_sum_p = least_rank_sum_p(a.size(), b.size());
    }
  }
}

void decide_verdicts(std::vector<Record>& table) {
  std::map<decltype(contest_of(table.front())), std::size_t> numbers;
  std::vector<FastestTest> tests;
  std::vector<RunBody*> tested;
  for (Record& r : table) {
    if (!is_measured(r) || !r.as<RunBody>().rank_sum_p) continue;
    RunBody& body = r.as<RunBody>();
    const std::size_t contest = numbers.try_emplace(contest_of(r), numbers.size()).first->second;
    tests.push_back({contest, *body.rank_sum_p, body.least_rank_sum_p});
    tested.push_back(&body);
  }
  const Standings standings = standings_of(tests);
  for (std::size_t i = 0; i < tested.size(); ++i)
    tested[i]->verdict = text_of(standings.tested[i], "runs");
  for (Record& r : table) {
    if (!is_measured(r) || r.as<RunBody>().rank_sum_p) continue;
    if (const auto found = numbers.find(contest_of(r)); found != numbers.end())
      r.as<RunBody>().verdict = text_of(standings.fastest[found->second], "runs");
  }
  decide_beside_library(table);
}

}  // namespace arlab::bench
