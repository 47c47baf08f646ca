#include "collectives/gpu/peer_schedule.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "collectives/gpu/footprint.hpp"
#include "collectives/reduce/reduce.hpp"

namespace arlab::collectives {
namespace {

using Step = PeerSchedule::Step;
using Space = PeerPlace::Space;

class PeerCompiler {
 public:
  PeerCompiler(const DeviceSchedule& schedule, const PeerOptions& options, int blocks)
      : from_(schedule),
        plan_(schedule.plan),
        most_in_words_(options.most_in_words),
        element_(size_of(schedule.operand.dtype)),
        ranks_(plan_.sent.size()),
        several_blocks_(blocks > 1),
        apart_(options.apart),
        begun_(plan_.rounds.size()),
        read_(plan_.messages.size()),
        slots_(plan_.messages.size()),
        pending_(ranks_),
        greeted_(ranks_) {
    result_.steps.resize(ranks_);
    result_.words.resize(ranks_);
  }

  PeerSchedule compile() {
    divisors_ = divisors_of(from_.operand, static_cast<Rank>(ranks_));
    for (std::size_t m = 0; m < plan_.messages.size(); ++m) {
      if (!in_words(m)) continue;
      std::size_t& end = result_.words[at(message(m).target)];
      slots_[m] = std::exchange(end, end + static_cast<std::size_t>(word_bytes(bytes_of(m))));
    }
    find_agreement();
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      if (apart_) mark(static_cast<Rank>(rank));
      divide(static_cast<Rank>(rank), {0, plan_.contributed}, divisors_.before);
    }
    perform(from_.work, *this);
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      for (const ElementRange& range : plan_.divided[rank])
        divide(static_cast<Rank>(rank), range, divisors_.after);
      if (apart_ && !pending_[rank].empty()) mark(static_cast<Rank>(rank));
      if (several_blocks_ && !agrees_[rank]) add_own_waits(static_cast<Rank>(rank));
    }
    for (const auto& steps : result_.steps)
      for (const Step& step : steps) {
        count_traffic(step);
        for (const auto& wait : step.waits)
          result_.steps[at(wait.rank)][wait.progress - 1].publishes = true;
      }
    return std::move(result_);
  }

 private:
  static constexpr std::uint32_t kBegun = 1;  // the progress of a rank that has

  static std::size_t at(Rank rank) { return static_cast<std::size_t>(rank); }
  const MatchedMessage& message(std::size_t m) const { return plan_.messages[m]; }
  Count bytes_of(std::size_t m) const { return message(m).elements * static_cast<Count>(element_); }
  bool in_words(std::size_t m) const {
    return static_cast<std::size_t>(bytes_of(m)) <= most_in_words_;
  }
  bool in_words(const ElementRange& range) const {
    return static_cast<std::size_t>(range.elements) * element_ <= most_in_words_;
  }
  PeerPlace in_vector(Rank rank, Count first) const {
    return {Space::vector, rank, static_cast<std::size_t>(first) * element_};
  }
  PeerPlace slot(std::size_t m) const { return {Space::words, message(m).target, slots_[m]}; }
  PeerPlace source(std::size_t m) const {
    const DevicePlace& place = from_.sources[m];
    return {place.in_scratch ? Space::scratch : Space::vector, message(m).source, place.offset};
  }
  Footprint footprint(const PeerPlace& place, Count elements, bool writes) const {
    return {place.space, place.offset, place.offset + static_cast<std::size_t>(elements) * element_,
            writes};
  }
  std::uint32_t progress(Rank rank) const {
    return static_cast<std::uint32_t>(result_.steps[at(rank)].size());
  }

  /// The next steps are of this round.
  const MatchedRound& of(std::uint32_t round) {
    const MatchedRound& its = plan_.rounds[round];
    lane_ = its.lane;
    round_ = its.number;
    return its;
  }

  /// Adds a step to a rank, after what it has to wait for before it changes memory again.
  Step& add(Rank rank, PeerKind kind, const PeerPlace& into, Count elements) {
    result_.steps[at(rank)].push_back({.kind = kind,
                                       .into = into,
                                       .elements = elements,
                                       .sources = {},
                                       .senders = {},
                                       .waits = std::exchange(pending_[at(rank)], {}),
                                       .lane = lane_,
                                       .round = round_});
    return result_.steps[at(rank)].back();
  }

  /// Nothing is waited for before the first step: all vectors are complete when kernels start.
  static void wait_for(std::vector<PeerSchedule::Wait>& waits, Rank rank, std::uint32_t progress,
                       bool all_blocks) {
    if (progress == 0) return;
    for (PeerSchedule::Wait& wait : waits)
      if (wait.rank == rank && wait.all_blocks == all_blocks) {
        wait.progress = std::max(wait.progress, progress);
        return;
      }
    waits.push_back({rank, progress, all_blocks});
  }

  /// Does nothing, after its waits: the beginning or the end of a rank.
  void mark(Rank rank) {
    lane_ = 0;
    round_ = 0;
    add(rank, PeerKind::mark, in_vector(rank, 0), 0);
  }
  /// The first words for a rank wait until it has begun: it may still read those of the last run.
  void greet(Step& step, Rank rank, Rank target) {
    if (apart_ && greeted_[at(rank)].insert(target).second)
      wait_for(step.waits, target, kBegun, false);
  }

  void divide(Rank rank, const ElementRange& range, double divisor) {
    if (divisor == 1 || range.elements == 0) return;
    lane_ = 0;
    round_ = 0;
    add(rank, PeerKind::divide, in_vector(rank, range.first), range.elements).divisor = divisor;
  }

 public:  // called by perform()
  void begin(std::uint32_t round) {
    const MatchedRound& its = of(round);
    for (const auto& [range, offset] : from_.copies[round]) {
      if (in_words(range)) continue;
      Step& step =
          add(its.rank, PeerKind::copy, {Space::scratch, its.rank, offset}, range.elements);
      step.sources = {in_vector(its.rank, range.first)};
      step.senders = {its.rank};
    }
    for (const std::uint32_t m : its.sends) {
      if (!in_words(m)) continue;
      Step& step = add(its.rank, PeerKind::push, slot(m), message(m).elements);
      step.sources = {in_vector(its.rank, message(m).source_first)};
      step.senders = {its.rank};
      greet(step, its.rank, message(m).target);
    }
    begun_[round] = progress(its.rank);
  }

  Step& receive(std::uint32_t m, PeerKind from_memory, PeerKind from_words) {
    const MatchedMessage& its = message(m);
    of(its.target_round);
    return add(its.target, in_words(m) ? from_words : from_memory,
               in_vector(its.target, its.target_first), its.elements);
  }
  void add_sender(Step& step, std::uint32_t m) {
    const MatchedMessage& its = message(m);
    step.senders.push_back(its.source);
    if (in_words(m)) return step.sources.push_back(slot(m));
    step.sources.push_back(source(m));
    wait_for(step.waits, its.source, begun_[its.source_round], !agrees_[at(its.source)]);
  }

  void read(std::uint32_t first, std::uint32_t count) {
    const bool reduces = message(first).kind == ActionKind::reduce;
    Step& step = reduces ? receive(first, PeerKind::reduce, PeerKind::pull_reduce)
                         : receive(first, PeerKind::copy, PeerKind::pull);
    for (std::uint32_t m = first; m < first + count; ++m) {
      add_sender(step, m);
      read_[m] = progress(message(m).target);
    }
  }

  /// Words stay in their place until they are applied.
  void stage(std::uint32_t m) {
    if (in_words(m)) return;
    const MatchedMessage& its = message(m);
    of(its.target_round);
    Step& step = add(its.target, PeerKind::copy, {Space::scratch, its.target, from_.staging[m]},
                     its.elements);
    add_sender(step, m);
    read_[m] = progress(its.target);
  }

  void apply(std::uint32_t m) {
    const MatchedMessage& its = message(m);
    Step& step = its.kind == ActionKind::reduce
                     ? receive(m, PeerKind::reduce, PeerKind::pull_reduce)
                     : receive(m, PeerKind::copy, PeerKind::pull);
    step.senders = {its.source};
    step.sources = {in_words(m) ? slot(m)
                                : PeerPlace{Space::scratch, its.target, from_.staging[m]}};
  }

  void end(std::uint32_t round) {
    const MatchedRound& its = plan_.rounds[round];
    for (const std::uint32_t m : its.sends)
      if (!in_words(m))
        wait_for(pending_[at(its.rank)], message(m).target, read_[m], !agrees_[at(its.rank)]);
  }

 private:
  /// Finds the ranks whose memory is used in ranges that are all equal or disjoint.
  void find_agreement() {
    std::vector<std::vector<Footprint>> used(ranks_);
    const auto use = [&](const PeerPlace& place, Count elements) {
      if (elements > 0) used[at(place.rank)].push_back(footprint(place, elements, true));
    };
    for (std::size_t m = 0; m < plan_.messages.size(); ++m) {
      const MatchedMessage& its = message(m);
      use(in_vector(its.target, its.target_first), its.elements);
      use(in_vector(its.source, its.source_first), its.elements);
      if (in_words(m)) continue;
      use(source(m), its.elements);
    }
    for (const auto& [kind, m, count] : from_.work)
      if (kind == DeviceWork::Kind::stage && !in_words(m))
        use({Space::scratch, message(m).target, from_.staging[m]}, message(m).elements);
    for (std::size_t rank = 0; rank < ranks_; ++rank) {
      const auto mine = static_cast<Rank>(rank);
      if (divisors_.before != 1) use(in_vector(mine, 0), plan_.contributed);
      if (divisors_.after != 1)
        for (const ElementRange& range : plan_.divided[rank])
          use(in_vector(mine, range.first), range.elements);
      auto& ranges = used[rank];
      std::sort(ranges.begin(), ranges.end(), [](const Footprint& a, const Footprint& b) {
        return std::tie(a.space, a.begin, a.end) < std::tie(b.space, b.begin, b.end);
      });
      bool agrees = true;
      for (std::size_t k = 1; k < ranges.size(); ++k)
        agrees = agrees && !ranges[k - 1].conflicts(ranges[k]);
      agrees_.push_back(agrees);
    }
  }

  std::vector<Footprint> footprints(const Step& step, Rank rank) const {
    std::vector<Footprint> all;
    if (step.kind == PeerKind::mark) return all;
    if (step.into.rank == rank && step.into.space != Space::words)
      all.push_back(footprint(step.into, step.elements, true));
    for (const PeerPlace& source : step.sources)
      if (source.rank == rank && source.space != Space::words)
        all.push_back(footprint(source, step.elements, false));
    return all;
  }

  /// Each step waits for the last earlier one of which another block may still use the same memory.
  void add_own_waits(Rank rank) {
    auto& steps = result_.steps[at(rank)];
    std::vector<std::vector<Footprint>> all;
    std::uint32_t complete = 0;  // steps that all blocks have completed, by the waits so far
    for (Step& step : steps) {
      all.push_back(footprints(step, rank));
      for (auto j = static_cast<std::uint32_t>(all.size() - 1); j-- > complete;) {
        const bool conflict = std::any_of(all[j].begin(), all[j].end(), [&](const Footprint& a) {
          return std::any_of(all.back().begin(), all.back().end(),
                             [&](const Footprint& b) { return a.conflicts(b); });
        });
        if (!conflict) continue;
        complete = j + 1;
        wait_for(step.waits, rank, complete, true);
        break;
      }
    }
  }

  void count_traffic(const Step& step) {
    const auto bytes = static_cast<double>(step.elements) * static_cast<double>(element_);
    const auto senders = static_cast<double>(step.sources.size());
    switch (step.kind) {
      case PeerKind::mark:
        return;
      case PeerKind::copy:
      case PeerKind::divide:
        result_.traffic += 2 * bytes;
        return;
      case PeerKind::reduce:
        result_.traffic += (senders + 2) * bytes;
        return;
      case PeerKind::push:
        result_.traffic += 3 * bytes;
        return;
      case PeerKind::pull:
        result_.traffic += 3 * bytes;
        return;
      case PeerKind::pull_reduce:
        result_.traffic += (2 * senders + 2) * bytes;
        return;
    }
  }

  const DeviceSchedule& from_;
  const MatchedSchedule& plan_;
  std::size_t most_in_words_, element_, ranks_;
  bool several_blocks_, apart_;
  AverageDivisors divisors_;
  std::int32_t lane_ = 0;             // of the steps that are added, and
  std::uint32_t round_ = 0;           // their round
  std::vector<std::uint32_t> begun_;  // of each round: steps of its rank until it has begun
  std::vector<std::uint32_t> read_;   // of each message: steps of its target until it was read
  std::vector<std::size_t> slots_;    // of each message in words: where, in its target's words
  std::vector<bool> agrees_;          // of each rank
  std::vector<std::vector<PeerSchedule::Wait>> pending_;  // of each rank: of rounds that have ended
  std::vector<std::set<Rank>> greeted_;  // of each rank: those that it knows to have begun
  PeerSchedule result_;
};

}  // namespace

PeerSchedule peer_schedule(const DeviceSchedule& schedule, const PeerOptions& options, int blocks) {
  return PeerCompiler(schedule, options, blocks).compile();
}

}  // namespace arlab::collectives
