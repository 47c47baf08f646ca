// Exchange sweep: rounds in which each rank sends one message and receives one.
//
// All ranks are in the same round, and the message of a round arrives after its receiver has sent
// its own. So each rank handles its events in the order of its rounds, and a round is a few maxima
// and sums per rank. Ranks are visited in blocks that fit a cache, as long as no message of the
// rounds leaves the block.
#include <algorithm>

#include "simulator/sweep/exchange_rounds.hpp"
#include "simulator/sweep/large_array.hpp"
#include "simulator/sweep/sweep.hpp"

namespace arlab::simulator {
namespace {

class ExchangeSweep {
 public:
  ExchangeSweep(const Algorithm& algorithm, const Problem& problem, Bytes element_size,
                const UniformCosts& costs)
      : rounds_(algorithm, problem, element_size),
        element_size_(element_size),
        costs_(costs),
        begin_(index(problem.ranks)),
        leave_(index(problem.ranks)),
        send_(index(problem.ranks)),
        receive_(index(problem.ranks)),
        taken_(index(problem.ranks)) {
    for (auto* all : {&begin_, &send_, &receive_}) std::fill_n(all->data(), problem.ranks, Time{});
  }

  std::optional<SimulationResult> run() {
    Count rounds = 0;
    for (;;) {
      const std::optional<int> more = rounds_.advance();
      if (!more) return {};
      if (*more == 0) break;
      rounds += *more;
      if (!pass(*more)) return {};
    }
    SimulationResult result;
    result.engine = EngineKind::sweep;
    result.finish_of.assign(begin_.data(), begin_.data() + rounds_.ranks());
    result.finish = *std::max_element(result.finish_of.begin(), result.finish_of.end());
    result.sent = {rounds * rounds_.ranks(), sent_bytes_ / element_size_, rounds};
    return result;
  }

 private:
  // Ranks whose state fits the second-level and the third-level cache.
  static constexpr Rank kBlocks[] = {1 << 11, 1 << 17};

  struct SizeCosts {
    Time processor{}, port{}, reduction{};
    bool is_eager = true;
  };
  // A copy, because the costs of another size may move it.
  SizeCosts costs_of(std::uint32_t size) {
    while (size >= by_size_.size()) {
      const auto bytes = static_cast<double>(rounds_.sizes()[by_size_.size()]);
      const double paced = costs_.exclusive_ports ? bytes : bytes - 1;
      by_size_.push_back({to_time(paced * costs_.O), to_time(paced * costs_.G),
                          to_time(bytes * costs_.gamma),
                          costs_.exclusive_ports || bytes <= costs_.S});
    }
    return by_size_[size];
  }

  // Computes the rounds of a window. Returns false if the order of events needs another engine.
  bool pass(int rounds) {
    const Rank ranks = rounds_.ranks();
    int from = 0;
    for (const Rank block : kBlocks) {
      if (block >= ranks) break;
      int to = from;
      while (to < rounds && rounds_.row(to).reach < static_cast<std::uint32_t>(block)) ++to;
      for (Rank first = 0, last = 0; last < ranks && to > from; first = last) {
        last += std::min(block, ranks - last);
        for (int k = from; k < to; ++k)
          if (!step(rounds_.row(k), first, last)) return false;
      }
      from = to;
    }
    for (; from < rounds; ++from)
      if (!step(rounds_.row(from), 0, ranks)) return false;
    return true;
  }

  // Computes one round of the ranks from `first` to `last`.
  bool step(const ExchangeRounds::Row& row, Rank first, Rank last) {
    if (!row.sent) {
      const SizeCosts sent = costs_of(row.all_sent), received = costs_of(row.all_received);
      if (row.all_sent != row.all_received) return false;
      sent_bytes_ += rounds_.sizes()[row.all_sent] * (last - first);
      const auto costs = [&](Rank) { return std::pair(sent, received); };
      return costs_.exclusive_ports ? ports(row, first, last, costs)
                                    : processors(row, first, last, costs, sent.is_eager);
    }
    (void)costs_of(static_cast<std::uint32_t>(rounds_.sizes().size() - 1));  // of all sizes
    for (Rank r = first; r < last; ++r) {
      sent_bytes_ += rounds_.sizes()[row.sent[r]];
      if (!by_size_[row.sent[r]].is_eager || row.sent[row.sources[r]] != row.received[r])
        return false;
    }
    const auto costs = [&](Rank r) {
      return std::pair<const SizeCosts&, const SizeCosts&>(by_size_[row.sent[r]],
                                                           by_size_[row.received[r]]);
    };
    return costs_.exclusive_ports ? ports(row, first, last, costs)
                                  : processors(row, first, last, costs, true);
  }

  // A processor, a send port, and a receive port per rank, as in simulator/models/catalog/loggops.
  // A rank's processor is free when its round begins. A message above the eager limit is complete for
  // its sender when its receiver takes it.
  template <class CostsOf>
  bool processors(const ExchangeRounds::Row& row, Rank first, Rank last, CostsOf costs_of_rank,
                  bool is_eager) {
    Time* const begin = begin_.data();
    Time* const leave = leave_.data();
    Time* const send = send_.data();
    Time* const receive = receive_.data();
    const Time o = costs_.o, travel = costs_.o + costs_.L, g = costs_.g;
    Time latest{};
    for (Rank r = first; r < last; ++r) {
      leave[r] = std::max(begin[r], send[r]);
      send[r] = leave[r] + g + costs_of_rank(r).first.port;
      latest = std::max(latest, leave[r]);
    }
    (void)in_calendar(latest);
    bool is_ordered = true;
    for (Rank r = first; r < last; ++r) {
      const auto& [sent, received] = costs_of_rank(r);
      const Rank source = row.sources[r];
      const Time arrival = leave[source] + travel;
      is_ordered &= (arrival > leave[r]) & (row.targets[source] == r);
      const Time taken = std::max({arrival, leave[r] + o + sent.processor, receive[r]});
      receive[r] = taken + g + received.port;
      begin[r] = taken + o + std::max(received.processor, received.port);
      if (!is_eager) taken_.data()[r] = taken;
      if (is_eager && row.reduces) begin[r] += received.reduction;
      latest = std::max(latest, begin[r]);
    }
    for (Rank r = first; r < last && !is_eager; ++r) {
      begin[r] = std::max(begin[r], taken_.data()[row.targets[r]]);
      if (row.reduces) begin[r] += costs_of_rank(r).second.reduction;
      latest = std::max(latest, begin[r]);
    }
    (void)in_calendar(latest);
    return is_ordered;
  }

  // A message holds both of its ports from the later begin of its two rounds on.
  template <class CostsOf>
  bool ports(const ExchangeRounds::Row& row, Rank first, Rank last, CostsOf costs_of_rank) {
    Time* const begin = begin_.data();
    Time* const before = leave_.data();
    std::copy(begin + first, begin + last, before + first);
    bool is_matched = true;
    Time latest{};
    for (Rank r = first; r < last; ++r) {
      const auto& [sent, received] = costs_of_rank(r);
      const Rank source = row.sources[r], target = row.targets[r];
      is_matched &= row.targets[source] == r;
      const Time out = std::max(before[r], before[target]) + costs_.L + sent.port;
      const Time in = std::max(before[r], before[source]) + costs_.L + received.port;
      begin[r] = std::max(out, in) + (row.reduces ? received.reduction : Time{});
      latest = std::max(latest, begin[r]);
    }
    (void)in_calendar(latest);
    return is_matched;
  }

  ExchangeRounds rounds_;
  Bytes element_size_;
  const UniformCosts& costs_;
  LargeArray<Time> begin_;           // of each rank's round
  LargeArray<Time> leave_;           // of its message
  LargeArray<Time> send_, receive_;  // when its ports are free
  LargeArray<Time> taken_;           // when it takes a message above the eager limit
  std::vector<SizeCosts> by_size_;
  Bytes sent_bytes_ = 0;
};

}  // namespace

std::optional<SimulationResult> exchange_sweep(const Algorithm& algorithm, const Problem& problem,
                                               Bytes element_size, const UniformCosts& costs) {
  return ExchangeSweep(algorithm, problem, element_size, costs).run();
}

}  // namespace arlab::simulator
