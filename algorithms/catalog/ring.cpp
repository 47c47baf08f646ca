// Ring: every rank exchanges messages with its two neighbors only.
//
// The vector is cut into one chunk per rank. For m-1 rounds each rank passes a partial sum to the
// right (share-reduce); then every rank owns one finished chunk. For m-1 more rounds the finished
// chunks travel once around the ring (share-only). Fewest bytes, most rounds. Patarasuk & Yuan,
// Bandwidth optimal all-reduce algorithms, JPDC 69(2), 2009.
//
// With K channels the vector is cut into K parts, each with a ring of its own. All rings visit the
// nodes in the same order. Within a node of g ranks, ring c begins at place c g / K and goes
// around, so that each ring enters and leaves a node by other ranks: with a ring per NIC all NICs
// are busy. NCCL, src/graph/rings.cc.
#include "algorithms/algorithm.hpp"
#include "algorithms/groups.hpp"

namespace arlab::catalog {
namespace {

constexpr double kMostChannels = 1024;

// A rank's place in the ring of a channel, and its neighbors there.
struct Seat {
  Rank at = 0, left = 0, right = 0;
};

Seat seat_in_order(const Problem& p, Rank me) {
  return {me, p.wrap(Count{me} - 1), p.wrap(Count{me} + 1)};
}

// The ring of one of K channels: node after node, each from the place at which the channel begins.
class RotatedRing {
 public:
  RotatedRing(const Problem& p, Count channels) : p_(p), channels_(channels) {}

  Rank at(Rank me) const {
    if (!p_.groups) return p_.wrap(me - first(p_.ranks));
    const Rank group = p_.groups->group_of(me), size = p_.groups->size_of(group);
    Count before = 0;
    if (p_.groups->even_size() > 0)
      before = Count{group} * size;
    else
      for (Rank g = 0; g < group; ++g) before += p_.groups->size_of(g);
    return static_cast<Rank>(before + wrapped(p_.groups->place_of(me) - first(size), size));
  }
  Seat seat(Rank me) const { return {at(me), beside(me, -1), beside(me, 1)}; }

 private:
  Count first(Rank size) const { return p_.lane * Count{size} / channels_; }
  static Count wrapped(Count place, Rank size) { return place < 0 ? place + size : place; }

  // The rank one step before or after in the ring.
  Rank beside(Rank me, int step) const {
    if (!p_.groups) return p_.wrap(Count{me} + step);
    const Groups& groups = *p_.groups;
    const Rank group = groups.group_of(me), size = groups.size_of(group);
    const Count from_first = wrapped(groups.place_of(me) - first(size), size) + step;
    if (from_first >= 0 && from_first < size)
      return groups.member(group, static_cast<Rank>((first(size) + from_first) % size));
    const Rank next = (group + step + groups.count()) % groups.count();
    const Rank there = groups.size_of(next);
    const Count place = first(there) + (step > 0 ? 0 : there - 1);
    return groups.member(next, static_cast<Rank>(place % there));
  }

  const Problem& p_;
  Count channels_;
};

Program program(Problem p, Seat seat) {
  if (p.reduces())
    for (Count s = 1; s < p.ranks; ++s)
      co_yield together(send(seat.right, p.chunk(seat.at - s)),
                        reduce(seat.left, p.chunk(seat.at - s - 1)));
  if (p.shares())
    for (Count s = 0; s < p.ranks - 1; ++s)
      co_yield together(send(seat.right, p.chunk(seat.at - s)),
                        replace(seat.left, p.chunk(seat.at - s - 1)));
}

Cost cost_model(const Problem& p) {
  const Count steps = p.halves() * Count{p.ranks - 1};
  return {steps * p.filled_chunks(), steps * p.elements, steps};
}

Cost rank_cost_model(const Problem& p, Rank at) {
  Cost cost{0, 0, p.halves() * Count{p.ranks - 1}};
  const auto all_chunks_but = [&](Rank kept) {
    const Count size = p.blocks().size(kept);
    cost.messages += p.filled_chunks() - (size > 0 ? 1 : 0);
    cost.elements += p.elements - size;
  };
  if (p.reduces()) all_chunks_but(at);                    // which it finishes itself
  if (p.shares()) all_chunks_but(p.wrap(Count{at} + 1));  // which its right neighbor finished
  return cost;
}

// Rings that are rotated within nodes of consecutive ranks go over into themselves by whole nodes.
std::optional<RankSymmetry> node_symmetry(const Problem& p) {
  if (!p.groups) return shift_symmetry(p);
  const Rank size = p.groups->even_size();
  for (Rank r = 0; r < p.ranks; ++r)
    if (size == 0 || p.groups->group_of(r) != r / size) return {};
  return RankSymmetry({p.ranks}, p.groups->count() == 1 ? 1 : size);
}

Algorithm described() {
  return {
      .name = "ring",
      .label = "Ring",
      .color = "#25699B",
      .family = "split",
      .summary = "partial sums go once around the ring, then the finished chunks do",
      .source = "Patarasuk & Yuan, JPDC 69(2), 2009",
      .formula = {"2m(m-1)", "2N(m-1)", "2(m-1)"},
      .collectives = {Collective::allreduce, Collective::reduce_scatter, Collective::all_gather},
      .chained = Chained::any_chunk,
      .carries = Carries::one_chunk,
      .program = [](Problem p, Rank me) { return program(p, seat_in_order(p, me)); },
      .cost_model = cost_model,
      .rank_cost_model = rank_cost_model,
      .symmetry = shift_symmetry,
      .parameters = {{"channels", Parameter::Unit::count, "1",
                      "rings, each for a part of the vector: one per NIC of a node", 1,
                      kMostChannels}},
      .examples = {"ring:channels=2", "ring:channels=3", "ring:channels=8"},
      .link_claims = {{"ring", LinkClaim::Of::hottest, "2(m-1)/m",
                       [](const Problem& p) { return p.ranks < 3 ? 0 : 2 - 2.0 / p.ranks; }}},
  };
}

Algorithm configure(std::span<const Setting> settings) {
  Algorithm made = described();
  constexpr std::string_view kOwner = "algorithm ring";
  const Values values = with_defaults(
      made.parameters, parse_values(made.parameters, settings, kOwner), kOwner);
  const auto channels = static_cast<std::int32_t>(values.at("channels"));
  if (channels == 1) return made;
  made.formula = {"2Km(m-1)", "2N(m-1)", "2(m-1)"};
  made.collectives = {Collective::allreduce};  // the others leave each rank one chunk
  made.lanes = channels;
  made.grouped = true;
  made.program = [channels](Problem p, Rank me) {
    return program(p, RotatedRing(p, channels).seat(me));
  };
  made.rank_cost_model = [channels](const Problem& p, Rank me) {
    return rank_cost_model(p, RotatedRing(p, channels).at(me));
  };
  made.symmetry = node_symmetry;
  made.link_claims.clear();
  return made;
}

}  // namespace

Algorithm ring() {
  Algorithm entry = described();
  entry.configure = configure;
  return entry;
}

}  // namespace arlab::catalog
