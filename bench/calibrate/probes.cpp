#include "bench/calibrate/probes.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "algorithms/base/error.hpp"
#include "bench/calibrate/exchanger.hpp"
#include "bench/calibrate/median_error.hpp"
#include "bench/calibrate/patterns.hpp"
#include "collectives/reduce/reduce.hpp"

namespace arlab::bench {
namespace {

constexpr Count kSmall = 4;  // bytes

// Times as the executor runs the pattern.
std::vector<double> samples(Exchanger& x, Pattern pattern, Count bytes, double part = 1) {
  using collectives::DType;
  const bool adds = pattern == Pattern::sum_back || pattern == Pattern::exchange_sum ||
                    pattern == Pattern::exchange_part;
  // The smallest element lets sizes be any even number.
  const Count whole = adds ? bytes / 4 * 4 : bytes;
  return x.samples_us(algorithm_of(pattern), vector_bytes(pattern, whole, x.ranks()),
                      {adds ? DType::float32 : DType::float16, collectives::Op::sum}, part);
}

TimeOfSize median_time(double bytes, const std::vector<double>& us) {
  return {bytes, median_of(us), median_error(us)};
}

TimeOfSize time_of(Exchanger& x, Pattern pattern, Count bytes) {
  return median_time(static_cast<double>(bytes), samples(x, pattern, bytes));
}

TimeOfSize one_way(Exchanger& x, Count bytes) {
  TimeOfSize both = time_of(x, Pattern::round_trip, bytes);
  both.us /= 2;
  return both;
}

// Times within one machine differ more from one second to the next than from one repetition to the
// next: the sizes take turns.
void probe_machine(Exchanger& x, const std::vector<Count>& sizes, ProbeTimes& t) {
  constexpr int kTurns = 5;
  constexpr Pattern kPatterns[] = {Pattern::round_trip, Pattern::exchange, Pattern::sum_back,
                                   Pattern::exchange_sum, Pattern::exchange_part};
  std::map<std::pair<Count, Pattern>, std::vector<double>> all;
  for (int turn = 0; turn < kTurns; ++turn)
    for (const Count bytes : sizes)
      for (const Pattern pattern : kPatterns)
        for (const double us : samples(x, pattern, bytes, 1.0 / kTurns))
          all[{bytes, pattern}].push_back(us);
  for (const Count bytes : sizes) {
    const auto median = [&](Pattern pattern) { return median_of(all.at({bytes, pattern})); };
    const auto error = [&](Pattern pattern) {
      return median_error(all.at({bytes, pattern}), kTurns);
    };
    const auto size = static_cast<double>(bytes);
    t.one_way.push_back({size, median(Pattern::round_trip) / 2, error(Pattern::round_trip)});
    t.local.push_back({size, median(Pattern::exchange), median(Pattern::sum_back),
                       median(Pattern::exchange_sum), median(Pattern::exchange_part),
                       error(Pattern::exchange), error(Pattern::sum_back),
                       error(Pattern::exchange_sum), error(Pattern::exchange_part)});
  }
}

// Both ends name the lane of the message from rank 0 first.
void exchange(Exchanger& x, Count bytes, bool sends_first) {
  const Rank other = 1 - x.rank();
  if (sends_first) x.send(x.rank(), other, bytes);
  x.receive(other, other, bytes);
  if (!sends_first) x.send(x.rank(), other, bytes);
  x.wait(2);
}

ExchangeTimes exchanges(Exchanger& x, Count bytes) {
  constexpr Count kPiece = 32 * 1024;
  const auto time = [&](const std::function<void()>& pair) {
    return x.median_us([&] {
      if (x.rank() < 2) pair();
    });
  };
  ExchangeTimes t{.bytes = static_cast<double>(bytes)};
  const TimeOfSize executor = time_of(x, Pattern::exchange, bytes);
  t.executor_us = executor.us;
  t.error = executor.error;
  t.sends_first_us = time([&] { exchange(x, bytes, true); });
  t.receives_first_us = time([&] { exchange(x, bytes, false); });
  t.pieces_us = time([&] { x.round(1 - x.rank(), bytes, kPiece); });
  return t;
}

// Whether a send of the size ends although its receive is posted much later.
bool ends_alone(Exchanger& x, Count bytes) {
  constexpr double kLate = 0.02;  // seconds
  x.barrier();
  const double start = x.now();
  double us = 0;
  if (x.rank() == 0) {
    x.send(0, 1, bytes);
    x.wait(1);
    us = 1e6 * (x.now() - start);
  } else if (x.rank() == 1) {
    x.sleep(kLate);
    x.receive(0, 0, bytes);
    x.wait(1);
  }
  return x.max(us) < 1e6 * kLate / 2;
}

double eager_limit(Exchanger& x, Count largest, double& step) {
  Count eager = 0, more = largest;
  if (ends_alone(x, largest)) return static_cast<double>(largest);
  while (more - eager > std::max<Count>(2, eager / 512)) {
    const Count middle = (eager + more) / 4 * 2;
    (ends_alone(x, middle) ? eager : more) = middle;
  }
  step = static_cast<double>(more - eager);
  return static_cast<double>(eager);
}

TimeOfSize local_send(Exchanger& x, Count bytes) {
  const std::vector<double> us = x.samples_us([&] {
    if (x.rank() == 0) {
      x.send(0, 1, bytes);
      x.wait(1);
      x.stop_watch();
    } else if (x.rank() == 1) {
      x.receive(0, 0, bytes);
      x.wait(1);
      x.forget();
    }
  });
  return median_time(static_cast<double>(bytes), us);
}

// The time of each further small message, from `few` on.
TimeOfSize gap(Exchanger& x, int few, int more) {
  const auto time = [&](int messages) {
    return median_time(kSmall, x.samples_us([&] {
      for (int i = 0; i < messages && x.rank() < 2; ++i)
        if (x.rank() == 0)
          x.send(i, 1, kSmall);
        else
          x.receive(i, 0, kSmall);
      if (x.rank() < 2) x.wait(messages);
    }));
  };
  const TimeOfSize before = time(few), after = time(few + more);
  const double each = std::max(0.0, (after.us - before.us) / more);
  const double error = std::hypot(before.us * before.error, after.us * after.error) / more;
  return {kSmall, each, each > 0 ? std::min(1.0, error / each) : 0};
}

// The mean time of an exchange beyond the least time, and the error of its logarithm.
TimeOfSize spread(Exchanger& x, Count bytes, int samples) {
  std::vector<double> us = x.samples_us(samples, [&] {
    if (x.rank() < 2) x.round(1 - x.rank(), bytes, bytes);
  });
  std::sort(us.begin(), us.end());
  us.resize(us.size() - us.size() / 50);  // interruptions of the machine
  const auto n = static_cast<double>(us.size());
  double mean = 0, squares = 0;
  for (const double t : us) mean += (t - us.front()) / n;
  for (const double t : us) squares += (t - us.front() - mean) * (t - us.front() - mean) / n;
  const double error = mean > 0 ? std::min(1.0, std::sqrt(squares / n) / mean) : 0;
  return {static_cast<double>(bytes), mean, error};
}

// Round trips of a small message from rank 0 to rank 2 beside its stream to rank 1.
TimeOfSize loaded_round_trip(Exchanger& x, double us_per_byte, Count largest) {
  constexpr double kStream = 0.25e6;  // microseconds
  const Count piece = std::min(Count{1} << 20, largest);
  const Count pieces = std::clamp<Count>(
      static_cast<Count>(kStream / (us_per_byte * static_cast<double>(piece))), 3, 64);
  std::vector<double> trips;
  x.barrier();
  if (x.rank() == 1)
    for (Count i = 0; i < pieces; ++i) x.receive(0, 0, piece), x.wait(1);
  if (x.rank() == 2)
    for (bool last = false; !last;) {
      x.receive(1, 0, kSmall);
      x.wait(1);
      last = x.received() != 0;
      x.send(2, 0, kSmall);
      x.wait(1);
    }
  if (x.rank() == 0) {
    Count left = pieces;
    x.send(0, 1, piece);
    for (bool last = false; !last;) {
      last = left == 0;
      const double start = x.now();
      x.ping(1, 2, last);
      x.receive(2, 2, kSmall);
      for (int open = 2; open > 0;) {
        if (x.wait_for_one() != 0)
          --open;
        else if (--left > 0)
          x.send(0, 1, piece);
      }
      if (!last && left > 0) trips.push_back(1e6 * (x.now() - start));
    }
  }
  x.barrier();
  if (trips.size() > 2) trips.erase(trips.begin());  // the stream begins
  return {kSmall, x.max(trips.empty() ? 0 : median_of(trips)),
          x.max(trips.empty() ? 0 : median_error(trips))};
}

std::vector<TimeOfSize> reductions(Exchanger& x, Count largest) {
  std::vector<TimeOfSize> all;
  for (Count bytes = 1024; bytes <= largest; bytes *= 4) {
    std::vector<std::byte> into(static_cast<std::size_t>(bytes)), from(into.size());
    std::vector<double> us;
    for (int k = 0; k < 7; ++k) {
      const double start = x.now();
      collectives::reduce_into(into.data(), from.data(), bytes / 4,
                               {collectives::DType::float32, collectives::Op::sum});
      us.push_back(1e6 * (x.now() - start));
    }
    all.push_back({static_cast<double>(bytes), x.max(median_of(us)), x.max(median_error(us))});
  }
  return all;
}

}  // namespace

ProbePlan whole_plan(const ProbeOptions& options, const ProbeTimes& t) {
  ProbePlan plan;
  std::vector<Count>& all = plan.one_way;
  for (Count bytes = kSmall; bytes < 1024; bytes *= 8) all.push_back(bytes);
  for (Count bytes = 1024; bytes <= options.largest; bytes *= 2) all.push_back(bytes);
  for (const double edge : {t.eager_bytes, t.eager_bytes + t.eager_step})
    if (edge >= kSmall && edge <= static_cast<double>(options.largest))
      all.push_back(static_cast<Count>(edge) / 2 * 2);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  for (Count bytes = 4096; bytes <= options.largest / 4; bytes *= 4) plan.pairs.push_back(bytes);
  return plan;
}

ProbeTimes probe(collectives::Communicator& communicator, const ProbeOptions& options) {
  if (communicator.ranks() < 2)
    fail(Blame::usage, "a network cannot be measured by 1 rank: start 2 or 3");
  Exchanger x(communicator, options.largest, options.seconds);
  ProbeTimes t;
  t.eager_bytes = eager_limit(x, options.largest, t.eager_step);
  const ProbePlan plan = options.plan ? *options.plan : whole_plan(options, t);
  if (!options.several_hosts)
    probe_machine(x, plan.one_way, t);
  else
    for (const Count bytes : plan.one_way) t.one_way.push_back(one_way(x, bytes));
  const Count largest = plan.one_way.back();
  t.local_send = local_send(x, options.largest);  // more than the sockets hold, whatever the plan
  const TimeOfSize further = gap(x, 1, 8);
  t.gap_us = further.us;
  t.gap_error = further.error;
  constexpr int kManySamples = 400, kSamples = 50;
  constexpr Count kLongMessage = 128 * 1024;
  const TimeOfSize brief = spread(x, kSmall, kManySamples),
                   longer = spread(x, std::min(largest, kLongMessage), kSamples);
  t.spread_us = brief.us;
  t.spread_error = brief.error;
  t.long_spread_us = longer.us;
  t.long_spread_error = longer.error;
  for (const Count bytes : plan.pairs) t.exchanges.push_back(exchanges(x, bytes));
  t.reductions = reductions(x, largest);
  if (communicator.ranks() < 3) return t;
  for (const Count bytes : plan.pairs) {
    t.fan_out.push_back(time_of(x, Pattern::fan_out, bytes));
    t.fan_in.push_back(time_of(x, Pattern::fan_in, bytes));
  }
  const TimeOfSize loaded =
      loaded_round_trip(x, t.one_way.back().us / t.one_way.back().bytes, options.largest);
  t.loaded_round_trip_us = loaded.us;
  t.loaded_error = loaded.error;
  t.ranks = 3;
  return t;
}

}  // namespace arlab::bench
