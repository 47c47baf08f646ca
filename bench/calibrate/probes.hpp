// Probes: what `arlab calibrate` measures, on two or three ranks of a job.
//
// Every probe is a few messages through the communicator that the executor uses. All ranks call it;
// those that a probe does not need wait. Times are medians of repetitions. An error is the standard
// error of the logarithm of a time.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "collectives/communicator.hpp"

namespace arlab::bench {

struct TimeOfSize {
  double bytes = 0, us = 0, error = 0;
};

/// One exchange between two ranks.
struct ExchangeTimes {
  double bytes = 0;
  double executor_us = 0;        ///< one round, in the order of posting of the executor
  double sends_first_us = 0;     ///< both send, then receive
  double receives_first_us = 0;  ///< both receive, then send
  double pieces_us = 0;          ///< one round of messages of 32 KiB
  double error = 0;              ///< of executor_us
};

/// Messages between two ranks of one machine, as the executor runs them.
struct LocalTimes {
  double bytes = 0;             ///< of a message
  double exchange_us = 0;       ///< each sends a part of its vector and receives another
  double sum_back_us = 0;       ///< a vector is added to another one, and the sum is sent back
  double exchange_sum_us = 0;   ///< each adds what it receives to what it has sent
  double exchange_part_us = 0;  ///< each adds what it receives to what it has not sent
  double exchange_error = 0, sum_back_error = 0, exchange_sum_error = 0, exchange_part_error = 0;
};

struct ProbeTimes {
  std::vector<TimeOfSize> one_way;  ///< half a round trip; sizes ascend
  double eager_bytes = 0;           ///< largest message whose send ends without its receive
  double eager_step = 2;            ///< the next larger size that was tried
  TimeOfSize local_send;            ///< a large message, until its send ends
  double gap_us = 0;                ///< a further small message of a round
  double spread_us = 0;             ///< mean time of a small exchange beyond the least time
  double long_spread_us = 0;        ///< the same of an exchange above the eager limit
  std::vector<ExchangeTimes> exchanges;
  std::vector<LocalTimes> local;       ///< sizes are those of one_way; empty between machines
  std::vector<TimeOfSize> reductions;  ///< additions of received floats
  // Of three ranks:
  std::vector<TimeOfSize> fan_out, fan_in;     ///< one rank to two, two ranks to one
  std::optional<double> loaded_round_trip_us;  ///< of a small message beside a stream
  double gap_error = 0, spread_error = 0, long_spread_error = 0, loaded_error = 0;
  Rank ranks = 2;  ///< that measured
};

/// Calls visit(us, error, number) for each measured time that the fit uses. The number is that of
/// the probe and its size, whatever else was measured.
template <class Visit>
void visit_times(ProbeTimes& t, const Visit& visit) {
  std::uint64_t probe = 0;
  const auto number = [&](double bytes) {
    return (probe << 48) + static_cast<std::uint64_t>(bytes);
  };
  for (std::vector<TimeOfSize>* list : {&t.one_way, &t.reductions, &t.fan_out, &t.fan_in}) {
    ++probe;
    for (TimeOfSize& one : *list) visit(one.us, one.error, number(one.bytes));
  }
  const auto visit_one = [&](double& us, double& error, double bytes = 0) {
    ++probe;
    visit(us, error, number(bytes));
  };
  visit_one(t.local_send.us, t.local_send.error);
  visit_one(t.gap_us, t.gap_error);
  visit_one(t.spread_us, t.spread_error);
  visit_one(t.long_spread_us, t.long_spread_error);
  if (t.loaded_round_trip_us) visit_one(*t.loaded_round_trip_us, t.loaded_error);
  constexpr std::uint64_t kExchange = 16, kLocal = 32;
  for (ExchangeTimes& e : t.exchanges) {
    probe = kExchange;
    visit_one(e.executor_us, e.error, e.bytes);
  }
  for (LocalTimes& l : t.local) {
    probe = kLocal;
    visit_one(l.exchange_us, l.exchange_error, l.bytes);
    visit_one(l.sum_back_us, l.sum_back_error, l.bytes);
    visit_one(l.exchange_sum_us, l.exchange_sum_error, l.bytes);
    visit_one(l.exchange_part_us, l.exchange_part_error, l.bytes);
  }
}

/// The sizes that are measured, in bytes; they ascend.
struct ProbePlan {
  std::vector<Count> one_way;  ///< and within one machine, of all that is measured there
  std::vector<Count> pairs;    ///< of exchanges, of one rank to two, and of two to one
  bool operator==(const ProbePlan&) const = default;
};

struct ProbeOptions {
  double seconds = 0.15;  ///< about as long for each size
  Count largest = Count{1} << 22;
  bool several_hosts = true;           ///< whether messages travel between machines
  std::optional<ProbePlan> plan = {};  ///< nothing: whole_plan()
};

/// Returns all sizes up to the largest, with those around the eager limit of `t`.
ProbePlan whole_plan(const ProbeOptions& options, const ProbeTimes& t);

/// Measures. All ranks of the communicator call it together; at least two. The result is complete
/// on rank 0. Throws Error(usage) for a single rank.
ProbeTimes probe(collectives::Communicator& communicator, const ProbeOptions& options = {});

}  // namespace arlab::bench
