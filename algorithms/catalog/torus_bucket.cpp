// Torus bucket: rings along one dimension of a torus after the other, in all directions at once.
//
// A lane reduce-scatters along its first dimension, then what is left along the next, and gathers
// in the opposite order. On a D-dimensional torus 2D lanes start in every dimension, forwards and
// backwards, so all links are busy. Barnett, Littlefield, Payne, van de Geijn, Global combine on
// mesh architectures with wormhole routing, IPPS 1993; Jain & Sabharwal, Optimal bucket algorithms
// for large MPI collectives on torus interconnects, ICS 2010; the practice on TPUs.
#include "algorithms/algorithm.hpp"
#include "algorithms/base/text.hpp"
#include "algorithms/rank_grid.hpp"

namespace arlab::catalog {
namespace {

// Lane 2d starts in dimension d and sends to the next coordinate, lane 2d + 1 to the previous one.
struct Direction {
  explicit Direction(const Problem& p) : grid(*p.grid), lane(p.lane) {}
  int dimension(int level) const { return (lane / 2 + level) % grid.dimensions(); }
  Rank size(int level) const { return grid.size(dimension(level)); }
  Count step() const { return lane % 2 == 0 ? 1 : -1; }
  Rank neighbor(Rank me, int level, Count steps) const {
    return grid.moved(me, dimension(level), steps * step());
  }
  const RankGrid& grid;
  std::int32_t lane;
};

// The chunks that rings of one level cut: block i is the chunks of those with coordinate i.
struct Level {
  Rank first = 0, blocks = 1, width = 1, own = 0;
  Chunks block(Count i) const {
    const Count wrapped = (i % blocks + blocks) % blocks;
    return {static_cast<Rank>(first + wrapped * width), width};
  }
};

// Returns the level's blocks, cut from the block that the rank keeps of the level before.
Level level_of(const Problem& p, const Direction& to, Rank me, int level) {
  Level at{0, 1, p.ranks, 0};
  for (int l = 0; l <= level; ++l) {
    at.first += at.own * at.width;
    at.blocks = to.size(l);
    at.width /= at.blocks;
    at.own = to.grid.coordinate(me, to.dimension(l));
  }
  return at;
}

Program program(Problem p, Rank me) {
  const Direction to(p);
  const Count step = to.step();
  for (int l = 0; l < to.grid.dimensions(); ++l) {
    const Level at = level_of(p, to, me, l);
    for (Count s = 1; s < at.blocks; ++s)
      co_yield together(send(to.neighbor(me, l, 1), at.block(at.own - s * step)),
                        reduce(to.neighbor(me, l, -1), at.block(at.own - (s + 1) * step)));
  }
  for (int l = to.grid.dimensions() - 1; l >= 0; --l) {
    const Level at = level_of(p, to, me, l);
    for (Count s = 0; s < at.blocks - 1; ++s)
      co_yield together(send(to.neighbor(me, l, 1), at.block(at.own - s * step)),
                        replace(to.neighbor(me, l, -1), at.block(at.own - (s + 1) * step)));
  }
}

// At each level every block of every ring moves blocks - 1 times in either half.
Cost cost_model(const Problem& p) {
  const Direction to(p);
  Cost cost;
  Count parents = 1;
  for (int l = 0; l < to.grid.dimensions(); ++l) {
    const Count size = to.size(l), blocks = parents * size, width = p.ranks / blocks;
    const Count filled = (p.filled_chunks() + width - 1) / width;
    cost.messages += 2 * (size - 1) * (p.ranks / blocks) * filled;
    cost.elements += 2 * (size - 1) * (p.ranks / blocks) * p.elements;
    cost.rounds += 2 * (size - 1);
    parents = blocks;
  }
  return cost;
}

Cost rank_cost_model(const Problem& p, Rank me) {
  const Direction to(p);
  Cost cost;
  for (int l = 0; l < to.grid.dimensions(); ++l) {
    const Level at = level_of(p, to, me, l);
    const Chunks parent{at.first, at.blocks * at.width};
    const Count left = std::max<Count>(0, p.filled_chunks() - at.first);
    const Count filled = std::min<Count>(at.blocks, (left + at.width - 1) / at.width);
    for (const Chunks& kept : {at.block(at.own), at.block(at.own + to.step())}) {
      const Count size = p.blocks().size(kept);
      cost.messages += filled - (size > 0 ? 1 : 0);
      cost.elements += p.blocks().size(parent) - size;
    }
    cost.rounds += 2 * (at.blocks - 1);
  }
  return cost;
}

std::string unsupported_reason(const Problem& p) {
  if (p.grid) return "";
  return "torus_bucket needs the dimensions of the torus (from a topology that is one)";
}

}  // namespace

Algorithm torus_bucket() {
  return {
      .name = "torus_bucket",
      .label = "Torus bucket",
      .color = "#E96B51",
      .family = "split",
      .summary = "rings along each dimension of a torus in turn, in all directions at once",
      .source = "Barnett et al., IPPS 1993; Jain & Sabharwal, ICS 2010",
      .formula = {"4 D m sum(d-1) (m = product of D sizes d)", "2N(m-1)", "2 sum(d-1)"},
      .collectives = {Collective::allreduce},
      .gridded = true,
      .carries = Carries::range,
      .program = program,
      .cost_model = cost_model,
      .rank_cost_model = rank_cost_model,
      .unsupported_reason = unsupported_reason,
      .lane_weights =
          [](const Problem& p) {
            return std::vector<Count>(p.grid ? 2 * index(p.grid->dimensions()) : 1, 1);
          },
      .link_claims = {{"torus", LinkClaim::Of::hottest, "(m-1) / (mD), D equal sizes",
                       [](const Problem& p) {
                         if (!p.grid || p.grid->size(0) < 3) return 0.0;
                         const int dimensions = p.grid->dimensions();
                         for (int d = 1; d < dimensions; ++d)
                           if (p.grid->size(d) != p.grid->size(0)) return 0.0;
                         return (p.ranks - 1.0) / p.ranks / dimensions;
                       }}},
  };
}

}  // namespace arlab::catalog
