#include "bench/validation/calibrated/messages.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "bench/validation/calibrated/curve.hpp"

namespace arlab::simulator {
namespace {

constexpr double kPicoseconds = 1e-3;  // ns in us: parameters per byte are in ns
constexpr Rank kGroup = 128;           // hosts that reach each other at full bandwidth
constexpr double kFewRanks = 16;       // where the factor of many ranks is 1

// A slow large job may have met other traffic, or the shared links of every large job: both may
// explain it alike.
constexpr double kJobSpread = 0.7;

// log2 of the sizes at which the curves are given.
constexpr std::array<double, 6> kLatencySizes{6, 9, 12, 15, 18, 21};
constexpr std::array<double, 4> kAddSizes{15, 20, 23, 25};
constexpr std::array<double, 3> kCopySizes{20, 23, 26};

// Order of the parameters.
enum : std::size_t {
  kCall,
  kLatency,
  kLatencyGrowth,
  kFar = kLatencyGrowth + kLatencySizes.size() - 1,
  kByte,
  kAdd,
  kAddGrowth,
  kCopy = kAddGrowth + kAddSizes.size() - 1,
  kCopyGrowth,
  kManyRanks = kCopyGrowth + kCopySizes.size() - 1,
  kSerial,
  kExchange,
  kShared,
  kSharedFar,
  kStates,
};

// Medians and spreads are of the order that clusters of the last decade show; no measurement of the
// systems in tests/validation went into them beyond their order of magnitude.
std::vector<Prior> system_priors() {
  std::vector<Prior> p;
  p.push_back({"time of a call, us", 2, 1.2});
  p.push_back({"latency of 64 B, us", 2, 0.8});
  for (const char* to : {"512 B", "4 KiB", "32 KiB", "256 KiB", "2 MiB"})
    p.push_back({std::string("growth of latency to ") + to, std::exp(0.3), 0.6});
  p.push_back({"latency per doubling of distance, fraction", 0.1, 0.5});
  p.push_back({"network, ns/B", 0.08, 0.7});
  p.push_back({"addition of 32 KiB, ns/B", 0.1, 0.8});
  for (const char* to : {"1 MiB", "8 MiB", "32 MiB"})
    p.push_back({std::string("growth of addition to ") + to, std::exp(0.2), 0.6});
  p.push_back({"copy of 1 MiB, ns/B", 0.03, 1.0});
  for (const char* to : {"8 MiB", "64 MiB"})
    p.push_back({std::string("growth of copy to ") + to, std::exp(0.5), 0.6});
  p.push_back({"factor of latency per doubling of ranks", std::exp2(0.05), 0.05 * std::log(2.0)});
  p.push_back({"serial part of segments, odds", 1, 1.5});
  p.push_back({"latency of an exchange above a shift, fraction", 0.4, 0.7});
  p.push_back({"shared global links, fraction", 0.5, kJobSpread});
  p.push_back({"shared global links per doubling of distance, fraction", 0.3, 0.7});
  return p;
}

// A row as the rounds it consists of, with the logarithms that do not depend on parameters.
struct Term {
  double count, bytes, piece, reduced_piece, pieces, log2_piece, log2_reduced, log2_distance;
  bool shift;
};

struct Row {
  std::vector<Term> terms;
  double copied = 0, log2_bytes = 0, log2_ranks = 0, beyond_group = 0;
  int state = -1;
};

double log2_of(double bytes) { return std::log2(std::max(bytes, 1.0)); }

Row row_of(const MessageCase& one) {
  Row row;
  row.copied = static_cast<double>(one.copies) * static_cast<double>(one.bytes);
  row.log2_bytes = log2_of(static_cast<double>(one.bytes));
  row.log2_ranks = std::log2(static_cast<double>(one.ranks) / kFewRanks);
  row.beyond_group = std::max(0.0, 1 - static_cast<double>(kGroup) / one.ranks);
  row.state = one.state;
  for (const MessageRound& r : message_rounds(one.algorithm, one.ranks, one.bytes)) {
    const bool cut = r.reduced > 0 && one.segment > 0;
    const double pieces = cut ? std::max(1.0, std::floor(r.bytes / one.segment)) : 1;
    row.terms.push_back({.count = static_cast<double>(r.count),
                         .bytes = r.bytes,
                         .piece = r.bytes / pieces,
                         .reduced_piece = r.reduced / pieces,
                         .pieces = pieces,
                         .log2_piece = log2_of(r.bytes / pieces),
                         .log2_reduced = log2_of(r.reduced / pieces),
                         .log2_distance = std::log2(static_cast<double>(r.distance)),
                         .shift = r.shift});
  }
  return row;
}

// The system with given parameters.
class System {
 public:
  explicit System(std::span<const double> p)
      : p_(p),
        latency_(kLatencySizes, p[kLatency], p.subspan(kLatencyGrowth, kLatencySizes.size() - 1)),
        add_(kAddSizes, p[kAdd], p.subspan(kAddGrowth, kAddSizes.size() - 1)),
        copy_(kCopySizes, p[kCopy], p.subspan(kCopyGrowth, kCopySizes.size() - 1)) {}

  double time(const Row& row, double latency_factor, double byte_factor) const {
    const double slow = latency_factor * std::pow(p_[kManyRanks], row.log2_ranks);
    double sum = p_[kCall] * slow + row.copied * copy_.at(row.log2_bytes) * kPicoseconds;
    for (const Term& t : row.terms) sum += t.count * round(t, row, slow, byte_factor);
    return sum;
  }

 private:
  double round(const Term& t, const Row& row, double slow, double byte_factor) const {
    const double latency = latency_.at(t.log2_piece) * slow *
                           (1 + p_[kFar] * t.log2_distance + (t.shift ? 0 : p_[kExchange]));
    const double shared =
        1 + p_[kShared] * row.beyond_group * (1 + p_[kSharedFar] * t.log2_distance);
    const double transfer = latency + t.piece * p_[kByte] * byte_factor * shared * kPicoseconds;
    const double addition =
        t.reduced_piece > 0 ? t.reduced_piece * add_.at(t.log2_reduced) * kPicoseconds : 0;
    const double serial = p_[kSerial] / (1 + p_[kSerial]);
    const double other = std::max(transfer, addition) + serial * std::min(transfer, addition);
    return transfer + addition + (t.pieces - 1) * other;
  }

  std::span<const double> p_;
  Curve latency_, add_, copy_;
};

std::vector<Row> rows_of(const std::vector<MessageCase>& cases) {
  std::vector<Row> rows;
  for (const MessageCase& one : cases) rows.push_back(row_of(one));
  return rows;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n == 0 ? 1 : (values[(n - 1) / 2] + values[n / 2]) / 2;
}

std::vector<double> times(const std::vector<Row>& rows, std::span<const double> parameters,
                          std::size_t states) {
  const System system(parameters);
  const auto latency = parameters.subspan(kStates, states);
  const auto byte = parameters.subspan(kStates + states, states);
  const double usual_latency = median({latency.begin(), latency.end()});
  const double usual_byte = median({byte.begin(), byte.end()});
  std::vector<double> us;
  for (const Row& row : rows) {
    const bool known = row.state >= 0;
    us.push_back(system.time(row,
                             known ? latency[static_cast<std::size_t>(row.state)] : usual_latency,
                             known ? byte[static_cast<std::size_t>(row.state)] : usual_byte));
  }
  return us;
}

}  // namespace

MessageModel::MessageModel(int states) : states_(states), parameters_(system_priors()) {
  for (int i = 0; i < states; ++i)
    parameters_.push_back({"factor of latency in state " + std::to_string(i), 1, 0.5});
  for (int i = 0; i < states; ++i)
    parameters_.push_back(
        {"factor of network time per byte in state " + std::to_string(i), 1, kJobSpread});
}

std::size_t MessageModel::system_parameters() { return kStates; }

std::vector<double> MessageModel::fit(const std::vector<MessageCase>& cases,
                                      std::span<const double> us) const {
  const std::vector<Row> rows = rows_of(cases);
  const auto states = static_cast<std::size_t>(states_);
  return robust_fit(
             parameters_,
             [&](std::span<const double> parameters) { return times(rows, parameters, states); },
             us)
      .parameters;
}

std::vector<double> MessageModel::predict(const std::vector<MessageCase>& cases,
                                          std::span<const double> parameters) const {
  return times(rows_of(cases), parameters, static_cast<std::size_t>(states_));
}

}  // namespace arlab::simulator
