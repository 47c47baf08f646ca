#include "bench/calibrate/patterns.hpp"

#include <memory>

#include "simulator/connections/connections.hpp"
#include "simulator/engine/simulate.hpp"
#include "simulator/topologies/fabric.hpp"

namespace arlab::bench {
namespace {

Program round_trip(Problem p, Rank me) {
  if (me == 0) co_yield together(send(1, p.all()), replace(1, p.all()));
  if (me == 1) co_yield replace(0, p.all());
  if (me == 1) co_yield send(0, p.all());
}

Program exchange_once(Problem p, Rank me) {
  if (me < 2) co_yield together(send(1 - me, p.all()), replace(1 - me, p.all()));
}

Program fan_out(Problem p, Rank me) {
  if (me == 0)
    co_yield together(send(1, p.all()), send(2, p.all()));
  else
    co_yield replace(0, p.all());
}

Program fan_in(Problem p, Rank me) {
  if (me == 0)
    co_yield together(replace(1, p.all()), replace(2, p.all()));
  else
    co_yield send(0, p.all());
}

Program (*program_of(Pattern pattern))(Problem, Rank) {
  switch (pattern) {
    case Pattern::round_trip:
      return round_trip;
    case Pattern::exchange:
      return exchange_once;
    case Pattern::fan_out:
      return fan_out;
    case Pattern::fan_in:
      break;
  }
  return fan_in;
}

double run_us(Program (*program)(Problem, Rank), Rank ranks, Bytes bytes,
              const simulator::Machine& machine) {
  const auto fabric = simulator::build_fabric({.topology = "crossbar:latency=0"}, ranks);
  simulator::Connections network(machine, ranks, fabric);
  Algorithm algorithm{};
  algorithm.name = "a probe";
  algorithm.collectives = {Collective::allreduce};
  algorithm.program = program;
  return microseconds(
      simulator::simulate(algorithm, {.ranks = ranks, .elements = bytes}, 1, network).finish);
}

}  // namespace

double pattern_us(Pattern pattern, Bytes bytes, const simulator::Machine& machine) {
  const Rank ranks = pattern == Pattern::fan_out || pattern == Pattern::fan_in ? 3 : 2;
  return run_us(program_of(pattern), ranks, bytes, machine);
}

}  // namespace arlab::bench
