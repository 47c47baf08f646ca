#include "bench/calibrate/fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "algorithms/base/error.hpp"
#include "bench/calibrate/exchanger.hpp"
#include "bench/calibrate/patterns.hpp"

namespace arlab::bench {
namespace {

constexpr double kHeaders = 98;       // bytes: Ethernet, IP, TCP 66; a message of Open MPI 32
constexpr double kPicoseconds = 1e6;  // of a microsecond
constexpr double kLong = 16 * 1024;   // bytes: from here on the rate is what counts

// The median slope between long messages (Theil 1950, Sen 1968).
double us_per_byte(const std::vector<TimeOfSize>& one_way) {
  std::vector<double> slopes;
  for (const TimeOfSize& a : one_way)
    for (const TimeOfSize& b : one_way)
      if (a.bytes >= kLong && b.bytes >= 2 * a.bytes)
        slopes.push_back((b.us - a.us) / (b.bytes - a.bytes));
  if (slopes.empty()) {
    const TimeOfSize &a = one_way.front(), &b = one_way.back();
    slopes.push_back((b.us - a.us) / (b.bytes - a.bytes));
  }
  return median_of(slopes);
}

// The bytes that seem to take no time, by eager messages that are longer than these.
double free_bytes(const std::vector<TimeOfSize>& one_way, double eager, double latency,
                  double per_byte, double envelope) {
  constexpr double kFrom = 4 * 1024;
  constexpr double kTo = 64 * 1024;  // above, the rate's error is more than a burst
  const double to = std::clamp(eager, kFrom, kTo);
  std::vector<double> all;
  for (auto t = one_way.rbegin(); t != one_way.rend(); ++t) {
    if (t->bytes > to) continue;
    if (t->bytes < kFrom || (!all.empty() && t->bytes < median_of(all))) break;
    all.push_back(t->bytes + envelope - (t->us - latency) / per_byte);
  }
  return all.empty() ? 0 : std::clamp(median_of(all), 0.0, to / 2);
}

// Sets the burst, and what a barrier leaves of it, to what repeats the times of short messages
// best.
void fit_burst(simulator::Machine& m, const ProbeTimes& times) {
  constexpr double kFrom = 128;  // bytes
  // Up to here, bursts show.
  const double to = std::min(std::max(16.0 * 1024, 4 * m.burst), m.eager);
  ProbeTimes shorter = times;
  const auto drop = [&](auto& all) {
    std::erase_if(all, [&](const auto& t) { return t.bytes < kFrom || t.bytes > to; });
  };
  drop(shorter.one_way);
  drop(shorter.exchanges);
  drop(shorter.fan_out);
  drop(shorter.fan_in);
  const double found = m.burst;
  double least = -1;
  for (const double more : {1.0, 1.25, 1.5, 2.0})
    for (int eighths = 0; eighths <= 8; ++eighths) {
      simulator::Machine tried = m;
      tried.burst = found * more;
      tried.burst_left = tried.burst * eighths / 8;
      double sum = 0;
      for (const FitRow& r : fit_rows(shorter, tried))
        sum += std::abs(std::log(r.model_us / r.measured_us));
      if (least >= 0 && sum >= 0.95 * least) continue;  // of nearly equal ones the smaller burst
      least = sum;
      m.burst = tried.burst;
      m.burst_left = tried.burst_left;
    }
}

// By how much exchanges of long messages take longer than one way.
double acknowledgments(const ProbeTimes& times) {
  constexpr double kFrom = 128 * 1024, kMost = 0.1;
  std::vector<double> all;
  for (const ExchangeTimes& e : times.exchanges)
    for (const TimeOfSize& t : times.one_way)
      if (e.bytes >= kFrom && t.bytes == e.bytes) all.push_back(e.executor_us / t.us - 1);
  return all.empty() ? 0 : std::clamp(*std::min_element(all.begin(), all.end()), 0.0, kMost);
}

double us_at(const std::vector<TimeOfSize>& times, double bytes) {
  for (const TimeOfSize& t : times)
    if (t.bytes == bytes) return t.us;
  return 0;
}

// Between ranks of one machine: what the patterns take beyond one another.
void fit_local(simulator::Machine& m, const ProbeTimes& times) {
  simulator::SizeCurve cached, together, added, added_to_sent;
  for (const TimeOfSize& t : times.reductions)
    cached.points.push_back({t.bytes, kPicoseconds * t.us});
  for (const LocalTimes& t : times.local) {
    const auto beyond = [](double us, double other) { return kPicoseconds * (us - other); };
    const double alone = m.host.at(t.bytes), one_way = us_at(times.one_way, t.bytes);
    const double model = pattern_us(Pattern::exchange, static_cast<Bytes>(t.bytes), m);
    const double least = t.bytes < times.reductions.front().bytes ? 0 : cached.at(t.bytes);
    const double apart = std::max(least, beyond(t.sum_back_us, 2 * one_way));
    const double sent = std::max(apart, beyond(t.exchange_sum_us, t.exchange_us));
    together.points.push_back({t.bytes, alone + std::max(0.0, beyond(t.exchange_us, model))});
    added.points.push_back({t.bytes, apart});
    added_to_sent.points.push_back({t.bytes, sent});
  }
  m.host_together = together;
  m.reduction = added;
  m.reduction_sent = added_to_sent;
}

// What a message takes beyond the other numbers.
simulator::SizeCurve host_curve(const ProbeTimes& times, const simulator::Machine& machine) {
  simulator::SizeCurve curve;
  for (const TimeOfSize& t : times.one_way) {
    const double model = pattern_us(Pattern::round_trip, static_cast<Bytes>(t.bytes), machine) / 2;
    curve.points.push_back({t.bytes, kPicoseconds * std::max(0.0, t.us - model)});
  }
  return curve;
}

// What messages and reductions take beyond the other numbers. Returns the machine without delays,
// of a message in the mean. `parts`: of a message, each of which takes the latency.
simulator::Machine fit_rest(simulator::Machine& m, const ProbeTimes& times, int parts,
                            const simulator::Machine* known) {
  const std::vector<TimeOfSize>& one_way = times.one_way;
  simulator::Machine still = m;
  still.latency += m.drift / parts;
  still.drift = still.drift_long = 0;
  if (known) {
    still.burst = known->burst;
    still.burst_left = known->burst_left;
  } else if (!m.shared && m.burst > 0) {
    fit_burst(still, times);
  }
  if (!m.shared) {
    m.burst = still.burst;
    m.burst_left = still.burst_left;
  }
  // The smallest message has bytes, too.
  const double smallest =
      pattern_us(Pattern::round_trip, static_cast<Bytes>(one_way.front().bytes), still) / 2;
  const double excess = kPicoseconds * (smallest - one_way.front().us) / parts;
  still.latency = std::max(0.0, still.latency - excess);
  m.latency = std::max(0.0, m.latency - excess);
  m.host = host_curve(times, still);
  still.host = m.host;
  if (m.shared) {
    fit_local(still, times);
    m.host_together = still.host_together;
    m.reduction = still.reduction;
    m.reduction_sent = still.reduction_sent;
  }
  return still;
}

}  // namespace

Fit fit(const ProbeTimes& times, bool several_hosts, const simulator::Machine* known) {
  const std::vector<TimeOfSize>& one_way = times.one_way;
  expects(one_way.size() > 2, "sizes were measured");
  const double per_byte = us_per_byte(one_way), latency = one_way.front().us;
  if (!(per_byte > 0 && latency > 0))
    fail(Blame::check,
         fmt::format("messages take {:.3g} us, and {:.3g} us more per byte: the machine is too "
                     "busy to be measured, try again",
                     latency, per_byte));
  Fit result;
  simulator::Machine& m = result.machine;
  m.shared = !several_hosts;
  if (!m.shared) {  // within one machine, all measured times include the delays
    // Two ranks are late independently; the later one counts: 3/2 of the mean.
    m.drift = kPicoseconds * std::min(times.spread_us / 1.5, latency);
    m.drift_long = kPicoseconds * times.long_spread_us / 1.5;
  }
  const bool announced =  // request, grant, message
      one_way.front().bytes > times.eager_bytes && !m.shared;
  // Which includes a rank's mean delay.
  const int parts = announced ? 3 : 1;
  m.latency = (kPicoseconds * latency - m.drift) / parts;
  m.beta = kPicoseconds * per_byte;
  m.eager = times.eager_bytes;
  if (several_hosts) {
    m.envelope = kHeaders;
    m.burst = free_bytes(one_way, m.eager, latency, per_byte, m.envelope);
    m.acks = acknowledgments(times);
  }
  m.gap = kPicoseconds * std::min(times.gap_us, latency);
  m.posting = several_hosts ? simulator::Posting::sends_of_exchanges : simulator::Posting::receives;
  // The send ends so much earlier than the message arrives.
  const TimeOfSize& last = one_way.back();
  const double whole = last.us + (times.local_send.bytes - last.bytes) * per_byte;
  m.socket = std::clamp((whole - times.local_send.us) / per_byte, 0.0, times.local_send.bytes);
  if (times.loaded_round_trip_us) {
    m.queue = std::max(0.0, (*times.loaded_round_trip_us - 2 * latency) / per_byte);
    m.segment = std::clamp(m.queue / 2, static_cast<double>(m.mtu), m.segment);
    result.backlog_measured = true;
  }
  for (const TimeOfSize& t : times.reductions)
    m.reduction.points.push_back({t.bytes, kPicoseconds * t.us});
  result.rows = fit_rows(times, fit_rest(m, times, parts, known));
  return result;
}

std::vector<FitRow> fit_rows(const ProbeTimes& times, const simulator::Machine& machine) {
  std::vector<FitRow> rows;
  const auto add = [&](const char* probe, Pattern pattern, double bytes, double measured,
                       double part) {
    rows.push_back(
        {probe, bytes, measured, part * pattern_us(pattern, static_cast<Bytes>(bytes), machine)});
  };
  for (const TimeOfSize& t : times.one_way) add("one way", Pattern::round_trip, t.bytes, t.us, 0.5);
  if (!machine.shared)
    for (const ExchangeTimes& t : times.exchanges)
      add("exchange", Pattern::exchange, t.bytes, t.executor_us, 1);
  for (const LocalTimes& t : times.local) {
    add("exchange", Pattern::exchange, t.bytes, t.exchange_us, 1);
    add("sum and back", Pattern::sum_back, t.bytes, t.sum_back_us, 1);
    add("exchange, add to sent", Pattern::exchange_sum, t.bytes, t.exchange_sum_us, 1);
    add("exchange, add to other", Pattern::exchange_part, t.bytes, t.exchange_part_us, 1);
  }
  for (const TimeOfSize& t : times.fan_out) add("1 to 2", Pattern::fan_out, t.bytes, t.us, 1);
  for (const TimeOfSize& t : times.fan_in) add("2 to 1", Pattern::fan_in, t.bytes, t.us, 1);
  return rows;
}

}  // namespace arlab::bench
