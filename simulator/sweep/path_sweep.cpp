// Path sweep: rounds in which each rank sends one message and receives one, over links that no two
// messages use at a time.
//
// A message then takes the latency of its route and its bytes at the rate of the narrowest link,
// whatever happens elsewhere. The times are computed as if that were so, and each link keeps when
// its latest message ends. A message that begins earlier shares the link, and ends the sweep.
#include <algorithm>
#include <utility>
#include <vector>

#include "simulator/flow_time.hpp"
#include "simulator/sweep/exchange_rounds.hpp"
#include "simulator/sweep/sweep.hpp"

namespace arlab::simulator {
namespace {

class PathSweep {
 public:
  PathSweep(const Algorithm& algorithm, const Problem& problem, Bytes element_size,
            ExactShortcuts& network)
      : rounds_(algorithm, problem, element_size),
        element_size_(element_size),
        network_(network),
        begin_(index(problem.ranks)),
        arrival_(index(problem.ranks)),
        routes_(index(problem.ranks)) {}

  std::optional<SimulationResult> run() {
    const std::optional<Count> rounds = rounds_.through([&](int more) {
      for (int k = 0; k < more; ++k)
        if (!step(rounds_.row(k))) return false;
      return true;
    });
    if (!rounds) return {};
    std::vector<double> carried;
    for (const LinkUse& use : links_) carried.push_back(use.carried);
    network_.carry(carried);
    SimulationResult result;
    result.engine = EngineKind::sweep;
    result.finish = *std::max_element(begin_.begin(), begin_.end());
    result.finish_of = std::move(begin_);
    result.sent = {*rounds * rounds_.ranks(), sent_bytes_ / element_size_, *rounds};
    return result;
  }

 private:
  struct LinkUse {
    Time end{};  // of its latest message
    double carried = 0;
  };
  struct Route {  // the latest of a rank
    Rank target = -1;
    std::uint32_t size = 0;
    double rate = 0, bytes = 0;
    Time latency{}, flow{};  // flow: the time that the bytes take
    std::vector<std::int32_t> links;
  };

  // Computes one round of all ranks. Returns false if a link is shared.
  bool step(const ExchangeRounds::Row& row) {
    if (rounds_.has_empty()) return false;
    for (Rank r = 0; r < rounds_.ranks(); ++r) {
      const Rank target = row.peers.target(r);
      if (row.peers.source(target) != r || !send(r, target, row.sent_by(r))) return false;
    }
    for (Rank r = 0; r < rounds_.ranks(); ++r) {
      const Rank source = row.peers.source(r);
      const std::uint32_t size = row.received_by(r);
      if (size != row.sent_by(source)) return false;
      Time end = std::max(arrival_[index(r)], arrival_[index(source)]);
      if (row.reduces) end += network_.reduction(rounds_.sizes()[size]);
      begin_[index(r)] = in_calendar(end);
    }
    return true;
  }

  bool send(Rank source, Rank target, std::uint32_t size) {
    Route& route = routes_[index(source)];
    if ((route.target != target || route.size != size) && !find(route, source, target, size))
      return false;
    const Time start = std::max(begin_[index(source)], begin_[index(target)]) + route.latency;
    const Time end = start + route.flow;
    for (const std::int32_t link : route.links) {
      LinkUse& use = links_[index(link)];
      if (start < use.end) return false;
      use.end = end;
      use.carried += route.bytes;
    }
    arrival_[index(source)] = end;
    sent_bytes_ += rounds_.sizes()[size];
    return true;
  }

  // Returns false if the message has no links, or takes no time on them.
  bool find(Route& route, Rank source, Rank target, std::uint32_t size) {
    if (route.target != target) {
      const Path path = network_.path(source, target);
      route.target = target;
      route.latency = path.latency;
      route.rate = path.rate;
      route.links.assign(path.links.begin(), path.links.end());
      envelope_ = path.envelope;
      for (const std::int32_t link : route.links)
        if (index(link) >= links_.size()) links_.resize(index(link) + 1);
    }
    if (route.links.empty()) return false;
    route.size = size;
    route.bytes = static_cast<double>(rounds_.sizes()[size]) + envelope_;
    const double flow = flow_picoseconds(route.bytes, route.bytes, route.rate);
    if (!(flow <= picoseconds(kLongest))) return false;  // the engine names the link
    route.flow = to_time(flow);
    return route.flow > Time{};
  }

  ExchangeRounds rounds_;
  Bytes element_size_;
  ExactShortcuts& network_;
  std::vector<Time> begin_;    // of each rank's round
  std::vector<Time> arrival_;  // of its message
  std::vector<Route> routes_;  // by rank
  std::vector<LinkUse> links_;
  double envelope_ = 0;
  Bytes sent_bytes_ = 0;
};

// Whether messages of one round of the first few ranks share a link. If they do, all ranks are not
// worth running: a sweep is a gain only where no link is shared.
bool first_ranks_share_links(const Algorithm& algorithm, const Problem& problem, Network& network) {
  const Rank ranks = std::min<Rank>(16, problem.ranks / 8);
  std::vector<Program> programs;
  for (Rank r = 0; r < ranks; ++r) programs.push_back(algorithm.program(problem, r));
  std::vector<int> latest_round;  // of each link
  for (int round = 1; round <= ExchangeRounds::kWindow; ++round)
    for (Rank r = 0; r < ranks; ++r) {
      if (!programs[index(r)].next()) return false;
      for (const Action& action : programs[index(r)].round()) {
        if (!action.sends() || action.peer < 0 || action.peer >= problem.ranks || action.peer == r)
          continue;
        for (const std::int32_t link : network.shortcuts()->path(r, action.peer).links) {
          if (index(link) >= latest_round.size()) latest_round.resize(index(link) + 1);
          if (std::exchange(latest_round[index(link)], round) == round) return true;
        }
      }
    }
  return false;
}

}  // namespace

std::optional<SimulationResult> path_sweep(const Algorithm& algorithm, const Problem& problem,
                                           Bytes element_size, Network& network) {
  if (first_ranks_share_links(algorithm, problem, network)) return {};
  return PathSweep(algorithm, problem, element_size, *network.shortcuts()).run();
}

}  // namespace arlab::simulator
