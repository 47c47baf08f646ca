#include "training/simulation/to_owners.hpp"

namespace arlab::training {
namespace {

Program send_to_owners(Problem p, Rank me) {
  for (Rank s = 1; s < p.ranks; ++s) {
    const Rank owner = p.wrap(Count{me} + s), sender = p.wrap(Count{me} - s);
    co_yield together(send(owner, p.chunk(owner)), replace(sender, p.chunk(me)));
  }
}

}  // namespace

// The first half of algorithm round_robin has the same messages, but adds them.
const Algorithm& to_owners() {
  static const Algorithm algorithm = [] {
    Algorithm its = find_algorithm("round_robin");
    its.collectives = {Collective::reduce_scatter};
    its.program = send_to_owners;
    return its;
  }();
  return algorithm;
}

}  // namespace arlab::training
