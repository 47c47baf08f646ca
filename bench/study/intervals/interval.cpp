#include "bench/study/intervals/interval.hpp"

#include <algorithm>
#include <cmath>

#include "bench/study/intervals/refits.hpp"
#include "bench/validation/fit/intervals.hpp"

namespace arlab::bench {
namespace {

double doublings_between(double from, double to) { return std::max(0.0, std::log2(to / from)); }

}  // namespace

double lack_at(const MachineSpread& spread, Rank ranks, double bytes) {
  const double size = std::max(1.0, bytes);
  const double beyond = doublings_between(spread.ranks, ranks) +
                        doublings_between(spread.most_bytes, size) +
                        doublings_between(size, spread.least_bytes);
  return spread.lack * std::sqrt(1 + beyond);
}

void set_interval(const MachineSpread& spread, std::vector<double> us, Record& r) {
  auto& body = r.as<SimulateBody>();
  const auto bytes = static_cast<double>(r.bytes());
  const double lack = lack_at(spread, r.problem.ranks, bytes);
  const PredictionInterval interval = prediction_intervals(
      {*body.modelled_us}, {log_deviation(us)}, std::hypot(lack, spread.between_jobs))[0];
  body.low_us = interval.low_us;
  body.high_us = interval.high_us;
  body.beyond_calibration =
      r.problem.ranks > spread.ranks || bytes < spread.least_bytes || bytes > spread.most_bytes;
  body.refits = {.us = std::move(us),
                 .spread = lack,
                 .ranks = spread.ranks,
                 .least_bytes = spread.least_bytes,
                 .most_bytes = spread.most_bytes};
}

}  // namespace arlab::bench
