// StragglAR: one rank is late, and the others add up meanwhile.
//
// First a reduction without the late rank leaves sums of pieces with ceil(log2 m) ranks. When the
// late rank comes, it sends each piece to the rank that has the sum of the others; so begins the
// broadcast of that piece, in which the late rank receives it, too. That takes Q - 1 + ceil(log2 m)
// rounds of N/Q elements after its arrival, about half as long as a ring. Both halves are the same
// schedule (parts/circulant_broadcast.hpp), backwards and forwards, with the late rank as root.
// Devraj et al., arXiv:2505.23523, have a ring's reduce-scatter, and so Q = m - 1, in as many
// rounds on a power of two of ranks. More pieces take less time.
#include <cmath>

#include "algorithms/algorithm.hpp"
#include "algorithms/base/text.hpp"
#include "algorithms/parts/circulant_broadcast.hpp"
#include "algorithms/parts/pieces.hpp"

namespace arlab::catalog {
namespace {

constexpr Rank kUnknown = -1;
constexpr Rank kDeputy = 1;  // adds up the last piece for the late rank; counted from that rank

// Q pieces take the time of Q + ceil(log2 m) - 1, and each a latency. The constant suits latencies
// of a microsecond at 10 GB/s.
Count late_pieces_wanted(const Problem& p) {
  constexpr double kElements = 4096;
  constexpr Count kMost = 256;
  if (p.pieces > 0) return p.pieces;
  const double elements = static_cast<double>(p.elements), depth = ceil_log2(p.ranks);
  return std::clamp<Count>(std::llround(std::sqrt(depth * elements / kElements)), 2, kMost);
}

// At least two: the last one reaches the late rank while that sends the first.
Count late_pieces(const Problem& p) {
  return std::clamp<Count>(late_pieces_wanted(p), 2, p.parts());
}

Program program(Problem p, Rank me, Rank late) {
  if (p.ranks == 1) co_return;
  const Count pieces = late_pieces(p), last = pieces - 1;
  const Rank number = p.wrap(Count{me} - late);
  const CirculantBroadcast broadcast(p.ranks, number, pieces);
  const auto rank = [&](Rank of) { return p.wrap(Count{of} + late); };
  const auto piece = [&](Count of) { return piece_of(p, pieces, of); };
  std::vector<Action> round;
  if (number != 0 && p.ranks > 2) {
    for (Count r = broadcast.rounds() - 1; r > 0; --r) {
      const CirculantBroadcast::Step step = broadcast.step(r);
      round.clear();
      if (step.received >= 0 && step.from != 0)
        round.push_back(send(rank(step.from), piece(step.received)));
      if (step.sent >= 0 && step.to != 0) round.push_back(reduce(rank(step.to), piece(step.sent)));
      co_yield Round(round);
    }
    round.clear();
    for (const Rank first : broadcast.first_ranks())
      if (first != kDeputy && number == kDeputy)
        round.push_back(reduce(rank(first), piece(last)));
      else if (first != kDeputy && number == first)
        round.push_back(send(rank(kDeputy), piece(last)));
    if (!round.empty()) co_yield Round(round);
  }
  for (Count r = 0; r < broadcast.rounds(); ++r) {
    const CirculantBroadcast::Step step = broadcast.step(r);
    round.clear();
    if (step.sent >= 0) round.push_back(send(rank(step.to), piece(step.sent)));
    if (step.received >= 0) {
      const bool begins = step.from == 0 && step.received < last;
      round.push_back({begins ? ActionKind::reduce : ActionKind::replace, rank(step.from),
                       piece(step.received)});
    }
    if (r == 0 && number == kDeputy) round.push_back(send(late, piece(last)));
    if (r == 0 && number == 0) round.push_back(reduce(rank(kDeputy), piece(last)));
    co_yield Round(round);
  }
}

Cost cost_model(const Problem& p) {
  if (p.ranks == 1) return {};
  const Count pieces = late_pieces(p), half = pieces - 1 + ceil_log2(p.ranks);
  return {2 * Count{p.ranks - 1} * filled_pieces(p, pieces), 2 * Count{p.ranks - 1} * p.elements,
          p.ranks == 2 ? half : 2 * half};
}

// A rank sends each piece once in the reduction, but for those of which it has the sum in the end.
Cost rank_cost_model(const Problem& p, Rank me, Rank late) {
  if (p.ranks == 1) return {};
  const Count pieces = late_pieces(p), last = pieces - 1;
  const Rank number = p.wrap(Count{me} - late);
  const CirculantBroadcast broadcast(p.ranks, number, pieces);
  Cost cost;
  const auto add = [&](Count piece, Count times) {
    const Count elements = p.blocks().size(piece_of(p, pieces, piece));
    cost.elements += times * elements;
    cost.messages += elements > 0 ? times : 0;
  };
  bool is_first = false;
  for (Count r = 0; r < broadcast.rounds(); ++r) {
    const CirculantBroadcast::Step step = broadcast.step(r);
    if (step.sent >= 0) add(step.sent, 1);
    if (step.received < 0 || number == 0) continue;
    const bool from_late = step.from == 0;
    is_first = is_first || from_late;
    if (!from_late || (step.received == last && number != kDeputy)) add(step.received, 1);
  }
  if (number == kDeputy) add(last, 1);  // to the late rank
  const bool reduces = number != 0 && p.ranks > 2;
  cost.rounds = broadcast.rounds() + (reduces ? broadcast.rounds() - 1 + (is_first ? 1 : 0) : 0);
  return cost;
}

std::string unsupported_reason(const Problem& p, Rank late) {
  if (late == kUnknown)
    return "stragglar needs the rank that is late: for example stragglar:late=3";
  if (late < p.ranks) return "";
  return concat("stragglar:late=", late, ": there are ", p.ranks, " ranks: give 0 to ",
                p.ranks - 1);
}

Algorithm with(Rank late) {
  Algorithm a;
  a.name = "stragglar";
  a.label = "StragglAR";
  a.color = "#A28623";
  a.family = "split";
  a.summary = "the others add up before a late rank comes, then need half the time of a ring";
  a.source = "Devraj et al., arXiv:2505.23523; Träff, arXiv:2407.18004";
  a.formula = {"2(m-1)Q, Q pieces", "2N(m-1)", "2(Q-1+ceil(log2 m))"};
  a.collectives = {Collective::allreduce};
  a.few_ranks = late == kUnknown;  // comparisons of all leave it out
  a.chained = Chained::no;
  a.pipelined = true;
  a.carries = Carries::range;
  a.program = [late](Problem p, Rank me) { return program(p, me, late); };
  a.cost_model = cost_model;
  a.rank_cost_model = [late](const Problem& p, Rank me) { return rank_cost_model(p, me, late); };
  a.unsupported_reason = [late](const Problem& p) { return unsupported_reason(p, late); };
  a.chunks_per_rank = [](const Problem& p) {
    return chunks_per_rank_for(late_pieces_wanted(p), p.ranks);
  };
  a.parameters = {{"late", Parameter::Unit::count, "-1",
                   "the rank that is late, to be given", -1, 1 << 30}};
  a.examples = {"stragglar:late=0", "stragglar:late=2"};
  return a;
}

Algorithm configure(std::span<const Setting> settings) {
  const Values values = parse_values(with(kUnknown).parameters, settings, "algorithm stragglar");
  return with(static_cast<Rank>(values.at("late")));
}

}  // namespace

Algorithm stragglar() {
  Algorithm entry = with(kUnknown);
  entry.configure = configure;
  return entry;
}

}  // namespace arlab::catalog
