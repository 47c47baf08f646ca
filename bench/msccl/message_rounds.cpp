#include "bench/msccl/message_rounds.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace arlab::bench {

constexpr std::size_t kMostOrders = 4'000'000;

bool MessageRounds::order(int before, int after, int distance) {
  if (orders_.size() == kMostOrders) return false;
  orders_.push_back({before, after, distance});
  return true;
}

bool MessageRounds::set_levels() {
  for (bool changed = true; changed;) {
    changed = false;
    for (const Order& o : orders_) {
      const int least = (*this)[o.before].level + o.distance;
      ChunkMessage& after = (*this)[o.after];
      if (after.level >= least) continue;
      if (least > static_cast<int>(messages_.size())) return false;
      after.level = least;
      changed = true;
    }
  }
  return true;
}

Count lanes_for(int chunks, Rank ranks) { return std::lcm(Count{chunks}, Count{ranks}) / ranks; }

std::vector<Script::ScriptLane> MessageRounds::lanes(int chunks, Rank ranks) const {
  std::vector<Script::ScriptLane> all(index(lanes_for(chunks, ranks)));
  for (Script::ScriptLane& lane : all) lane.ranks.resize(index(ranks));
  std::vector<const ChunkMessage*> ordered;
  for (const ChunkMessage& m : messages_) ordered.push_back(&m);
  std::stable_sort(
      ordered.begin(), ordered.end(),
      [](const ChunkMessage* a, const ChunkMessage* b) { return a->level < b->level; });
  const int width = static_cast<int>(static_cast<Count>(all.size()) * ranks / chunks);
  std::vector<std::vector<int>> level(all.size(), std::vector<int>(index(ranks), -1));
  for (const ChunkMessage* m : ordered)
    for (int begin = m->chunk * width, end = begin + m->count * width; begin < end;) {
      const int stop = std::min(end, (begin / ranks + 1) * ranks);
      const auto lane = static_cast<std::size_t>(begin / ranks);
      const Chunks carried{begin % ranks, stop - begin, 1};
      const auto add = [&](Rank rank, const Action& action) {
        Script::Rounds& rounds = all[lane].ranks[index(rank)];
        if (std::exchange(level[lane][index(rank)], m->level) != m->level) rounds.emplace_back();
        rounds.back().push_back(action);
      };
      add(m->from, send(m->to, carried));
      add(m->to, {m->kind, m->from, carried});
      begin = stop;
    }
  return all;
}

}  // namespace arlab::bench
