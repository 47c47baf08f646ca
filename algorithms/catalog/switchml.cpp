// SwitchML: a switch with few slots adds the vectors chunk by chunk.
//
// The switch has a pool of slots, each of which adds one chunk at a time. A rank sends the next
// chunk of a slot when the sum of the one before has come back, so that slots times a chunk are on
// their way: the rate is at most that by a round trip. A slot is a lane. Sapio et al., Scaling
// Distributed Machine Learning with In-Network Aggregation, NSDI 2021; there a chunk is a packet.
#include <algorithm>

#include "algorithms/algorithm.hpp"
#include "algorithms/base/text.hpp"
#include "algorithms/teams.hpp"

namespace arlab::catalog {
namespace {

// Returns the chunks of a slot, of `size` elements; a slot's last one may be shorter.
Count chunks_of(const Problem& p, Count size) {
  return std::min<Count>(p.parts(), (p.elements + size - 1) / size);
}

Program program(Problem p, Rank, Count size) {
  if (p.ranks == 1) co_return;
  const Count count = chunks_of(p, size);
  for (Count k = 0; k < count; ++k) {
    const Count first = p.parts() * k / count, end = p.parts() * (k + 1) / count;
    co_yield join(kEveryone, p.chunks(first, static_cast<Rank>(end - first)));
  }
}

Cost rank_cost_model(const Problem& p, Rank, Count size) {
  if (p.ranks == 1) return {};
  const Count count = chunks_of(p, size);
  return {(p.filled_chunks() * count + p.parts() - 1) / p.parts(), p.elements, count};
}

Cost cost_model(const Problem& p, Count size) {
  const Cost each = rank_cost_model(p, 0, size);
  return {p.ranks * each.messages, p.ranks * each.elements, each.rounds};
}

std::string refusal(const Problem& p, Count slots, Count size) {
  constexpr Count kMostRounds = 100'000;
  if (!p.switches.all || p.elements / slots / size < kMostRounds)
    return refuse_without(p.switches.all, "switchml");
  return concat("switchml with ", slots, " slots of ", size, " elements needs ",
                p.elements / slots / size, " rounds for ", p.elements,
                " elements: take more slots, or larger chunks, such as chunk=64K");
}

// As many as give all chunks of a slot the same size, unless that makes too many.
Rank chunks_per_rank(const Problem& p, Count size) {
  constexpr Count kMost = 1024;
  const Count chunks = (p.elements + size - 1) / size;
  return static_cast<Rank>(std::max(std::min(chunks, kMost), (chunks + p.ranks - 1) / p.ranks));
}

Algorithm with(Count slots, Count size) {
  Algorithm a;
  a.name = "switchml";
  a.label = "SwitchML";
  a.color = "#B76600";
  a.family = "split";
  a.summary = "a switch adds chunk by chunk in a pool of slots";
  a.source = "Sapio et al., NSDI 2021";
  a.formula = {"m s ceil(N/(s k)), s slots, chunks of k", "N m", "ceil(N/(s k))"};
  a.collectives = {Collective::allreduce};
  a.lanes = static_cast<std::int32_t>(slots);
  a.in_network = true;
  a.in_turn = true;
  a.chained = Chained::no;
  a.carries = Carries::range;
  a.program = [size](Problem p, Rank me) { return program(p, me, size); };
  a.cost_model = [size](const Problem& p) { return cost_model(p, size); };
  a.rank_cost_model = [size](const Problem& p, Rank me) { return rank_cost_model(p, me, size); };
  a.unsupported_reason = [=](const Problem& p) { return refusal(p, slots, size); };
  a.chunks_per_rank = [size](const Problem& p) { return chunks_per_rank(p, size); };
  a.parameters = {
      {"slots", Parameter::Unit::count, "32", "chunks that the switch adds at once", 1, 1 << 16},
      {"chunk", Parameter::Unit::count, "4K", "elements of a chunk", 1, 1 << 30}};
  a.examples = {"switchml:slots=3,chunk=5", "switchml:slots=1,chunk=100"};
  return a;
}

Algorithm configure(std::span<const Setting> settings) {
  constexpr std::string_view kOwner = "algorithm switchml";
  const std::vector<Parameter> parameters = with(1, 1).parameters;
  const Values values =
      with_defaults(parameters, parse_values(parameters, settings, kOwner), kOwner);
  return with(static_cast<Count>(values.at("slots")), static_cast<Count>(values.at("chunk")));
}

}  // namespace

Algorithm switchml() {
  Algorithm entry = with(32, 4096);
  entry.configure = configure;
  return entry;
}

}  // namespace arlab::catalog
