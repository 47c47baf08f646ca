#include "simulator/topologies/routing/spray.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"

namespace arlab::simulator {
namespace {

constexpr std::int64_t kMostParts = 1024;

// How many parts must reach a node so that all splits from there to one target are whole.
class PartsNeeded {
 public:
  PartsNeeded(const Topology& topology, Router& router, Rank target)
      : topology_(topology), router_(router), target_(target) {}

  std::int64_t at(NodeId node) {
    if (node == target_) return 1;
    if (const auto known = found_.find(node); known != found_.end()) return known->second;
    const auto out = router_.ways(node, target_);
    const std::vector<LinkId> ways(out.begin(), out.end());
    std::int64_t next = 1;
    for (const LinkId way : ways) next = common(next, at(topology_.link(way).to));
    return found_[node] =
               limited(next * static_cast<std::int64_t>(std::max<std::size_t>(1, ways.size())));
  }
  std::int64_t common(std::int64_t a, std::int64_t b) const { return limited(std::lcm(a, b)); }

 private:
  std::int64_t limited(std::int64_t parts) const {
    if (parts > kMostParts)
      fail(Blame::usage,
           concat("routing 'spray' would cut a message into ", parts, " parts or more in ",
                  topology_.spec(), ", at most ", kMostParts, ": use ecmp:flows=64"));
    return parts;
  }

  const Topology& topology_;
  Router& router_;
  Rank target_;
  std::unordered_map<NodeId, std::int64_t> found_;
};

}  // namespace

std::int32_t parts_to_spray(const Topology& topology, Router& router, std::span<const Rank> hosts) {
  std::int64_t parts = 1;
  const std::set<Rank> used(hosts.begin(), hosts.end());
  for (const Rank target : used) {
    PartsNeeded needed(topology, router, target);
    for (const Rank source : used) parts = needed.common(parts, needed.at(source));
  }
  return static_cast<std::int32_t>(parts);
}

std::vector<LinkId> sprayed(const Topology& topology, Router& router, Rank source, Rank target,
                            std::int32_t parts) {
  std::vector<LinkId> links;
  std::map<NodeId, std::int32_t> here{{source, parts}};  // parts at nodes as far from the target
  while (here.begin()->first != target || here.size() > 1) {
    std::map<NodeId, std::int32_t> next;
    for (const auto& [node, count] : here) {
      const auto ways = router.ways(node, target);
      if (ways.empty()) router.route(source, target);  // says that there is none
      const auto each = static_cast<std::size_t>(count) / ways.size();
      for (const LinkId way : ways) {
        links.insert(links.end(), each, way);
        next[topology.link(way).to] += static_cast<std::int32_t>(each);
      }
    }
    here = std::move(next);
  }
  return links;
}

}  // namespace arlab::simulator
