#include "bench/hunt/search/routes.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "algorithms/groups.hpp"

namespace arlab::hunt {
namespace {

using Routes = std::vector<SlowRoute>;

// Routes that hang together: senders with senders, receivers with receivers, by their names.
std::vector<Routes> parts_of(const Routes& routes, const auto& name) {
  std::map<std::pair<bool, std::int32_t>, std::size_t> part_of;  // of a sender or receiver
  std::vector<Routes> parts;
  for (const SlowRoute& route : routes) {
    const std::pair<bool, std::int32_t> ends[] = {{true, name(route.time.from)},
                                                  {false, name(route.time.to)}};
    parts.push_back({route});
    const std::size_t mine = parts.size() - 1;
    for (const auto& end : ends) {
      const auto there = part_of.find(end);
      if (there != part_of.end() && there->second != mine) {
        const std::size_t other = there->second;
        parts[mine].insert(parts[mine].end(), parts[other].begin(), parts[other].end());
        parts[other].clear();
        for (auto& [key, part] : part_of)
          if (part == other) part = mine;
      }
      part_of[end] = mine;
    }
  }
  std::erase_if(parts, [](const Routes& part) {
    return std::ranges::none_of(part, &SlowRoute::is_confirmed);
  });
  return parts;
}

std::vector<Rank> ends_of(const Routes& routes, bool senders) {
  std::set<Rank> all;
  for (const SlowRoute& r : routes) all.insert(senders ? r.time.from : r.time.to);
  return {all.begin(), all.end()};
}

double times_of(const Routes& routes) {
  std::vector<double> all;
  for (const SlowRoute& r : routes)
    if (r.is_confirmed) all.push_back(median({r.time.times.begin(), r.time.times.end()}));
  return median(std::move(all));
}

bool share_group(const std::vector<Rank>& ranks, std::span<const std::int32_t> group_of) {
  return !group_of.empty() && std::ranges::all_of(ranks, [&](Rank r) {
    return group_of[index(r)] == group_of[index(ranks.front())];
  });
}

// The rank of the senders' group that has the place of all receivers in theirs; -1: none.
Rank relay_of(const Routes& routes, std::span<const std::int32_t> group_of) {
  const std::vector<Rank> senders = ends_of(routes, true), receivers = ends_of(routes, false);
  if (senders.size() < 2 || !share_group(senders, group_of)) return -1;
  const Groups groups(group_of);
  const Rank group = groups.group_of(senders.front()), place = groups.place_of(receivers.front());
  for (const Rank r : receivers)
    if (groups.group_of(r) == group || groups.place_of(r) != place) return -1;
  return place < groups.size_of(group) ? groups.member(group, place) : -1;
}

// Whether no rank alone can be the reason.
bool is_group(const Routes& routes) {
  constexpr std::size_t kFewest = 3;
  return routes.size() >= kFewest && std::ranges::count_if(routes, &SlowRoute::is_confirmed) > 1 &&
         ends_of(routes, true).size() > 1 && ends_of(routes, false).size() > 1;
}

// The near side is within a group, or smaller.
Finding finding_of(const Routes& routes, std::span<const std::int32_t> group_of,
                   Quantity quantity) {
  std::vector<Rank> senders = ends_of(routes, true), receivers = ends_of(routes, false);
  const bool single = routes.size() == 1;
  const bool within[] = {share_group(senders, group_of), share_group(receivers, group_of)};
  const bool sends = within[0] != within[1] ? within[0] : senders.size() <= receivers.size();
  if (!sends) std::swap(senders, receivers);
  return {.place = single ? Place::link : Place::group,
          .quantity = quantity,
          .ranks = std::move(senders),
          .others = std::move(receivers),
          .sends = sends,
          .receives = !sends,
          .times = times_of(routes),
          .relay = relay_of(routes, group_of)};
}

// Few ranks of which every pair has one: the hosts of a leaf if its uplink is slow.
std::set<Rank> cover_of(const Routes& routes) {
  std::set<Pair> left;
  for (const SlowRoute& r : routes)
    left.insert({std::min(r.time.from, r.time.to), std::max(r.time.from, r.time.to)});
  std::set<Rank> cover;
  while (!left.empty()) {
    std::map<Rank, int> degrees;
    for (const Pair& p : left) ++degrees[p.from], ++degrees[p.to];
    const Rank most =
        std::ranges::max_element(degrees, {}, [](const auto& d) { return d.second; })->first;
    cover.insert(most);
    std::erase_if(left, [&](const Pair& p) { return p.from == most || p.to == most; });
  }
  return cover;
}

// One rank that is an end of all pairs: its port, where it limits only some of them.
std::optional<Finding> port_of(const Routes& routes, Quantity quantity) {
  constexpr std::size_t kFewest = 3;
  const std::set<Rank> cover = cover_of(routes);
  if (cover.size() != 1 || std::ranges::count_if(routes, &SlowRoute::is_confirmed) < 2)
    return std::nullopt;
  const Rank rank = *cover.begin();
  std::set<Rank> others;
  Finding port{.place = Place::port,
               .quantity = quantity,
               .ranks = {rank},
               .sends = false,
               .receives = false,
               .times = times_of(routes)};
  for (const SlowRoute& r : routes) {
    (r.time.from == rank ? port.sends : port.receives) = true;
    others.insert(r.time.from == rank ? r.time.to : r.time.from);
  }
  if (others.size() < kFewest) return std::nullopt;
  return port;
}

// Where no groups are known, all pairs are one finding, unless they are one or two.
std::optional<Finding> group_without_names(const Routes& routes, Quantity quantity) {
  constexpr std::size_t kFewest = 3;
  std::set<Pair> pairs;
  for (const SlowRoute& r : routes)
    pairs.insert({std::min(r.time.from, r.time.to), std::max(r.time.from, r.time.to)});
  const bool any = std::ranges::any_of(routes, &SlowRoute::is_confirmed);
  if (!any || pairs.size() < kFewest) return std::nullopt;
  const std::set<Rank> near = cover_of(routes);
  Finding group{.place = Place::group,
                .quantity = quantity,
                .ranks = {near.begin(), near.end()},
                .sends = false,
                .receives = false,
                .times = times_of(routes)};
  std::set<Rank> far;
  for (const SlowRoute& r : routes) {
    (near.contains(r.time.from) ? group.sends : group.receives) = true;
    for (const Rank end : {r.time.from, r.time.to})
      if (!near.contains(end)) far.insert(end);
  }
  group.others.assign(far.begin(), far.end());
  return group;
}

std::vector<Rank> united(const std::vector<Rank>& a, const std::vector<Rank>& b) {
  std::vector<Rank> all;
  std::ranges::set_union(a, b, std::back_inserter(all));
  return all;
}

bool meet(const std::vector<Rank>& a, const std::vector<Rank>& b) {
  return std::ranges::any_of(a, [&](Rank r) { return std::ranges::find(b, r) != b.end(); });
}

// One finding of both directions, if the other one is the way back.
bool take_way_back(Finding& one, const Finding& other) {
  if (one.place != other.place) return false;
  if (one.place == Place::link) {
    // Both are seen from their sender, unless groups say otherwise.
    const bool turned = one.ranks == other.others && one.others == other.ranks;
    const bool same = one.ranks == other.ranks && one.others == other.others;
    if (turned ? one.sends != other.sends : !same || one.sends == other.sends) return false;
  } else if (one.sends == other.sends || !meet(one.ranks, other.ranks)) {
    return false;
  }
  if (one.place == Place::group) {
    one.ranks = united(one.ranks, other.ranks);
    one.others = united(one.others, other.others);
    if (one.relay != other.relay) one.relay = -1;
  }
  one.sends = one.receives = true;
  one.times = std::max(one.times, other.times);
  return true;
}

}  // namespace

std::vector<Finding> slow_routes(std::span<const SlowRoute> routes,
                                 std::span<const std::int32_t> group_of, Quantity quantity) {
  std::vector<Finding> all;
  const auto add = [&](const Routes& part) {
    Finding found = finding_of(part, group_of, quantity);
    for (Finding& one : all)
      if (!(one.sends && one.receives) && take_way_back(one, found)) return;
    all.push_back(std::move(found));
  };
  if (auto port = port_of({routes.begin(), routes.end()}, quantity)) {
    port->relay = relay_of({routes.begin(), routes.end()}, group_of);
    return {std::move(*port)};
  }
  if (group_of.empty())
    if (auto group = group_without_names({routes.begin(), routes.end()}, quantity))
      return {std::move(*group)};
  const auto by_rank = [](Rank r) { return r; };
  const auto by_group = [&](Rank r) { return group_of.empty() ? r : group_of[index(r)]; };
  for (const Routes& part : parts_of({routes.begin(), routes.end()}, by_group)) {
    if (auto port = port_of(part, quantity)) {
      port->relay = relay_of(part, group_of);
      all.push_back(std::move(*port));
      continue;
    }
    if (is_group(part)) {
      add(part);
      continue;
    }
    for (const Routes& smaller : parts_of(part, by_rank)) add(smaller);
  }
  return all;
}

}  // namespace arlab::hunt
