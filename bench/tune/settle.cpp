#include "bench/tune/settle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

#include "bench/results/statistics.hpp"
#include "bench/text/say.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {
namespace {

constexpr int kMostSettling = 3;

std::vector<Contest> contests_of_all(const std::vector<Decide>& deciders,
                                     const std::vector<TuneCell>& cells) {
  std::vector<Contest> all;
  for (const Decide& decide : deciders)
    for (const Contest& contest : contests(decide(cells))) add_once(all, contest);
  return all;
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
    add_once(job.elements, cell.elements);
  }
  return jobs;
}

std::vector<TuneCell> measured_again(const TuneOptions& options,
                                     const std::vector<Contest>& contests,
                                     const TemporaryFolder& folder,
                                     const std::vector<TuneCell>& cells) {
  CellBuilder builder;
  for (const auto& [ranks, job] : jobs_of(contests, cells))
    measure_into(options, ranks, job, folder, builder);
  return builder.cells();
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
  for (TuneCell& cell : cells)
    if (const TuneCell* const measured = cell_at(more, cell))
      for (TuneCandidate& candidate : cell.candidates)
        if (const TuneCandidate* const again = candidate_of(*measured, candidate.choice)) {
          candidate.samples_us.insert(candidate.samples_us.end(), again->samples_us.begin(),
                                      again->samples_us.end());
          candidate.median_us = summarize(candidate.samples_us).median;
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
    add_samples(cells, measured_again(more, open, folder, cells));
  }
}

std::vector<Contest> replacements(const std::vector<std::optional<TuneDecision>>& decisions) {
  std::vector<Contest> all;
  for (std::size_t i = 0; i < decisions.size(); ++i) {
    if (!decisions[i] || !decisions[i]->usual) continue;
    const TuneCandidate &best = decisions[i]->best, &usual = *decisions[i]->usual;
    if (best.choice != usual.choice && !best.samples_us.empty())
      all.push_back({i, best.choice, usual.choice});
  }
  return all;
}

void refute(std::vector<TuneCell>& cells, const std::vector<Contest>& asked,
            const std::vector<TuneCell>& again, const Decide& decide) {
  std::vector<TuneCell> pairs;
  for (const Contest& contest : asked) {
    TuneCell pair = cells[contest.cell];
    const TuneCell* const found = cell_at(again, pair);
    pair.candidates.clear();
    for (const TunedChoice* choice : {&contest.choice, &contest.faster})
      if (const TuneCandidate* const its = found ? candidate_of(*found, *choice) : nullptr)
        pair.candidates.push_back(*its);
    pairs.push_back(std::move(pair));
  }
  const auto decisions = decide(pairs);
  for (std::size_t i = 0; i < asked.size(); ++i)
    for (TuneCandidate& candidate : cells[asked[i].cell].candidates)
      if (candidate.choice == asked[i].choice)
        candidate.refuted = !decisions[i] || decisions[i]->best.choice != asked[i].choice;
}

void confirm(const TuneOptions& options, const std::vector<Decide>& deciders,
             const TemporaryFolder& folder, std::vector<TuneCell>& cells) {
  if (options.runs < kFewRuns) return;
  for (const Decide& decide : deciders) {
    std::vector<Contest> won;
    for (;;) {
      std::vector<Contest> open = replacements(decide(cells));
      std::erase_if(open, [&](const Contest& contest) {
        return std::find(won.begin(), won.end(), contest) != won.end();
      });
      if (open.empty()) break;
      say("measuring {} again, where a choice replaces the default\n",
          show_plural(std::ssize(open), "cell"));
      won.insert(won.end(), open.begin(), open.end());
      // A choice at a time, so that none is measured in the sizes of others.
      while (!open.empty()) {
        const TunedChoice choice = open.front().choice;
        std::vector<Contest> its;
        std::copy_if(open.begin(), open.end(), std::back_inserter(its),
                     [&](const Contest& contest) { return contest.choice == choice; });
        std::erase_if(open, [&](const Contest& contest) { return contest.choice == choice; });
        refute(cells, its, measured_again(options, its, folder, cells), decide);
      }
    }
  }
}

}  // namespace arlab::bench
