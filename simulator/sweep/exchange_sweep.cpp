// Exchange sweep: rounds in which each rank sends one message and receives one, which may be empty.
//
// All ranks are in the same round, and the message of a round arrives after its receiver has sent
// its own. So each rank handles its events in the order of its rounds, and a round is a few maxima
// and sums per rank. Ranks are visited in blocks that fit a cache, as long as no message of the
// rounds leaves the block.
#include <algorithm>

#include "simulator/large_array.hpp"
#include "simulator/sweep/exchange_rounds.hpp"
#include "simulator/sweep/message_costs.hpp"
#include "simulator/sweep/sweep.hpp"

namespace arlab::simulator {
namespace {

class ExchangeSweep {
 public:
  ExchangeSweep(const Algorithm& algorithm, const Problem& problem, Bytes element_size,
                const UniformCosts& costs, Time latest, std::optional<RankSymmetry> symmetry)
      : rounds_(algorithm, problem, element_size, std::move(symmetry)),
        element_size_(element_size),
        costs_(costs),
        by_size_(costs, rounds_.sizes()),
        allowed_(latest),
        begin_(index(rounds_.ranks())),
        leave_(index(rounds_.ranks())),
        send_(index(rounds_.ranks())),
        receive_(index(rounds_.ranks())),
        taken_(index(rounds_.ranks())) {
    for (auto* all : {&begin_, &send_, &receive_})
      std::fill_n(all->data(), rounds_.ranks(), Time{});
  }

  std::optional<SimulationResult> run() {
    SimulationResult result;
    const std::optional<Count> rounds = rounds_.through([&](int more) {
      result.stopped = latest_ > allowed_;
      return !result.stopped && pass(more);
    });
    result.engine = EngineKind::sweep;
    if (result.stopped) return result;
    if (!rounds) return {};
    result.finish_of.assign(begin_.data(), begin_.data() + rounds_.ranks());
    result.finish = *std::max_element(result.finish_of.begin(), result.finish_of.end());
    result.sent = {messages_ * rounds_.weight(), sent_bytes_ / element_size_ * rounds_.weight(),
                   *rounds};
    return result;
  }

 private:
  // Ranks whose state fits the second-level and the third-level cache.
  static constexpr Rank kBlocks[] = {1 << 11, 1 << 17};

  using Costs = MessageCosts::OfSize;

  // Computes the rounds of a window. Returns false if the order of events needs another engine.
  bool pass(int rounds) {
    const Rank ranks = rounds_.ranks();
    if (rounds_.has_empty() && !has_empty_) std::copy_n(begin_.data(), ranks, taken_.data());
    has_empty_ = rounds_.has_empty();
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
    const Costs* const by_size = by_size_.all().data();
    bool is_eager = true;
    if (!row.sent) {
      if (row.all_sent != row.all_received) return false;
      is_eager = by_size[row.all_sent].is_eager;
    }
    for (Rank r = first; r < last && row.sent; ++r) {
      sent_bytes_ += rounds_.sizes()[row.sent[r]];
      is_eager &= by_size[row.sent[r]].is_eager;
    }
    if (row.sent && !is_eager) return false;
    if (!row.sent) sent_bytes_ += rounds_.sizes()[row.all_sent] * (last - first);
    messages_ += last - first;
    const Round round{row, by_size, first, last, is_eager};
    return row.peers.visit([&](auto target, auto source) { return step(round, target, source); });
  }

  struct Round {
    const ExchangeRounds::Row& row;
    const Costs* by_size;
    Rank first, last;
    bool is_eager;
  };

  template <class Target, class Source>
  bool step(const Round& round, Target target, Source source) {
    const ExchangeRounds::Row& row = round.row;
    if (row.peers.kind == Peers::Kind::table || row.sent)
      for (Rank r = round.first; r < round.last; ++r)
        if (target(source(r)) != r || row.sent_by(source(r)) != row.received_by(r)) return false;
    if (row.sent || has_empty_)
      return step(round, target, source, [&](Rank r) {
        return std::pair<const Costs&, const Costs&>(round.by_size[row.sent_by(r)],
                                                     round.by_size[row.received_by(r)]);
      });
    return step(round, target, source, [all = round.by_size[row.all_sent]](Rank) {
      return std::pair<const Costs&, const Costs&>(all, all);
    });
  }

  template <class Target, class Source, class CostsOf>
  bool step(const Round& round, Target target, Source source, CostsOf costs_of_rank) {
    if (costs_.exclusive_ports) return ports(round, target, source, costs_of_rank);
    return has_empty_ ? some_processors(round, source, costs_of_rank)
                      : processors(round, target, source, costs_of_rank);
  }

  // A processor, a send port, and a receive port per rank, as in simulator/models/catalog/loggops.
  // A rank's processor is free when its round begins. A message above the eager limit is complete
  // for its sender when its receiver takes it.
  template <class Target, class Source, class CostsOf>
  bool processors(const Round& round, Target target, Source source, CostsOf costs_of_rank) {
    Time* const begin = begin_.data();
    Time* const leave = leave_.data();
    Time* const send = send_.data();
    Time* const receive = receive_.data();
    const Time o = costs_.o, travel = costs_.o + costs_.L, g = costs_.g;
    const auto [row, by_size, first, last, is_eager] = round;
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
      const Time arrival = leave[source(r)] + travel;
      is_ordered &= arrival > leave[r];
      const Time taken = std::max({arrival, leave[r] + o + sent.processor, receive[r]});
      receive[r] = taken + g + received.port;
      begin[r] = taken + o + std::max(received.processor, received.port);
      if (!is_eager) taken_.data()[r] = taken;
      if (is_eager && row.reduces) begin[r] += received.reduction;
      latest = std::max(latest, begin[r]);
    }
    for (Rank r = first; r < last && !is_eager; ++r) {
      begin[r] = std::max(begin[r], taken_.data()[target(r)]);
      if (row.reduces) begin[r] += costs_of_rank(r).second.reduction;
      latest = std::max(latest, begin[r]);
    }
    latest_ = std::max(latest_, in_calendar(latest));
    return is_ordered;
  }

  // The same, eager, where a message may be empty: it is not sent. Then ranks come apart by more,
  // and a message may arrive before its receiver's round begins. It waits for the processor if the
  // receiver took its message before, whose end begins the round. The round's own send is then
  // first if the message was sent later than that one was taken, unless it has to wait for its
  // port.
  template <class Source, class CostsOf>
  bool some_processors(const Round& round, Source source, CostsOf costs_of_rank) {
    Time* const begin = begin_.data();
    Time* const leave = leave_.data();
    Time* const send = send_.data();
    Time* const receive = receive_.data();
    Time* const handled = taken_.data();  // the latest message that the rank has sent or taken
    const Time o = costs_.o, travel = costs_.o + costs_.L, g = costs_.g;
    Time latest{};
    for (Rank r = round.first; r < round.last; ++r) {
      const Costs& sent = costs_of_rank(r).first;
      if (sent.is_empty) {
        --messages_;
        leave[r] = begin[r];
        continue;
      }
      leave[r] = std::max(begin[r], send[r]);
      send[r] = leave[r] + g + sent.port;
      latest = std::max(latest, leave[r]);
    }
    (void)in_calendar(latest);
    bool is_ordered = true;
    for (Rank r = round.first; r < round.last; ++r) {
      const auto& [sent, received] = costs_of_rank(r);
      const Time free = sent.is_empty ? begin[r] : leave[r] + o + sent.processor;
      if (received.is_empty) {
        if (!sent.is_empty) handled[r] = leave[r];
        begin[r] = free;
      } else {
        const Time arrival = leave[source(r)] + travel;
        const bool is_first = sent.is_empty || leave[source(r)] > handled[r];
        const bool waits = arrival > handled[r] && leave[r] == begin[r] && is_first &&
                           (arrival < begin[r] || sent.is_empty);
        is_ordered &= arrival > leave[r] || waits;
        const Time taken = std::max({arrival, free, receive[r]});
        handled[r] = taken;
        receive[r] = taken + g + received.port;
        begin[r] = taken + o + std::max(received.processor, received.port);
        if (round.row.reduces) begin[r] += received.reduction;
      }
      latest = std::max(latest, begin[r]);
    }
    latest_ = std::max(latest_, in_calendar(latest));
    return is_ordered;
  }

  // A message holds both of its ports from the later begin of its two rounds on.
  template <class Target, class Source, class CostsOf>
  bool ports(const Round& round, Target target, Source source, CostsOf costs_of_rank) {
    Time* const begin = begin_.data();
    Time* const before = leave_.data();
    std::copy(begin + round.first, begin + round.last, before + round.first);
    Time latest{};
    for (Rank r = round.first; r < round.last; ++r) {
      const auto& [sent, received] = costs_of_rank(r);
      const Time out = std::max(before[r], before[target(r)]) + costs_.L + sent.port;
      const Time in = std::max(before[r], before[source(r)]) + costs_.L + received.port;
      messages_ -= sent.is_empty ? 1 : 0;
      begin[r] = std::max(sent.is_empty ? before[r] : out, received.is_empty ? before[r] : in);
      if (round.row.reduces) begin[r] += received.reduction;
      latest = std::max(latest, begin[r]);
    }
    latest_ = std::max(latest_, in_calendar(latest));
    return true;
  }

  ExchangeRounds rounds_;
  Bytes element_size_;
  const UniformCosts& costs_;
  MessageCosts by_size_;
  Time allowed_, latest_{};
  LargeArray<Time> begin_;           // of each rank's round
  LargeArray<Time> leave_;           // of its message
  LargeArray<Time> send_, receive_;  // when its ports are free
  LargeArray<Time> taken_;           // when it takes its message
  Count messages_ = 0;
  Bytes sent_bytes_ = 0;
  bool has_empty_ = false;
};

}  // namespace

std::optional<SimulationResult> exchange_sweep(const Algorithm& algorithm, const Problem& problem,
                                               Bytes element_size, const UniformCosts& costs,
                                               Time latest, std::optional<RankSymmetry> symmetry) {
  if (costs.delay.mean > Time{}) return {};
  return ExchangeSweep(algorithm, problem, element_size, costs, latest, std::move(symmetry)).run();
}

}  // namespace arlab::simulator
