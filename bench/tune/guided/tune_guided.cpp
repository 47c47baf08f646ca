#include "bench/tune/guided/tune_guided.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <set>

#include "algorithms/base/error.hpp"
#include "bench/cli/say.hpp"
#include "bench/cli/topology_options.hpp"
#include "bench/cli/units.hpp"
#include "bench/tune/guided/corrected.hpp"
#include "bench/tune/guided/gap_error.hpp"

namespace arlab::bench {
namespace {

bool is_library_name(const std::string& name) { return name.starts_with("native"); }

// One run of a guided tuning.
class Guided {
 public:
  Guided(const TuneOptions& options, const TemporaryFolder& folder)
      : options_(options), folder_(folder), all_(whole_sweep(options)) {
    // Names may be lists: ring,tree.
    for (const std::string& name : split_specs(all_.names))
      (is_library_name(name) ? library_ : catalog_).push_back(name);
    if (catalog_.empty())
      fail(Blame::usage, "a model predicts algorithms of the catalog only: name some of them");
  }

  GuidedTuning run() {
    CellBuilder predictions;
    simulate_into(options_, {catalog_, all_.segments, all_.elements}, folder_, predictions);
    predicted_ = predictions.cells();
    for (const Rank ranks : options_.sweep.parsed_ranks()) measure(ranks, all_.names, sample());
    sampled_ = measured_.cells();
    leave_out_unmeasured();
    result_.model_error = result_.error = gap_error(predicted_, sampled_);
    const std::vector<TuneCell> between = corrected_by_others(predicted_, sampled_);
    if (!between.empty()) result_.error = gap_error(between, sampled_);
    predicted_ = corrected(std::move(predicted_), sampled_);
    decisions_ = decide(sampled_, "native", [](const TunedChoice&) { return true; });
    for (const Rank ranks : options_.sweep.parsed_ranks()) decide_rest(ranks);
    finish();
    return std::move(result_);
  }

 private:
  using Steady = std::chrono::steady_clock;

  // The smallest, the middle and the largest size.
  std::vector<Count> sample() const {
    std::vector<Count> sizes = all_.elements;
    std::sort(sizes.begin(), sizes.end());
    sizes.erase(std::unique(sizes.begin(), sizes.end()), sizes.end());
    if (sizes.size() <= 3) return sizes;
    return {sizes.front(), sizes[sizes.size() / 2], sizes.back()};
  }

  void measure(Rank ranks, const std::vector<std::string>& names,
               const std::vector<Count>& elements) {
    say("measuring {} on {} ranks\n", show_plural(std::ssize(elements), "size"), ranks);
    const Steady::time_point start = Steady::now();
    measure_into(options_, ranks, {names, all_.segments, elements}, folder_, measured_);
    result_.seconds += std::chrono::duration<double>(Steady::now() - start).count();
  }

  // A model may have what a run has not, such as the trees of a network: what was measured at no size
  // cannot be chosen.
  void leave_out_unmeasured() {
    for (TuneCell& cell : predicted_) {
      std::erase_if(cell.candidates, [&](const TuneCandidate& candidate) {
        return std::none_of(sampled_.begin(), sampled_.end(), [&](const TuneCell& sampled) {
          return sampled.ranks == cell.ranks && candidate_of(sampled, candidate.choice);
        });
      });
      if (cell.candidates.empty())
        fail(Blame::usage,
             fmt::format("no candidate that the model predicts ran on {}: name others",
                         show_plural(cell.ranks, "rank")));
    }
  }

  // Sizes with the same contenders share a job.
  void decide_rest(Rank ranks) {
    const std::vector<Count> known = sample();
    std::map<std::vector<std::string>, std::vector<Count>> jobs;
    for (const TuneCell& cell : predicted_) {
      if (cell.ranks != ranks ||
          std::find(known.begin(), known.end(), cell.elements) != known.end())
        continue;
      const std::vector<TunedChoice> unsure = contenders(cell, result_.error);
      if (unsure.size() == 1 && library_.empty() && default_is_beaten(sampled_, decisions_, cell))
        continue;
      std::set<std::string> names(library_.begin(), library_.end());
      for (const TunedChoice& choice : unsure) names.insert(choice.algorithm);
      jobs[{names.begin(), names.end()}].push_back(cell.elements);
    }
    for (const auto& [names, elements] : jobs) measure(ranks, names, elements);
  }

  // A cell has its measured candidates, or else the predicted ones.
  void finish() {
    const std::vector<TuneCell> measured = measured_.cells();
    for (const TuneCell& cell : predicted_) {
      const TuneCell* const its = cell_at(measured, cell);
      result_.cells.push_back(its ? *its : cell);
      result_.simulated_only += its ? 0 : 1;
      result_.total += cell.candidates.size();
      for (const TuneCandidate& candidate : cell.candidates) {
        if (its && candidate_of(*its, candidate.choice))
          ++result_.measured;
        else
          result_.saved_seconds += options_.runs * candidate.median_us / 1e6;
      }
    }
  }

  const TuneOptions& options_;
  const TemporaryFolder& folder_;
  const JobSpec all_;
  std::vector<std::string> catalog_, library_;
  std::vector<TuneCell> predicted_;
  CellBuilder measured_;
  std::vector<TuneCell> sampled_;
  std::vector<std::optional<TuneDecision>> decisions_;  // of the sampled cells
  GuidedTuning result_;
};

}  // namespace

std::string summary_of(const GuidedTuning& t) {
  const auto cells = static_cast<Count>(t.cells.size());
  return fmt::format(
      "the error of a gap between two candidates is {:.0f}% by the model, and {:.0f}% corrected by "
      "measured sizes (90% of the gaps); {} of {} simulated only, {} measured, with {} of {} "
      "candidates; measured for {:.1f} s, about {:.1f} s saved\n",
      100 * (std::exp(t.model_error) - 1), 100 * (std::exp(t.error) - 1), t.simulated_only,
      show_plural(cells, "cell"), t.cells.size() - t.simulated_only, t.measured, t.total, t.seconds,
      t.saved_seconds);
}

GuidedTuning tune_guided(const TuneOptions& options, const TemporaryFolder& folder) {
  return Guided(options, folder).run();
}

}  // namespace arlab::bench
