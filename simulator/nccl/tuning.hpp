// Tuning: latency and bandwidth of each algorithm and protocol, as NCCL estimates them.
//
// A call of B bytes takes latency + B / (1000 bandwidth) us. Source: ncclTopoTuneModel and
// ncclTopoGetAlgoTime in src/graph/tuning.cc of NVIDIA/nccl, as facts.
#pragma once

#include <string>
#include <vector>

#include "algorithms/problem.hpp"
#include "simulator/nccl/graphs.hpp"

namespace arlab::simulator::nccl {

struct Estimate {
  Algorithm algorithm = Algorithm::ring;
  Protocol protocol = Protocol::simple;
  double base = 0, inside = 0, between = 0;  ///< us: of the call, of steps in and between nodes
  double bandwidth = 0;                      ///< GB/s: of the vector by time
  std::string why_not;                       ///< why NCCL does not consider it; empty if it does

  double latency() const { return base + inside + between; }
};

/// A collective on a machine: what NCCL estimates once, when a communicator is made.
struct Tuning {
  Machine machine;
  Collective collective = Collective::allreduce;
  Graphs graphs;
  int channels = 0;
  std::vector<Estimate> estimates;  ///< of all algorithms that the collective has
};

/// Throws Error(usage) as check() does.
Tuning tune(const Machine& machine, Collective collective);
/// Returns by how much NCCL counts a step of this protocol inside a node as longer than it is, so
/// that it is chosen less: LL between nodes before 2.18.
double step_weight(const Machine& machine, Protocol protocol);

/// Returns the rounds of a ring: the messages that a rank sends one after another.
int ring_steps(Collective collective, Rank ranks);

/// Returns the part of its bandwidth that NCCL grants an algorithm at this size: below 1 for trees.
double share_at(const Tuning& tuning, const Estimate& estimate, double bytes);

/// Returns NCCL's estimate [us] for a vector; for all-gather and reduce-scatter the gathered one.
double estimated_us(const Tuning& tuning, const Estimate& estimate, double bytes);

}  // namespace arlab::simulator::nccl
