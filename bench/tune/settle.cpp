#include "bench/tune/settle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "bench/cli/say.hpp"
#include "bench/cli/units.hpp"
#include "bench/results/statistics.hpp"

namespace arlab::bench {
namespace {

constexpr int kMostSettling = 3;

std::vector<Contest> contests_of_all(const std::vector<Decide>& deciders,
                                     const std::vector<TuneCell>& cells) {
  std::vector<Contest> all;
  for (const Decide& decide : deciders)
    for (Contest& contest : contests(decide(cells)))
      if (std::find(all.begin(), all.end(), contest) == all.end())
        all.push_back(std::move(contest));
  return all;
}

void add_once(std::vector<std::string>& all, const std::string& one) {
  if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
}

// One job for each number of ranks: all candidates of its contests, in all their sizes.
std::map<Rank, JobSpec> jobs_of(const std::vector<Contest>& contests,
                                const std::vector<TuneCell>& cells) {
  std::map<Rank, JobSpec> jobs;
  for (const Contest& contest : contests) {
    const TuneCell& cell = cells[contest.cell];
    JobSpec& job = jobs[cell.ranks];
    for (const TunedChoice* choice : {&contest.choice, &contest.faster}) {
      add_once(job.names, choice->algorithm);
      add_once(job.segments, fmt::to_string(choice->segments));
    }
    if (std::find(job.elements.begin(), job.elements.end(), cell.elements) == job.elements.end())
      job.elements.push_back(cell.elements);
  }
  return jobs;
}

}  // namespace

std::vector<Contest> contests(const std::vector<std::optional<TuneDecision>>& decisions) {
  std::vector<Contest> all;
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    if (!decisions[i] || !decisions[i]->fastest) continue;
    const TuneCandidate &best = decisions[i]->best, &fastest = *decisions[i]->fastest;
    if (best.samples_us.empty() || fastest.samples_us.empty()) continue;
    if (best.median_us > (1 + kClose) * fastest.median_us)
      all.push_back({i, best.choice, fastest.choice});
  }
  return all;
}

void add_samples(std::vector<TuneCell>& cells, const std::vector<TuneCell>& more) {
  for (const TuneCell& measured : more)
    for (TuneCell& cell : cells) {
      if (cell.ranks != measured.ranks || cell.bytes != measured.bytes) continue;
      for (const TuneCandidate& again : measured.candidates)
        for (TuneCandidate& candidate : cell.candidates) {
          if (candidate.choice != again.choice) continue;
          candidate.samples_us.insert(candidate.samples_us.end(), again.samples_us.begin(),
                                      again.samples_us.end());
          candidate.median_us = summarize(candidate.samples_us).median;
        }
    }
}

void settle(const TuneOptions& options, const std::vector<Decide>& deciders,
            const TemporaryFolder& folder, std::vector<TuneCell>& cells) {
  TuneOptions more = options;
  if (options.runs < kFewRuns) return;
  for (int round = 0; round < kMostSettling; ++round) {
    const std::vector<Contest> open = contests_of_all(deciders, cells);
    if (open.empty()) return;
    more.runs *= 2;
    say("measuring {} again, where the choice may be slower by chance\n",
        show_plural(std::ssize(open), "cell"));
    CellBuilder builder;
    for (const auto& [ranks, job] : jobs_of(open, cells))
      measure_into(more, ranks, job, folder, builder);
    add_samples(cells, builder.cells());
  }
}

}  // namespace arlab::bench
