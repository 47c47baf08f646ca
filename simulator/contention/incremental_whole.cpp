// The rates of all flows that links connect, solved together.
#include <algorithm>
#include <utility>

#include "simulator/contention/incremental_maxmin.hpp"

namespace arlab::simulator {

// Solves for all flows that links connect with those of the waiting links.
void IncrementalMaxMin::settle_whole() {
  ++wholes_;
  link_in_.resize(channels_.size());
  flow_in_.resize(routes_.size());
  group_.clear();
  shared_.clear();
  own_.clear();
  problem_.capacity.clear();
  problem_.begin.assign(1, 0);
  problem_.links.clear();
  problem_.limit.clear();
  problem_.count.clear();
  for (const auto& [level, link] : waiting_) {
    gather(link);
    channel(link).turn = channel(link).flows.size() > 1 ? Turn::none : Turn::alone;
  }
  for (std::size_t i = 0; i < group_.size(); ++i) add_to_problem(group_[i]);
  const Shares solved = solver_.solve(problem_);
  for (const Link link : shared_) channel(link).level = kInfinite;
  for (std::size_t i = 0; i < group_.size(); ++i) {
    const std::uint32_t holder = solved.holder[i];
    if (holder != Shares::kLimit) channel(shared_[holder]).level = solved.rate[i];
    set_rate(group_[i], solved.rate[i], holder == Shares::kLimit ? own_[i] : shared_[holder]);
  }
  for (const Link link : shared_)
    if (channel(link).level == kInfinite)
      used_[static_cast<std::size_t>(link)] = sum_of_rates(channel(link));
}

// Adds the flows of the link to the group. While they are in it, they are held by no link.
void IncrementalMaxMin::gather(Link link) {
  if (std::exchange(link_in_[static_cast<std::size_t>(link)], wholes_) == wholes_) return;
  Channel& c = channel(link);
  c.index = static_cast<std::uint32_t>(shared_.size());
  if (c.flows.size() == 1)
    c.level = level_alone(c);
  else if (!c.flows.empty()) {
    shared_.push_back(link);
    problem_.capacity.push_back(c.capacity);
  }
  for (const Flow flow : c.flows)
    if (std::exchange(flow_in_[flow], wholes_) != wholes_) group_.push_back(flow);
}

// A link of no other flow is no part of the problem, but limits the flow's rate.
void IncrementalMaxMin::add_to_problem(Flow flow) {
  double limit = cap_;
  Link own = kCapped;
  for (const Link link : route(flow)) {
    gather(link);
    const Channel& c = channel(link);
    if (c.flows.size() > 1)
      problem_.links.push_back(c.index);
    else if (c.level < limit)
      limit = c.level, own = link;
  }
  problem_.begin.push_back(static_cast<std::uint32_t>(problem_.links.size()));
  problem_.limit.push_back(limit);
  problem_.count.push_back(routes_[flow].count);
  own_.push_back(own);
}

}  // namespace arlab::simulator
