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
  if (me < 2) co_yield together(send(1 - me, p.chunk(me)), replace(1 - me, p.chunk(1 - me)));
}

Program fan_out(Problem p, Rank me) {
  if (me == 0)
    co_yield together(send(1, p.all()), send(2, p.all()));
  else if (me < 3)
    co_yield replace(0, p.all());
}

Program fan_in(Problem p, Rank me) {
  if (me == 0)
    co_yield together(replace(1, p.all()), replace(2, p.all()));
  else if (me < 3)
    co_yield send(0, p.all());
}

Program sum_back(Problem p, Rank me) {
  if (me == 0) co_yield reduce(1, p.all());
  if (me == 0) co_yield send(1, p.all());
  if (me == 1) co_yield send(0, p.all());
  if (me == 1) co_yield replace(0, p.all());
}

Program exchange_sum(Problem p, Rank me) {
  if (me < 2) co_yield together(send(1 - me, p.all()), reduce(1 - me, p.all()));
}

Program exchange_part(Problem p, Rank me) {
  if (me < 2) co_yield together(send(1 - me, p.chunk(me)), reduce(1 - me, p.chunk(1 - me)));
}

Program (*program_of(Pattern pattern))(Problem, Rank) {
  constexpr Program (*kPrograms[])(Problem, Rank) = {
      round_trip, exchange_once, fan_out, fan_in, sum_back, exchange_sum, exchange_part};
  return kPrograms[static_cast<std::size_t>(pattern)];
}

}  // namespace

Algorithm algorithm_of(Pattern pattern) {
  Algorithm algorithm{};
  algorithm.name = "a probe";
  algorithm.collectives = {Collective::allreduce};
  algorithm.program = program_of(pattern);
  return algorithm;
}

Count vector_bytes(Pattern pattern, Count bytes, Rank ranks) {
  const bool parts = pattern == Pattern::exchange || pattern == Pattern::exchange_part;
  return parts ? bytes * ranks : bytes;
}

double pattern_us(Pattern pattern, Bytes bytes, const simulator::Machine& machine) {
  const Rank ranks = pattern == Pattern::fan_out || pattern == Pattern::fan_in ? 3 : 2;
  const auto network = simulator::machine_network(
      machine, ranks, simulator::build_fabric({.topology = "crossbar:latency=0"}, ranks));
  const Problem problem{.ranks = ranks, .elements = vector_bytes(pattern, bytes, ranks)};
  return microseconds(simulator::simulate(algorithm_of(pattern), problem, 1, *network).finish);
}

}  // namespace arlab::bench
