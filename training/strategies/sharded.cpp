#include "training/strategies/sharded.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "algorithms/base/error.hpp"
#include "training/strategies/free_pages.hpp"

namespace arlab::training {
namespace {

// Elements [begin, begin + elements) of the flat vectors.
struct FlatRange {
  Count begin = 0, elements = 0;

  std::span<float> of(std::span<float> flat) const {
    return flat.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(elements));
  }
};

// Neighboring variables that are exchanged together.
struct ShardUnit {
  FlatRange all;
  std::vector<FlatRange> own;  // what this rank updates
  std::size_t variables = 0;
  std::size_t incomplete = 0;                // variables without a complete gradient in this step
  std::optional<Exchange::Ticket> exchange;  // in progress
};

// Units whose gradients are exchanged while the backward pass continues, where gradients are freed:
// enough to keep the network busy.
constexpr std::size_t kInProgress = 2;

class Sharded final : public Strategy {
 public:
  Sharded(const StrategyContext& context, bool frees_gradients)
      : s_(context), frees_(frees_gradients) {
    for (const Variable& v : s_.parameters.variables()) {
      if (units_.empty() ||
          units_.back().all.elements * static_cast<Count>(sizeof(float)) >= s_.options.unit)
        units_.push_back({.all = {v.offset, 0}, .own = {}, .exchange = {}});
      units_.back().all.elements += v.elements;
      ++units_.back().variables;
      unit_of_.push_back(units_.size() - 1);
    }
    for (ShardUnit& unit : units_) {
      set_own(unit);
      clear(unit);
    }
    free_pages(s_.optimizer.moments());  // zeros, of which this rank will use a part
  }

  void start_step(const Step& step) override {
    step_ = step.number;
    for (ShardUnit& unit : units_) unit.incomplete = unit.variables;
    last_started_ = units_.size();
  }

  void need(std::size_t variable) override { finish(units_[unit_of_[variable]]); }

  void ready(std::size_t variable) override {
    ShardUnit& own = units_[unit_of_[variable]];
    finish(own);  // a worker without samples in this step skipped need()
    --own.incomplete;
    // In one order on all ranks, whatever the order of the gradients.
    while (last_started_ > 0 && units_[last_started_ - 1].incomplete == 0) {
      ShardUnit& unit = units_[--last_started_];
      unit.exchange =
          start(unit, Phase::gradient, Collective::reduce_scatter, s_.parameters.gradients());
      if (frees_ && last_started_ + kInProgress < units_.size())
        free_others(units_[last_started_ + kInProgress]);
    }
  }

  void finish_step(const Step& step) override {
    expects(last_started_ == 0, "a step ends without all gradients");
    s_.optimizer.start_step(step.learning_rate);
    for (ShardUnit& unit : units_) {
      finish(unit);
      for (const FlatRange& part : unit.own) {
        const std::span<float> gradients = part.of(s_.parameters.gradients());
        expect_finite(s_.parameters.variables(), part.begin, gradients, step.number, false);
        s_.optimizer.apply(part.begin, part.of(s_.parameters.weights()), gradients);
      }
      clear(unit);
      unit.exchange = start(unit, Phase::weights, Collective::all_gather, s_.parameters.weights());
    }
  }

  bool is_whole() const override {
    return std::none_of(units_.begin(), units_.end(),
                        [](const ShardUnit& unit) { return unit.exchange.has_value(); });
  }
  void flush() override {
    for (ShardUnit& unit : units_) finish(unit);
  }
  void settle() override { flush(); }

  void gather_moments() override {
    const std::span<float> all = s_.optimizer.moments();
    const std::size_t each = s_.parameters.weights().size();
    for (std::size_t first = 0; first < all.size(); first += each)
      for (ShardUnit& unit : units_) {
        unit.exchange =
            start(unit, Phase::statistics, Collective::all_gather, all.subspan(first, each));
        finish(unit);
      }
  }

 private:
  Route route() const { return s_.exchange.route(); }

  Exchange::Ticket start(const ShardUnit& unit, Phase phase, Collective collective,
                         std::span<float> flat) {
    const auto number = static_cast<int>(&unit - units_.data());
    return s_.exchange.start({step_, number, 0, phase}, unit.all.of(flat),
                             {route(), collective, 0});
  }

  void finish(ShardUnit& unit) {
    if (unit.exchange) s_.exchange.wait(*unit.exchange);
    unit.exchange.reset();
  }

  // The chunks that a reduce-scatter leaves here.
  void set_own(ShardUnit& unit) {
    const Route r = route();
    const Problem problem{.collective = Collective::reduce_scatter,
                          .ranks = s_.ranks,
                          .elements = unit.all.elements,
                          .groups = r.groups.get()};
    for (const Lane& lane : lanes_of(*r.algorithm, problem)) {
      const Blocks blocks = lane.problem.blocks();
      unit.own.push_back(
          {unit.all.begin + lane.offset + blocks.begin(s_.rank), blocks.size(s_.rank)});
    }
  }

  // Once the unit is reduced, frees all gradients but the own ones.
  void free_others(ShardUnit& unit) {
    finish(unit);
    Count from = unit.all.begin;
    const auto free_until = [&](Count to) {
      free_pages(FlatRange{from, to - from}.of(s_.parameters.gradients()));
    };
    for (const FlatRange& own : unit.own) {
      free_until(own.begin);
      from = own.begin + own.elements;
    }
    free_until(unit.all.begin + unit.all.elements);
  }

  // Sets the gradients to 0 for the next step.
  void clear(const ShardUnit& unit) {
    const std::span<float> gradients = unit.all.of(s_.parameters.gradients());
    if (frees_)
      free_pages(gradients);
    else
      std::fill(gradients.begin(), gradients.end(), 0.0F);
  }

  StrategyContext s_;
  const bool frees_;
  std::vector<ShardUnit> units_;  // in the order of the variables
  std::vector<std::size_t> unit_of_;
  std::size_t last_started_ = 0;  // this unit and all later ones are exchanged
  Count step_ = 0;
};

}  // namespace

std::unique_ptr<Strategy> make_sharded(const StrategyContext& context, bool frees_gradients) {
  return std::make_unique<Sharded>(context, frees_gradients);
}

std::string refuse_sharded(const StrategyContext& context) {
  const Route& route = context.exchange.route();
  const std::string who = "a sharded strategy needs reduce_scatter and all_gather";
  if (!route.algorithm)
    return who + ", and the native collective is an allreduce: use algorithm ring";
  if (route.segments != 1)
    return who + ", which do not work in " + std::to_string(route.segments) +
           " segments: use 1 segment";
  if (context.options.unit < 1)
    return "a sharded strategy has units of " + std::to_string(context.options.unit) +
           " bytes: use at least 1, such as 26214400";
  for (const Collective collective : {Collective::reduce_scatter, Collective::all_gather}) {
    const Problem problem{.collective = collective,
                          .ranks = context.ranks,
                          .elements = context.ranks,
                          .groups = route.groups.get()};
    if (const std::string why = unsupported(*route.algorithm, problem); !why.empty())
      return who + ": " + why + ": use algorithm ring";
  }
  return "";
}

}  // namespace arlab::training
