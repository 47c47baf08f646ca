// NVLS: a switch adds the vectors on their way to the owners of their parts, and sends the results
// to all.
//
// The vector is cut in one share per rank. All ranks send share i up to the switch, which sends the
// sum down to rank i; rank i sends it up once, and the switch copies it to all. Up from a rank go
// its vector and its share of the result, B + B/m bytes, and as many come down; a ring sends and
// receives 2B (m-1)/m. Shares are cut into pieces: a piece is copied to all while the next one is
// added. What NCCL does with NVSwitch, where a GPU loads and stores multicast memory. Klenk et al.,
// An In-Network Architecture for Accelerating Shared-Memory Multiprocessor Collectives, ISCA 2020;
// NCCL's NVLS.
#include <algorithm>
#include <cmath>

#include "algorithms/algorithm.hpp"
#include "algorithms/teams.hpp"

namespace arlab::catalog {
namespace {

// Returns into how many pieces the share of a rank is cut, if the vector has enough elements. A
// piece adds two latencies, and filling and draining the pipeline takes a piece; the constant suits
// a latency of half a microsecond at 300 GB/s.
Rank pieces(const Problem& p, Count asked) {
  constexpr double kElements = 32 * 1024;
  constexpr Count kMost = 512;
  if (p.collective != Collective::allreduce) return 1;
  const Count wanted = asked > 0 ? asked : p.pieces;
  if (wanted > 0) return static_cast<Rank>(wanted);
  const double best = std::sqrt(static_cast<double>(p.elements) / kElements);
  return static_cast<Rank>(std::clamp<Count>(std::llround(best), 1, kMost));
}

// Piece k of the share of each rank. All ranks list the transfers in the same order.
Program program(Problem p, Rank me) {
  if (p.ranks == 1) co_return;
  const Rank count = p.chunks_per_rank, delay = p.reduces() ? 1 : 0;
  const Rank rounds = count + p.halves() - 1;
  std::vector<Action> round;
  for (Rank k = 0; k < rounds; ++k) {
    round.clear();
    for (Rank r = 0; r < p.ranks && p.reduces() && k < count; ++r) {
      const Chunks piece = p.chunk(Count{r} * count + k);
      round.push_back(r == me ? join(kEveryone, piece) : give(kEveryone, piece));
    }
    for (Rank r = 0; r < p.ranks && p.shares() && k >= delay; ++r) {
      const Chunks piece = p.chunk(Count{r} * count + k - delay);
      round.push_back(r == me ? join(kEveryone, piece) : take(kEveryone, piece));
    }
    co_yield Round(round);
  }
}

Cost rank_cost_model(const Problem& p, Rank me) {
  if (p.ranks == 1) return {};
  const Rank count = p.chunks_per_rank;
  const Count own = p.blocks().size(p.chunks(Count{me} * count, count));
  const Count own_filled = std::clamp<Count>(p.filled_chunks() - Count{me} * count, 0, count);
  Cost cost{0, 0, count + p.halves() - 1};
  if (p.reduces()) cost.messages += p.filled_chunks(), cost.elements += p.elements;
  if (p.shares()) cost.messages += own_filled, cost.elements += own;
  return cost;
}

Cost cost_model(const Problem& p) {
  if (p.ranks == 1) return {};
  const Count copies = (p.reduces() ? p.ranks : 0) + (p.shares() ? 1 : 0);
  return {copies * p.filled_chunks(), copies * p.elements, p.chunks_per_rank + p.halves() - 1};
}

Algorithm with(Count asked) {
  Algorithm a;
  a.name = "nvls";
  a.label = "NVLS";
  a.color = "#4E9A3D";
  a.family = "split";
  a.summary = "a switch adds each share for its owner, and copies the result to all";
  a.source = "Klenk et al., ISCA 2020; NCCL";
  a.formula = {"m(m+1)Q, Q pieces", "N(m+1)", "Q+1"};
  a.collectives = {Collective::allreduce, Collective::reduce_scatter, Collective::all_gather};
  a.in_network = true;
  a.pipelined = asked == 0;
  a.chained = Chained::no;
  a.carries = Carries::one_chunk;
  a.program = program;
  a.cost_model = cost_model;
  a.rank_cost_model = rank_cost_model;
  a.unsupported_reason = [](const Problem& p) { return refuse_without(p.switches.all, "nvls"); };
  a.chunks_per_rank = [asked](const Problem& p) { return pieces(p, asked); };
  a.parameters = {{"pieces", Parameter::Unit::count, "0",
                   "of the share of a rank; 0: 1 to 512, by size", 0, 1 << 20}};
  a.examples = {"nvls:pieces=1", "nvls:pieces=3"};
  return a;
}

Algorithm configure(std::span<const Setting> settings) {
  const Values values = parse_values(with(0).parameters, settings, "algorithm nvls");
  return with(static_cast<Count>(values.at("pieces")));
}

}  // namespace

Algorithm nvls() {
  Algorithm entry = with(0);
  entry.configure = configure;
  return entry;
}

}  // namespace arlab::catalog
