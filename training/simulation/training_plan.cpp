#include "training/simulation/training_plan.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/levels/group_levels.hpp"
#include "training/profiles/coded_tensor.hpp"
#include "training/simulation/to_owners.hpp"
#include "training/strategies/fragments.hpp"
#include "training/strategies/push_codes.hpp"

namespace arlab::training {
namespace {

constexpr Count kAfterWarmUp = 1'000'000;                    // a step
constexpr Count kAnnounced = 8, kHeader = 2, kPerSlice = 3;  // of a leader's message

std::string unsupported_levels(const TrainingPlan& plan) {
  if (!plan.groups)
    return "strategy " + std::string(plan.strategy->name) +
           " needs groups of ranks: give a number of ranks per group that divides " +
           std::to_string(plan.ranks) + ", or a topology that has groups";
  const bool even = plan.groups->even_size() > 0;  // else another algorithm is no remedy
  const Algorithm within = within_groups(*plan.algorithm), across = across_groups(*plan.algorithm);
  const std::pair<const Algorithm*, Collective> levels[] = {{&across, Collective::allreduce},
                                                            {&within, Collective::reduce_scatter},
                                                            {&within, Collective::all_gather}};
  for (const auto& [level, collective] : levels)
    if (const std::string why = unsupported(*level, plan.problem(collective, plan.ranks));
        !why.empty())
      return "strategy " + std::string(plan.strategy->name) + ": " + why +
             (even ? ": use algorithm ring" : "");
  return "";
}

void check_direct(const TrainingPlan& plan) {
  const std::string strategy = "strategy " + std::string(plan.strategy->name);
  if (plan.scheduler->name != GradientOptions{}.scheduler &&
      !(plan.strategy->staggers && plan.scheduler->offset))
    fail(Blame::usage, strategy + " does not use scheduler " + std::string(plan.scheduler->name) +
                           ": leave it out" + (plan.strategy->staggers ? ", or use stagger" : ""));
  const bool any = std::any_of(plan.layers.begin(), plan.layers.end(),
                               [](const Layer& l) { return l.elements > 0; });
  if (!any)
    fail(Blame::usage, strategy + " has no parameters to exchange: use strategy one_device");
  if (const std::string why = unsupported_compression(plan); !why.empty()) fail(Blame::usage, why);
}

// Gradients in pieces would leave several chunks on each rank.
std::string unsupported_segments(const TrainingPlan& plan) {
  const bool halves = plan.scheduler->halves && plan.strategy->schedules;
  if (plan.segments == 1 || !(halves || plan.strategy->sharded)) return "";
  return (halves ? "scheduler " + std::string(plan.scheduler->name)
                 : "strategy " + std::string(plan.strategy->name)) +
         " needs reduce_scatter and all_gather, which do not work in " +
         std::to_string(plan.segments) + " segments: use 1 segment";
}

// The tensors of each code.
std::vector<TensorShapes> coded_units(const TrainingPlan& plan, const Bundle& bundle) {
  const CompressorKind& kind = *plan.compression->choice.kind;
  const bool whole = plan.scheduler->same_everywhere && !plan.scheduler->needs_times;
  std::vector<TensorShapes> units;
  for (const Slice& slice : bundle.slices) {
    if (slice.elements == 0) continue;
    if (!whole || units.empty()) units.emplace_back();
    const Count n = elements_in(slice.elements, plan.gradient_bytes);
    const Count of_layer = plan.layers[static_cast<std::size_t>(slice.layer)].elements;
    units.back().push_back(slice.elements == of_layer ? shape_of(n, kind) : Matrix{1, n});
  }
  return units;
}

// The bytes of the codes of all chunks, each with a header of its own.
Count codes_of_chunks(const TrainingPlan::Compression& c, Count elements, Rank ranks) {
  const Blocks chunks(elements, ranks);
  const auto code = [&](Count n) {
    return *c.choice.kind->packed(flat(n), c.choice, c.aggregation, kAfterWarmUp);
  };
  return chunks.remainder * code(chunks.quotient + 1) +
         (ranks - chunks.remainder) * code(chunks.quotient);
}

}  // namespace

Time coding_of(const std::vector<Transmission>& parts) {
  Time all{};
  for (const Transmission& t : parts) all += t.codec.value_or(Time{});
  return all;
}

const Algorithm& algorithm_of(const TrainingPlan& plan, Carrier carrier) {
  if (carrier == Carrier::tree) return find_algorithm("tree");
  return carrier == Carrier::to_owners ? to_owners() : *plan.algorithm;
}

std::vector<Collective> collectives_of(const TrainingPlan& plan) {
  std::vector<Collective> all = plan.strategy->collectives;
  if (plan.scheduler->halves && plan.strategy->schedules)
    all = {Collective::reduce_scatter, Collective::all_gather};
  if (plan.compression && plan.compression->aggregation != Aggregation::allreduce)
    all.push_back(Collective::all_gather);
  return all;
}

std::string unsupported_algorithm(const TrainingPlan& plan) {
  if (plan.ranks == 1 || plan.strategy->direct) return "";
  if (std::string why = unsupported_segments(plan); !why.empty()) return why;
  if (plan.strategy->grouped) return unsupported_levels(plan);
  const auto why_not = [&](const Algorithm& algorithm) -> std::string {
    for (const Collective collective : collectives_of(plan))
      if (std::string why = unsupported(algorithm, plan.problem(collective, plan.ranks));
          !why.empty())
        return why;
    return "";
  };
  const std::string why = why_not(*plan.algorithm);
  if (why.empty()) return "";
  std::string others;
  for (const char* name : {"ring", "tree"})
    if (why_not(find_algorithm(name)).empty())
      others += (others.empty() ? ": use algorithm " : " or ") + std::string(name);
  return why + others;
}

std::string unsupported_compression(const TrainingPlan& plan) {
  if (!plan.compression) return "";
  if (!plan.strategy->compresses)
    return "strategy " + std::string(plan.strategy->name) +
           " does not use a compressor: use mirrored";
  if (plan.strategy->direct)
    return PushCodes::unsupported_reason({.compressor = plan.compression->choice});
  const CompressorKind& kind = *plan.compression->choice.kind;
  const std::string name = "compressor " + std::string(kind.name);
  if (plan.scheduler->halves)
    return "scheduler " + std::string(plan.scheduler->name) +
           " splits an allreduce into halves, and the codes of " + name +
           " cannot be split: use scheduler buckets";
  if (!kind.packed(flat(kAfterWarmUp), plan.compression->choice, plan.compression->aggregation,
                   kAfterWarmUp))
    return "the size of the codes of " + name +
           " depends on the gradient, which a simulation does not have: use another compressor, or "
           "backend virtual";
  return "";
}

void check(const TrainingPlan& plan) {
  expects(plan.strategy && plan.scheduler && plan.algorithm, "the plan is incomplete");
  check(plan.layers);
  const std::string strategy(plan.strategy->name);
  with_defaults(plan.strategy->parameters, plan.values, "strategy " + strategy);  // or throws
  if (plan.strategy->has_servers ? plan.servers < 1 || plan.workers() < 1 : plan.servers != 0)
    fail(Blame::usage,
         "strategy " + strategy + " has " + std::to_string(plan.servers) + " servers and " +
             std::to_string(plan.workers()) +
             " workers: use at least 1 of each with parameter servers, else no server");
  if (plan.strategy->alone && plan.ranks != 1)
    fail(Blame::usage, "strategy " + strategy + " supports 1 worker, not " +
                           std::to_string(plan.ranks) + ": use mirrored");
  if (plan.compression && !plan.strategy->compresses)
    fail(Blame::usage, unsupported_compression(plan));
  if (static_cast<Rank>(plan.slowdown.size()) > plan.workers())
    fail(Blame::usage, std::to_string(plan.slowdown.size()) + " slowdown factors for " +
                           std::to_string(plan.workers()) +
                           (plan.servers > 0 ? " workers" : " ranks") + ": leave some out");
  if (plan.strategy->direct) return check_direct(plan);
  if (plan.strategy->periodic)
    if (const std::string why =
            refuse_fragments(plan.parameter("fragments", 1), static_cast<Count>(plan.layers.size()),
                             plan.parameter("delay"), plan.parameter("every"));
        !why.empty())
      fail(Blame::usage, why);
  if (plan.strategy->schedules)
    make_scheduler(*plan.scheduler, plan.layers, {}, plan.scheduling);  // or throws
  if (const std::string why = unsupported_algorithm(plan); !why.empty()) fail(Blame::usage, why);
  if (const std::string why = unsupported_compression(plan); !why.empty()) fail(Blame::usage, why);
}

std::vector<Bundle> outer_bundles(const TrainingPlan& plan, Count steps) {
  const Count number = plan.parameter("fragments", 1), every = plan.parameter("every");
  std::vector<Count> elements;
  for (const Layer& layer : plan.layers) elements.push_back(layer.elements);
  const std::vector<VariableRange> fragments = cut_into_fragments(elements, number);
  std::vector<Bundle> due;
  for (Count f = 0; f < number; ++f) {
    if (!is_due(steps, f, number, every)) continue;
    Bundle& bundle = due.emplace_back(Bundle{Collective::allreduce, {}});
    const VariableRange& range = fragments[static_cast<std::size_t>(f)];
    for (std::size_t l = range.first; l < range.end; ++l)
      bundle.slices.push_back({static_cast<int>(l), 0, plan.layers[l].elements});
  }
  return due;
}

std::vector<Transmission> transmissions_of(const TrainingPlan& plan, const Bundle& bundle) {
  if (!plan.compression) return {{.collective = bundle.collective, .elements = bundle.elements()}};
  const TrainingPlan::Compression& c = *plan.compression;
  std::vector<Transmission> all;
  for (const TensorShapes& unit : coded_units(plan, bundle)) {
    const Count n = elements(unit);
    const double decodes = c.aggregation == Aggregation::allreduce    ? 1
                           : c.aggregation == Aggregation::requantize ? 2
                                                                      : plan.ranks;
    const Time codec = to_time(static_cast<double>(n) *
                               (c.codec.encode + decodes * c.codec.decode) * kPicosecondsPerSecond);
    if (c.aggregation == Aggregation::requantize) {
      const Count codes = codes_of_chunks(c, n, plan.ranks);
      all.push_back({codec, Collective::reduce_scatter, codes, 1, Carrier::to_owners});
      all.push_back({{}, Collective::all_gather, codes, 1, Carrier::codes});
      continue;
    }
    const Count code = *c.choice.kind->packed(c.choice.kind->matrices ? unit : flat(n), c.choice,
                                              c.aggregation, kAfterWarmUp);
    if (c.aggregation == Aggregation::allreduce)
      all.push_back({codec, Collective::allreduce, code, 1, Carrier::codes});
    else
      all.push_back({codec, Collective::all_gather, code * plan.ranks, 1, Carrier::codes});
  }
  return all;
}

std::vector<Transmission> announcements_of(const TrainingPlan& plan, const Bundle& bundle) {
  if (plan.scheduler->same_everywhere || plan.ranks == 1) return {};
  const auto broadcast = [](Count words) {
    constexpr Bytes kWord = 8;
    return Transmission{{}, Collective::broadcast, words, kWord, Carrier::tree};
  };
  const auto slices = static_cast<Count>(bundle.slices.size());
  std::vector<Transmission> all{broadcast(kHeader + kPerSlice * kAnnounced)};
  if (slices > kAnnounced) all.push_back(broadcast(kPerSlice * (slices - kAnnounced)));
  return all;
}

}  // namespace arlab::training
