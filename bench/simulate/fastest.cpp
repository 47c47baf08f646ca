#include "bench/simulate/fastest.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace arlab::bench {

namespace {

using simulator::UniformCosts;

// Durations are rounded to picoseconds; each of a message's may be shorter by half of one.
constexpr double kRounded = 2;

struct Traffic {
  double messages = 0, bytes = 0;
};

Traffic traffic(const Cost& cost, Bytes element) {
  return {static_cast<double>(cost.messages),
          static_cast<double>(cost.elements) * static_cast<double>(element)};
}

// The picoseconds for which the sender's port, or both ends' processors, are busy.
double busy(const UniformCosts& c, const Traffic& all) {
  if (c.exclusive_ports) return all.messages * (picoseconds(c.L) - kRounded) + all.bytes * c.G;
  return all.messages * (2 * picoseconds(c.o) - kRounded) +
         (all.bytes - all.messages) * (c.O + std::max(c.O, c.G));
}

// The same of one rank's sends: until the last one arrives the port is busy with the others.
double busy_sending(const UniformCosts& c, const Traffic& sent) {
  if (sent.messages < 1) return 0;
  if (c.exclusive_ports) return busy(c, sent);
  const double extra = sent.bytes - sent.messages;
  return std::max(sent.messages * (picoseconds(c.o) - kRounded) + extra * c.O,
                  (sent.messages - 1) * (picoseconds(c.g) - kRounded) + extra * c.G);
}

// Messages that follow one another on an idle network.
double in_turn(const UniformCosts& c, const Traffic& chain) {
  if (c.exclusive_ports) return chain.messages * (picoseconds(c.L) - kRounded) + chain.bytes * c.G;
  return chain.messages * (2 * picoseconds(c.o) + picoseconds(c.L) - kRounded) +
         (chain.bytes - chain.messages) * std::max(c.O, c.G);
}

bool is_power_of_two(Rank ranks) { return std::has_single_bit(static_cast<std::uint32_t>(ranks)); }

// The messages that follow one another (Algorithm::chained).
Count chain_of(const Cost& cost, Rank ranks) {
  return is_power_of_two(ranks) ? cost.rounds : std::max<Count>(0, cost.rounds - 2);
}

// The elements that each message of the chain has at least; 0 if one may be empty.
Count smallest_message(const Algorithm& a, const Problem& lane) {
  if (a.family == "whole") return lane.elements;
  const bool needs_one = a.chained == Chained::any_chunk && is_power_of_two(lane.ranks);
  return std::max(lane.elements / lane.ranks, Count{needs_one && lane.elements > 0});
}

// The longest chain of messages of a lane; none if it is unknown, or one may be empty.
Traffic longest_chain(const Algorithm& a, const Problem& p, int segments, Bytes element,
                      const Cost& all) {
  const bool is_weighted = a.lane_weights || a.chunks_per_rank;
  if (a.chained == Chained::no || is_weighted || (a.pipelined && segments > 1)) return {};
  Problem lane = p;
  lane.elements /= Count{segments} * a.lanes;
  const Count smallest = smallest_message(a, lane);
  if (smallest == 0) return {};
  const Count messages = chain_of(all, p.ranks);
  const bool is_known = a.chain_elements && is_power_of_two(p.ranks);
  return traffic(
      {.messages = messages, .elements = is_known ? a.chain_elements(lane) : messages * smallest},
      element);
}

}  // namespace

Time least_time(const UniformCosts& costs, const Algorithm& algorithm, const Problem& problem,
                int segments, Bytes element) {
  const Cost all = predicted_cost(algorithm, problem, segments);
  double least = busy(costs, traffic(all, element)) / problem.ranks;
  if (algorithm.rank_cost_model)
    least = std::max(
        least,
        busy_sending(costs, traffic(predicted_rank_cost(algorithm, problem, problem.root, segments),
                                    element)));
  least =
      std::max(least, in_turn(costs, longest_chain(algorithm, problem, segments, element, all)));
  constexpr double kExact = 1e-9;  // of sums of real numbers
  least = least * (1 - kExact) - 1;
  return least > 0 ? Time{static_cast<std::int64_t>(std::min(least, picoseconds(kLatest)))}
                   : Time{};
}

void Fastest::sort(std::vector<Config>& configs, const Expect& expect) {
  constexpr double kFewSteps = 1e5;
  using Key = std::tuple<bool, Time, double>;
  for (auto first = configs.begin(); first != configs.end();) {
    const auto last = std::find_if(first, configs.end(),
                                   [&](const Config& c) { return cell_of(c) != cell_of(*first); });
    std::vector<std::pair<Key, Config>> cell;
    for (auto c = first; c != last; ++c) {
      const bool runs = unsupported(*c->algorithm, c->problem).empty();
      const Outlook outlook = runs ? expect(*c) : Outlook{};
      cell.emplace_back(Key(outlook.steps > kFewSteps, outlook.least, outlook.steps),
                        std::move(*c));
    }
    std::stable_sort(cell.begin(), cell.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    for (auto& [key, config] : cell) *first++ = std::move(config);
  }
}

Fastest::Cell Fastest::cell_of(const Config& config) {
  return {config.problem.ranks,
          config.problem.elements,
          static_cast<int>(config.operand.dtype),
          static_cast<int>(config.operand.op),
          config.problem.root,
          config.network};
}

bool Fastest::in_one_cell(const Config& a, const Config& b) { return cell_of(a) == cell_of(b); }

Fastest::Best& Fastest::best(const Config& config) { return best_[cell_of(config)]; }

}  // namespace arlab::bench
