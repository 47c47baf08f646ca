#include "bench/formats/msccl/message_rounds.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>
#include <utility>

namespace arlab::bench {
namespace {

constexpr std::size_t kMostOrders = 16'000'000;

// The places of a chunk in the lanes, one after another, in units of one chunk of a rank.
struct Places {
  Count first = 0, count = 1;
};

Places places_of(int chunk, const ChunkLayout& layout) {
  const Count lanes = layout.lanes();
  if (layout.owned) return {chunk % lanes * layout.ranks + chunk / lanes, 1};
  const Count width = lanes * layout.ranks / layout.chunks;
  return {chunk * width, width};
}

}  // namespace

Count ChunkLayout::lanes() const {
  return owned ? chunks / ranks : std::lcm(Count{chunks}, Count{ranks}) / ranks;
}

int MessageRounds::add(Rank from, Rank to, int first_chunk, int count) {
  const auto first = static_cast<int>(parts_.size());
  for (int i = 0; i < count; ++i) {
    parts_.push_back({from, to, first_chunk + i, messages_});
    joined_.push_back(joined_.size());
  }
  levels_.resize(parts_.size());
  ++messages_;
  return first;
}

void MessageRounds::join(int number, int count) {
  for (int i = 1; i < count; ++i)
    joined_[static_cast<std::size_t>(number + i)] = static_cast<std::size_t>(number);
}

bool MessageRounds::order(int before, int after, int distance) {
  if (orders_.size() == kMostOrders) return false;
  orders_.push_back({before, after, distance});
  return true;
}

bool MessageRounds::set_levels() {
  for (bool changed = true; changed;) {
    changed = false;
    for (const Order& o : orders_) {
      const int least = level(o.before) + o.distance;
      if (level(o.after) >= least) continue;
      if (least > static_cast<int>(parts_.size())) return false;
      levels_[joined_[static_cast<std::size_t>(o.after)]] = least;
      changed = true;
    }
  }
  return true;
}

std::vector<Script::ScriptLane> MessageRounds::lanes(const ChunkLayout& layout) const {
  const Rank ranks = layout.ranks;
  std::vector<Script::ScriptLane> all(index(layout.lanes()));
  for (Script::ScriptLane& lane : all) lane.ranks.resize(index(ranks));
  // By level and message; within a message by place, so that neighbors join.
  using Key = std::tuple<int, int, ActionKind>;
  std::map<Key, std::vector<int>> ordered;
  for (int i = 0; i < static_cast<int>(parts_.size()); ++i) {
    const ChunkMessage& m = parts_[static_cast<std::size_t>(i)];
    ordered[{level(i), m.message, m.kind}].push_back(i);
  }
  std::vector<std::vector<int>> latest(all.size(), std::vector<int>(index(ranks), -1));
  for (const auto& [key, numbers] : ordered) {
    std::vector<Places> places;
    for (const int n : numbers)
      places.push_back(places_of(parts_[static_cast<std::size_t>(n)].chunk, layout));
    std::sort(places.begin(), places.end(),
              [](const Places& a, const Places& b) { return a.first < b.first; });
    const ChunkMessage& m = parts_[static_cast<std::size_t>(numbers.front())];
    const auto add = [&](std::size_t lane, Rank rank, const Action& action) {
      Script::Rounds& rounds = all[lane].ranks[index(rank)];
      if (std::exchange(latest[lane][index(rank)], std::get<0>(key)) != std::get<0>(key))
        rounds.emplace_back();
      rounds.back().push_back(action);
    };
    for (std::size_t p = 0; p < places.size();) {
      Count begin = places[p].first, end = begin;
      while (p < places.size() && places[p].first == end) end += places[p++].count;
      while (begin < end) {
        const Count stop = std::min(end, (begin / ranks + 1) * ranks);
        const auto lane = static_cast<std::size_t>(begin / ranks);
        const Chunks carried{static_cast<Rank>(begin % ranks), static_cast<Rank>(stop - begin), 1};
        add(lane, m.from, send(m.to, carried));
        add(lane, m.to, {m.kind, m.from, carried});
        begin = stop;
      }
    }
  }
  return all;
}

}  // namespace arlab::bench
