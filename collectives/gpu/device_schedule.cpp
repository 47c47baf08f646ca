#include "collectives/gpu/device_schedule.hpp"

#include <algorithm>
#include <utility>

#include "collectives/reduce/reduce.hpp"

namespace arlab::collectives {
namespace {

constexpr std::size_t kAligned = 256;

bool overlap(const ElementRange& a, const ElementRange& b) {
  return a.first < b.first + b.elements && b.first < a.first + a.elements;
}

class Scheduler {
 public:
  Scheduler(MatchedSchedule plan, Operand operand, const std::function<bool(Rank, Rank)>& reads)
      : reads_(reads), element_(size_of(operand.dtype)) {
    schedule_.plan = std::move(plan);
    schedule_.operand = operand;
  }

  DeviceSchedule schedule() {
    const MatchedSchedule& plan = schedule_.plan;
    schedule_.copies.resize(plan.rounds.size());
    schedule_.sources.resize(plan.messages.size());
    schedule_.staging.resize(plan.messages.size());
    state_.resize(plan.messages.size());
    used_.resize(plan.rounds.size());
    for (std::size_t round = 0; round < plan.rounds.size(); ++round) copy_what_changes(round);

    std::vector<std::vector<std::uint32_t>> ending(plan.step_count());
    for (std::uint32_t round = 0; round < plan.rounds.size(); ++round)
      ending[plan.rounds[round].ends].push_back(round);
    std::uint32_t next = 0;  // round to begin
    for (std::uint32_t step = 0; step < plan.step_count(); ++step) {
      for (; next < plan.rounds.size() && plan.rounds[next].begins == step; ++next)
        add(DeviceWork::Kind::begin, next);
      for (std::uint32_t m = plan.steps[step]; m < plan.steps[step + 1]; ++m) receive(m);
      for (const std::uint32_t round : ending[step]) add(DeviceWork::Kind::end, round);
    }
    lay_out_scratch();
    if (divisors_of(schedule_.operand, static_cast<Rank>(plan.divided.size())).before != 1)
      for (std::size_t rank = 0; rank < plan.divided.size(); ++rank)
        count_traffic(2, plan.contributed);
    if (schedule_.operand.op == Op::avg)
      for (const auto& ranges : plan.divided)
        for (const ElementRange& range : ranges) count_traffic(2, range.elements);
    return std::move(schedule_);
  }

 private:
  enum class State : std::uint8_t { open, staged, applied };

  const MatchedMessage& message(std::uint32_t m) const { return schedule_.plan.messages[m]; }
  ElementRange target(std::uint32_t m) const {
    return {message(m).target_first, message(m).elements};
  }
  ElementRange source(std::uint32_t m) const {
    return {message(m).source_first, message(m).elements};
  }
  void add(DeviceWork::Kind kind, std::uint32_t index) {
    schedule_.work.push_back({kind, index, 1});
  }
  void count_traffic(int times, Count elements) {
    schedule_.traffic +=
        static_cast<double>(times) * static_cast<double>(elements) * static_cast<double>(element_);
  }
  /// Scratch in a round, as an offset from where the round's lane begins. It is aligned as the
  /// range in its vector, so that kernels can use their widest accesses on both.
  std::size_t take(std::size_t round, const ElementRange& range) {
    const std::size_t begin =
        used_[round] + static_cast<std::size_t>(range.first) * element_ % kAligned;
    const std::size_t end = begin + static_cast<std::size_t>(range.elements) * element_;
    used_[round] = (end + kAligned - 1) / kAligned * kAligned;
    return begin;
  }

  void copy_what_changes(std::size_t round) {
    const MatchedRound& its = schedule_.plan.rounds[round];
    std::vector<DeviceSchedule::Copy>& copies = schedule_.copies[round];
    for (const std::uint32_t m : its.sends) {
      const ElementRange range = source(m);
      schedule_.sources[m] = {false, static_cast<std::size_t>(range.first) * element_};
      if (std::none_of(its.receives.begin(), its.receives.end(),
                       [&](std::uint32_t r) { return overlap(range, target(r)); }))
        continue;
      auto copy = std::find_if(copies.begin(), copies.end(), [&](const auto& c) {
        return c.range.first == range.first && c.range.elements == range.elements;
      });
      if (copy == copies.end()) {
        copies.push_back({range, take(round, range)});
        copy = copies.end() - 1;
        count_traffic(2, range.elements);
      }
      schedule_.sources[m] = {true, copy->offset};
    }
  }

  bool is_its_turn(std::uint32_t m) const {
    const auto& receives = schedule_.plan.rounds[message(m).target_round].receives;
    return std::none_of(
        receives.begin(), receives.begin() + message(m).position, [&](std::uint32_t earlier) {
          return state_[earlier] != State::applied && overlap(target(earlier), target(m));
        });
  }

  void receive(std::uint32_t m) {
    const MatchedMessage& its = message(m);
    const bool reduces = its.kind == ActionKind::reduce;
    if ((reduces && !reads_(its.target, its.source)) || !is_its_turn(m)) {
      count_traffic(reduces ? 3 : 2, its.elements);
      return stage(m);
    }
    if (reduces && joins_last(m)) {
      count_traffic(1, its.elements);
      ++schedule_.work.back().count;
    } else {
      count_traffic(reduces ? 3 : 2, its.elements);
      add(DeviceWork::Kind::read, m);
    }
    state_[m] = State::applied;
    apply_staged(its.target_round);
  }

  /// Whether the last work reduces the message before into the same memory, so that one pass over
  /// it does for both.
  bool joins_last(std::uint32_t m) const {
    if (schedule_.work.empty()) return false;
    const DeviceWork& last = schedule_.work.back();
    if (last.kind != DeviceWork::Kind::read || last.index + last.count != m) return false;
    const MatchedMessage &before = message(m - 1), &its = message(m);
    return before.kind == its.kind && before.target_round == its.target_round &&
           before.target_first == its.target_first && before.elements == its.elements;
  }

  void stage(std::uint32_t m) {
    count_traffic(2, message(m).elements);
    schedule_.staging[m] = take(message(m).target_round, target(m));
    add(DeviceWork::Kind::stage, m);
    state_[m] = State::staged;
    apply_staged(message(m).target_round);
  }

  void apply_staged(std::uint32_t round) {
    for (const std::uint32_t m : schedule_.plan.rounds[round].receives) {
      if (state_[m] != State::staged || !is_its_turn(m)) continue;
      add(DeviceWork::Kind::apply, m);
      state_[m] = State::applied;
    }
  }

  // A lane's rounds follow one another and share scratch; lanes of a rank do not.
  void lay_out_scratch() {
    MatchedSchedule& plan = schedule_.plan;
    std::vector<std::vector<std::size_t>> largest(plan.sent.size());  // by rank and lane
    for (std::size_t round = 0; round < plan.rounds.size(); ++round) {
      auto& lanes = largest[static_cast<std::size_t>(plan.rounds[round].rank)];
      const auto lane = static_cast<std::size_t>(plan.rounds[round].lane);
      if (lanes.size() <= lane) lanes.resize(lane + 1);
      lanes[lane] = std::max(lanes[lane], used_[round]);
    }
    for (auto& lanes : largest) {
      std::size_t begin = 0;
      for (std::size_t& lane : lanes) begin += std::exchange(lane, begin);
      schedule_.scratch.push_back(begin);
    }
    const auto base = [&](std::uint32_t round) {
      return largest[static_cast<std::size_t>(plan.rounds[round].rank)]
                    [static_cast<std::size_t>(plan.rounds[round].lane)];
    };
    for (std::uint32_t round = 0; round < plan.rounds.size(); ++round)
      for (auto& copy : schedule_.copies[round]) copy.offset += base(round);
    for (std::size_t m = 0; m < plan.messages.size(); ++m) {
      if (schedule_.sources[m].in_scratch)
        schedule_.sources[m].offset += base(plan.messages[m].source_round);
      schedule_.staging[m] += base(plan.messages[m].target_round);
    }
  }

  const std::function<bool(Rank, Rank)>& reads_;
  std::size_t element_;
  std::vector<State> state_;       // of each message
  std::vector<std::size_t> used_;  // scratch of each round, bytes
  DeviceSchedule schedule_;
};

}  // namespace

DeviceSchedule schedule_on_devices(MatchedSchedule plan, Operand operand,
                                   const std::function<bool(Rank, Rank)>& reads) {
  return Scheduler(std::move(plan), operand, reads).schedule();
}

}  // namespace arlab::collectives
