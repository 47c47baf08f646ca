#include "collectives/schedule/rank_plan.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace arlab::collectives {
namespace {

constexpr std::size_t kAligned = 256;

bool overlap(Count a, Count b, Count a_elements, Count b_elements) {
  return a < b + b_elements && b < a + a_elements;
}

class Cutter {
 public:
  Cutter(const MatchedSchedule& plan, Rank rank, Operand operand, int waves)
      : plan_(plan), rank_(rank), operand_(operand), element_(size_of(operand.dtype)) {
    for (const MatchedRound& round : plan.rounds)
      part_.lanes = std::max(part_.lanes, static_cast<std::size_t>(round.lane) + 1);
    part_.waves = part_.lanes < 2 ? 1 : waves;
  }

  RankPlan part() {
    part_.sent = plan_.sent[static_cast<std::size_t>(rank_)];
    part_.contributed = plan_.contributed;
    if (operand_.op == Op::avg) part_.divided = plan_.divided[static_cast<std::size_t>(rank_)];
    lay_out_scratch();
    std::vector<std::vector<PlannedRound>> begun(static_cast<std::size_t>(part_.waves));
    for (std::uint32_t step = 0; step < plan_.step_count(); ++step)
      for (int wave = 0; wave < part_.waves; ++wave)
        add_step(step, wave, begun[static_cast<std::size_t>(wave)]);
    return std::move(part_);
  }

 private:
  bool is_in(int wave, std::int32_t lane) const { return lane % part_.waves == wave; }

  void add_step(std::uint32_t step, int wave, std::vector<PlannedRound>& begun) {
    PlannedStep mine{.wave = wave, .rounds = {}, .calls = {}, .uses = {}};
    for (auto [at, end] = begins_.equal_range(step); at != end; ++at)
      if (const MatchedRound& round = plan_.rounds[at->second]; is_in(wave, round.lane))
        begun.push_back({round.lane, round.number});
    for (std::uint32_t m = plan_.steps[step]; m < plan_.steps[step + 1]; ++m)
      if (is_in(wave, plan_.messages[m].lane)) call(m, mine.calls);
    for (auto [at, end] = ends_.equal_range(step); at != end; ++at)
      if (is_in(wave, plan_.rounds[at->second].lane)) use(at->second, mine.uses);
    if (mine.calls.empty()) return;  // the messages of what has begun come later
    mine.rounds = std::exchange(begun, {});
    part_.steps.push_back(std::move(mine));
  }

  bool needs_scratch(const MatchedMessage& m) const {
    if (m.kind == ActionKind::reduce) return true;
    const MatchedRound& round = plan_.rounds[m.target_round];
    const bool sent = std::any_of(round.sends.begin(), round.sends.end(), [&](std::uint32_t s) {
      const MatchedMessage& send = plan_.messages[s];
      return overlap(send.source_first, m.target_first, send.elements, m.elements);
    });
    return sent || std::any_of(round.receives.begin(), round.receives.end(), [&](std::uint32_t r) {
             const MatchedMessage& other = plan_.messages[r];
             return other.position != m.position &&
                    overlap(other.target_first, m.target_first, other.elements, m.elements);
           });
  }

  // A lane's rounds follow one another and share scratch; lanes do not. In scratch a message is as
  // far from a boundary as in the vector, so that kernels can use their widest accesses on both.
  void lay_out_scratch() {
    std::map<std::int32_t, std::size_t> largest;  // by lane
    for (std::uint32_t index = 0; index < plan_.rounds.size(); ++index) {
      const MatchedRound& round = plan_.rounds[index];
      if (round.rank != rank_) continue;
      begins_.emplace(round.begins, index);
      ends_.emplace(round.ends, index);
      std::size_t used = 0;
      for (const std::uint32_t m : round.receives) {
        const MatchedMessage& its = plan_.messages[m];
        if (!needs_scratch(its)) continue;
        const std::size_t begin = used + bytes(its.target_first) % kAligned;
        places_[m] = begin;
        used = (begin + bytes(its.elements) + kAligned - 1) / kAligned * kAligned;
      }
      largest[round.lane] = std::max(largest[round.lane], used);
    }
    for (auto& [lane, size] : largest) part_.scratch += std::exchange(size, part_.scratch);
    for (auto& [m, place] : places_) place += largest[plan_.messages[m].lane];
  }

  void call(std::uint32_t index, std::vector<PlannedMessage>& calls) const {
    const MatchedMessage& m = plan_.messages[index];
    if (m.source == rank_)
      calls.push_back({true, m.target, false, bytes(m.source_first), bytes(m.elements)});
    if (m.target != rank_) return;
    const auto place = places_.find(index);
    if (place == places_.end())
      calls.push_back({false, m.source, false, bytes(m.target_first), bytes(m.elements)});
    else
      calls.push_back({false, m.source, true, place->second, bytes(m.elements)});
  }

  void use(std::uint32_t round, std::vector<PlannedUse>& uses) const {
    for (const std::uint32_t index : plan_.rounds[round].receives) {
      const auto place = places_.find(index);
      if (place == places_.end()) continue;
      const MatchedMessage& m = plan_.messages[index];
      uses.push_back({m.kind, place->second, bytes(m.target_first), m.elements});
    }
  }

  std::size_t bytes(Count elements) const { return static_cast<std::size_t>(elements) * element_; }

  const MatchedSchedule& plan_;
  Rank rank_;
  Operand operand_;
  std::size_t element_;
  std::multimap<std::uint32_t, std::uint32_t> begins_;  // of this rank's rounds, by first step
  std::multimap<std::uint32_t, std::uint32_t> ends_;    // by last step
  std::map<std::uint32_t, std::size_t> places_;         // in scratch, of messages that need it
  RankPlan part_;
};

}  // namespace

RankPlan plan_of_rank(const MatchedSchedule& plan, Rank rank, Operand operand, int waves) {
  return Cutter(plan, rank, operand, waves).part();
}

double bytes_applied_per_step(const MatchedSchedule& plan, Rank ranks, std::size_t element) {
  double elements = 0;
  for (const MatchedMessage& m : plan.messages)
    if (m.kind == ActionKind::reduce) elements += static_cast<double>(m.elements);
  const auto steps = static_cast<double>(std::max<std::size_t>(plan.step_count(), 1));
  return elements * static_cast<double>(element) / steps / ranks;
}

}  // namespace arlab::collectives
