// Probes: what `arlab calibrate` measures, on two or three ranks of a job.
//
// Every probe is a few messages through the communicator that the executor uses. All ranks call it;
// those that a probe does not need wait. Times are medians of repetitions.
#pragma once

#include <optional>
#include <vector>

#include "collectives/communicator.hpp"

namespace arlab::bench {

struct TimeOfSize {
  double bytes = 0, us = 0;
};

/// One exchange between two ranks.
struct ExchangeTimes {
  double bytes = 0;
  double executor_us = 0;        ///< one round, in the order of posting of the executor
  double sends_first_us = 0;     ///< both send, then receive
  double receives_first_us = 0;  ///< both receive, then send
  double pieces_us = 0;          ///< one round of messages of 32 KiB
};

/// Messages between two ranks of one machine, as the executor runs them.
struct LocalTimes {
  double bytes = 0;             ///< of a message
  double exchange_us = 0;       ///< each sends a part of its vector and receives another
  double sum_back_us = 0;       ///< a vector is added to another one, and the sum is sent back
  double exchange_sum_us = 0;   ///< each adds what it receives to what it has sent
  double exchange_part_us = 0;  ///< each adds what it receives to what it has not sent
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
};

struct ProbeOptions {
  double seconds = 0.15;  ///< about as long for each size
  Count largest = Count{1} << 22;
  bool several_hosts = true;  ///< whether messages travel between machines
};

/// Measures. All ranks of the communicator call it together; at least two. The result is complete
/// on rank 0. Throws Error(usage) for a single rank.
ProbeTimes probe(collectives::Communicator& communicator, const ProbeOptions& options = {});

}  // namespace arlab::bench
