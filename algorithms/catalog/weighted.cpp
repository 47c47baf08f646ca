// Weighted owners: each rank owns a share of the vector, as large as its links are fast.
//
// Every rank sends each owner its share; the owner adds up what it gets and sends the sum back. A
// lane is one owner's share, cut into pieces: while the sum of one goes back, the next is on its
// way, so that links are used in both directions. With equal shares it takes as long as a ring. A
// link of half the speed costs 1/(P-1) more, not twice the time: its rank owns nothing, and so has
// to send and receive the vector only once. The idea of OptCC, arXiv:2606.01680, for a slow NIC.
#include <algorithm>
#include <cmath>

#include "algorithms/algorithm.hpp"
#include "algorithms/base/error.hpp"
#include "algorithms/base/quantities.hpp"
#include "algorithms/base/text.hpp"
#include "algorithms/parts/rank_shares.hpp"

namespace arlab::catalog {
namespace {

constexpr Rank kMostRanks = 1024;  // each has a lane

// Into how many pieces an owner's share is cut, if the vector had enough chunks. Q pieces take the
// time of Q + 1, and each a latency. The constant suits latencies of a microsecond at 10 GB/s.
Count wanted_pieces(const Problem& p) {
  constexpr double kElements = 1024;
  if (p.pieces > 0) return p.pieces;
  return std::clamp<Count>(std::llround(std::sqrt(static_cast<double>(p.elements) / kElements)), 1,
                           64);
}

Count share_pieces(const Problem& p) { return std::min<Count>(p.parts(), wanted_pieces(p)); }

Chunks share_piece(const Problem& p, Count number) {
  const Count count = share_pieces(p);
  const Count first = p.parts() * number / count, end = p.parts() * (number + 1) / count;
  return p.chunks(first, static_cast<Rank>(end - first));
}

Program owner_program(Problem p) {
  const Count count = share_pieces(p);
  std::vector<Action> round;
  round.reserve(2 * static_cast<std::size_t>(p.ranks - 1));
  for (Count r = 0; r <= count; ++r) {
    round.clear();
    for (Rank s = 1; s < p.ranks; ++s) {  // in another order for each owner
      const Rank other = p.wrap(Count{p.lane} + s);
      if (r < count) round.push_back(reduce(other, share_piece(p, r)));
      if (r > 0) round.push_back(send(other, share_piece(p, r - 1)));
    }
    co_yield Round(round);
  }
}

Program other_program(Problem p) {
  const Count count = share_pieces(p);
  for (Count r = 0; r <= count; ++r) {
    if (r == 0)
      co_yield send(p.lane, share_piece(p, 0));
    else if (r == count)
      co_yield replace(p.lane, share_piece(p, r - 1));
    else
      co_yield together(send(p.lane, share_piece(p, r)), replace(p.lane, share_piece(p, r - 1)));
  }
}

Program no_program() { co_return; }

Program program(Problem p, Rank me) {
  if (p.ranks == 1) return no_program();
  return me == p.lane ? owner_program(p) : other_program(p);
}

Count filled_pieces_of_share(const Problem& p) {
  return (p.filled_chunks() * share_pieces(p) + p.parts() - 1) / p.parts();
}

Cost cost_model(const Problem& p) {
  if (p.ranks == 1) return {};
  const Count others = p.ranks - 1;
  return {2 * others * filled_pieces_of_share(p), 2 * others * p.elements, share_pieces(p) + 1};
}

Cost rank_cost_model(const Problem& p, Rank me) {
  if (p.ranks == 1) return {};
  const Count sent = me == p.lane ? p.ranks - 1 : 1;
  return {sent * filled_pieces_of_share(p), sent * p.elements, share_pieces(p) + 1};
}

// The rate of the last rank given is that of those that follow, too.
std::vector<Count> lane_weights(const Problem& p, const std::vector<Rank>& given) {
  std::vector<double> rates;
  for (Rank r = 0; r < p.ranks; ++r) rates.push_back(given[std::min(index(r), given.size() - 1)]);
  return shares_for(rates);
}

std::string unsupported_reason(const Problem& p, const std::vector<Rank>& given) {
  if (p.ranks > kMostRanks)
    return concat("weighted has a lane per rank: use at most ", kMostRanks, " ranks");
  if (given.empty())
    return "weighted needs the rates of the ranks: for example weighted:rates=1x2, where rank 0 is "
           "half as fast as all others, or weighted:record=FILE, which `arlab hunt --json FILE` "
           "writes";
  if (given.size() > index(p.ranks))
    return concat("weighted:rates has ", given.size(), " rates for ", p.ranks,
                  " ranks: give at most one each");
  return "";
}

Algorithm with(const std::vector<Rank>& given) {
  Algorithm a;
  a.name = "weighted";
  a.label = "Weighted owners";
  a.color = "#3A2E6E";
  a.family = "split";
  a.summary = "each rank adds up and sends back a share that suits the speed of its link";
  a.source = "OptCC, arXiv:2606.01680";
  a.formula = {"2 S (m-1) Q, S owners, Q pieces", "2N(m-1)", "Q+1"};
  a.collectives = {Collective::allreduce};
  a.few_ranks = given.empty();  // comparisons of all leave it out without rates
  a.chained = Chained::no;
  a.pipelined = true;
  a.carries = Carries::range;
  a.program = program;
  a.cost_model = cost_model;
  a.rank_cost_model = rank_cost_model;
  a.unsupported_reason = [given](const Problem& p) { return unsupported_reason(p, given); };
  a.lane_weights = [given](const Problem& p) { return lane_weights(p, given); };
  a.chunks_per_rank = [](const Problem& p) {
    return static_cast<Rank>((wanted_pieces(p) + p.ranks - 1) / p.ranks);
  };
  a.parameters = {
      {"rates", Parameter::Unit::sizes, "",
       "of rank 0, 1, ..., such as 1x2x2; the last is that of all others, too; record=FILE "
       "instead: those that a hunt found"}};
  a.examples = {"weighted:rates=1x2", "weighted:rates=3x1x2x7"};
  return a;
}

Algorithm configure(std::span<const Setting> settings) {
  const std::vector<Parameter> parameters = with({}).parameters;
  std::vector<Rank> given;
  for (const Setting& setting : settings) {
    if (setting.name == "record")
      fail(Blame::usage, concat("weighted:record=", setting.value,
                                ": records are not read here: write weighted:rates= and what the "
                                "record says under \"rates\""));
    find_parameter(parameters, setting.name, "algorithm weighted");
    given = parse_sizes(setting.value, "rates");
  }
  return with(given);
}

}  // namespace

Algorithm weighted() {
  Algorithm entry = with({});
  entry.configure = configure;
  return entry;
}

}  // namespace arlab::catalog
