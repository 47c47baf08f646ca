#include "bench/measure/verdicts.hpp"

#include <cstddef>
#include <map>
#include <tuple>

#include "bench/measure/rank_sum.hpp"

namespace arlab::bench {
namespace {

constexpr double kSignificant = 0.05;

// The problem and mode of a record: what its competitors share.
auto contest_of(const Record& r) {
  const Problem& p = r.problem;
  return std::tuple(p.collective, p.ranks, p.elements, p.root, r.operand.dtype, r.operand.op,
                    r.as<RunBody>().mode);
}

bool is_measured(const Record& r) {
  return std::holds_alternative<RunBody>(r.body) && r.as<RunBody>().time_us.has_value();
}

}  // namespace

void compare_with_fastest(std::vector<Record>& records, const std::vector<Measurement>& measured) {
  std::map<decltype(contest_of(records.front())), std::vector<std::size_t>> contests;
  for (std::size_t i = 0; i < records.size(); ++i) contests[contest_of(records[i])].push_back(i);
  for (const auto& [contest, members] : contests) {
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
  std::vector<double> p;
  std::vector<Record*> tested;
  for (Record& r : table)
    if (is_measured(r) && r.as<RunBody>().rank_sum_p) {
      p.push_back(*r.as<RunBody>().rank_sum_p);
      tested.push_back(&r);
    }
  const std::vector<double> corrected = holm_corrected(p);
  struct Contest {
    bool tied = false, undecided = false;
  };
  std::map<decltype(contest_of(table.front())), Contest> contests;
  for (std::size_t i = 0; i < tested.size(); ++i) {
    RunBody& body = tested[i]->as<RunBody>();
    Contest& its = contests[contest_of(*tested[i])];
    // Even the clearest difference would not be significant among this many comparisons.
    const bool hopeless = body.least_rank_sum_p * static_cast<double>(p.size()) >= kSignificant;
    const bool slower = corrected[i] < kSignificant;
    body.verdict = slower ? "slower" : hopeless ? "not enough runs" : "tie";
    if (!slower) (hopeless ? its.undecided : its.tied) = true;
  }
  for (Record& r : table) {
    if (!is_measured(r) || r.as<RunBody>().rank_sum_p) continue;
    const auto found = contests.find(contest_of(r));
    if (found == contests.end()) continue;
    r.as<RunBody>().verdict = found->second.undecided ? "not enough runs"
                              : found->second.tied    ? "tie"
                                                      : "fastest";
  }
}

}  // namespace arlab::bench
