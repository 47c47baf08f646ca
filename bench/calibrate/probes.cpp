#include "bench/calibrate/probes.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "algorithms/base/error.hpp"
#include "bench/calibrate/exchanger.hpp"
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

double time_of(Exchanger& x, Pattern pattern, Count bytes) {
  return median_of(samples(x, pattern, bytes));
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
    const auto size = static_cast<double>(bytes);
    t.one_way.push_back({size, median(Pattern::round_trip) / 2});
    t.local.push_back({size, median(Pattern::exchange), median(Pattern::sum_back),
                       median(Pattern::exchange_sum), median(Pattern::exchange_part)});
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
  t.executor_us = time_of(x, Pattern::exchange, bytes);
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

double local_send(Exchanger& x, Count bytes) {
  return x.median_us([&] {
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
}

// The time of each further small message, from `few` on.
double gap(Exchanger& x, int few, int more) {
  const auto time = [&](int messages) {
    return x.median_us([&] {
      for (int i = 0; i < messages && x.rank() < 2; ++i)
        if (x.rank() == 0)
          x.send(i, 1, kSmall);
        else
          x.receive(i, 0, kSmall);
      if (x.rank() < 2) x.wait(messages);
    });
  };
  const double before = time(few);
  return std::max(0.0, (time(few + more) - before) / more);
}

double spread(Exchanger& x, Count bytes, int samples) {
  std::vector<double> us = x.samples_us(samples, [&] {
    if (x.rank() < 2) x.round(1 - x.rank(), bytes, bytes);
  });
  std::sort(us.begin(), us.end());
  us.resize(us.size() - us.size() / 50);  // interruptions of the machine
  double sum = 0;
  for (const double t : us) sum += t - us.front();
  return sum / static_cast<double>(us.size());
}

// Round trips of a small message from rank 0 to rank 2 beside its stream to rank 1.
double loaded_round_trip(Exchanger& x, double us_per_byte, Count largest) {
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
  return x.max(trips.empty() ? 0 : median_of(trips));
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
    all.push_back({static_cast<double>(bytes), x.max(median_of(us))});
  }
  return all;
}

std::vector<Count> sizes(const ProbeOptions& options, const ProbeTimes& t) {
  std::vector<Count> all;
  for (Count bytes = kSmall; bytes < 1024; bytes *= 8) all.push_back(bytes);
  for (Count bytes = 1024; bytes <= options.largest; bytes *= 2) all.push_back(bytes);
  for (const double edge : {t.eager_bytes, t.eager_bytes + t.eager_step})
    if (edge >= kSmall && edge <= static_cast<double>(options.largest))
      all.push_back(static_cast<Count>(edge) / 2 * 2);
  std::sort(all.begin(), all.end());
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

}  // namespace

ProbeTimes probe(collectives::Communicator& communicator, const ProbeOptions& options) {
  if (communicator.ranks() < 2)
    fail(Blame::usage, "a network cannot be measured by 1 rank: start 2 or 3");
  Exchanger x(communicator, options.largest, options.seconds);
  ProbeTimes t;
  t.eager_bytes = eager_limit(x, options.largest, t.eager_step);
  if (!options.several_hosts)
    probe_machine(x, sizes(options, t), t);
  else
    for (const Count bytes : sizes(options, t))
      t.one_way.push_back({static_cast<double>(bytes), time_of(x, Pattern::round_trip, bytes) / 2});
  t.local_send = {static_cast<double>(options.largest), local_send(x, options.largest)};
  t.gap_us = gap(x, 1, 8);
  constexpr int kManySamples = 400, kSamples = 50;
  constexpr Count kLongMessage = 128 * 1024;
  t.spread_us = spread(x, kSmall, kManySamples);
  t.long_spread_us = spread(x, std::min(options.largest, kLongMessage), kSamples);
  for (Count bytes = 4096; bytes <= options.largest / 4; bytes *= 4)
    t.exchanges.push_back(exchanges(x, bytes));
  t.reductions = reductions(x, options.largest);
  if (communicator.ranks() < 3) return t;
  for (Count bytes = 4096; bytes <= options.largest / 4; bytes *= 4) {
    t.fan_out.push_back({static_cast<double>(bytes), time_of(x, Pattern::fan_out, bytes)});
    t.fan_in.push_back({static_cast<double>(bytes), time_of(x, Pattern::fan_in, bytes)});
  }
  t.loaded_round_trip_us =
      loaded_round_trip(x, t.one_way.back().us / t.one_way.back().bytes, options.largest);
  return t;
}

}  // namespace arlab::bench
