#include "bench/validation/calibrated/messages.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "bench/validation/calibrated/curve.hpp"

namespace arlab::simulator {
namespace {

constexpr double kPicoseconds = 1e-3;  // ns in us: parameters per byte are in ns
constexpr double kCrossings = 3;       // of the memory's bus by a byte that is copied or added
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
  kManyBytes,
  kInside,
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
  p.push_back(many_ranks_prior("factor of latency per doubling of ranks"));
  p.push_back({"serial part of segments, odds", 1, 1.5});
  p.push_back({"latency of an exchange above a shift, fraction", 0.4, 0.7});
  p.push_back(many_ranks_prior("factor of network time per byte per doubling of ranks"));
  p.push_back({"latency within a node, us", 0.5, 0.5});
  return p;
}

// A row as the rounds it consists of, with the logarithms that do not depend on parameters.
struct Term {
  double count, bytes, piece, reduced_piece, pieces, log2_piece, log2_reduced, log2_distance;
  double away;  // share of the messages that leave their node
  bool shift;
};

struct Row {
  std::vector<Term> terms;
  double copied = 0, log2_bytes = 0, log2_ranks = 0;
  double per_node = 1, cards = 1;
  double memory = 0;  // ns per byte that a rank copies or adds, if the ranks of a node share its
                      // memory
  int state = -1;
};

double log2_of(double bytes) { return std::log2(std::max(bytes, 1.0)); }

// Share of the messages whose partner is in another block of `size` neighbors. Partners at a
// distance of a power of two exchange within blocks that are powers of two.
double leaving(const MessageRound& r, double size) {
  const double distance = r.distance;
  const bool aligned = !r.shift && std::exp2(std::floor(std::log2(distance))) == distance &&
                       std::exp2(std::floor(std::log2(size))) == size;
  if (aligned) return distance >= size ? 1 : 0;
  return std::min(1.0, distance / size);
}

Term term_of(const MessageCase& one, const MessageRound& r) {
  const double per_node = one.ranks_per_node;
  const bool cut = r.reduced > 0 && r.sends && one.segment > 0;
  const double pieces = cut ? std::max(1.0, std::floor(r.bytes / one.segment)) : 1;
  return {.count = static_cast<double>(r.count),
          .bytes = r.bytes,
          .piece = r.bytes / pieces,
          .reduced_piece = r.reduced / pieces,
          .pieces = pieces,
          .log2_piece = log2_of(r.bytes / pieces),
          .log2_reduced = log2_of(r.reduced / pieces),
          .log2_distance = log2_of(static_cast<double>(r.distance) / per_node),
          .away = leaving(r, per_node),
          .shift = r.shift};
}

Row row_of(const MessageCase& one) {
  Row row;
  row.copied = static_cast<double>(one.copies) * static_cast<double>(one.bytes);
  row.log2_bytes = log2_of(static_cast<double>(one.bytes));
  row.log2_ranks = std::log2(static_cast<double>(one.ranks) / kFewRanks);
  row.state = one.state;
  row.per_node = one.ranks_per_node;
  row.cards = one.node.cards;
  const double held = 2 * row.per_node * static_cast<double>(one.bytes);
  if (one.ranks_per_node > 1 && held > one.node.cache_mb * 1e6)
    row.memory = kCrossings * row.per_node / one.node.memory_gb_per_s;
  for (const MessageRound& r : message_rounds(one.algorithm, one.ranks, one.bytes))
    row.terms.push_back(term_of(one, r));
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
    const double copy = std::max(copy_.at(row.log2_bytes), row.memory);
    const double slow_bytes = byte_factor * std::pow(p_[kManyBytes], row.log2_ranks);
    double sum = p_[kCall] * slow + row.copied * copy * kPicoseconds, longest = 0;
    for (const Term& t : row.terms) {
      const double net = round(t, row, between(t, row, slow, slow_bytes));
      if (t.away == 1) {
        sum += t.count * net;
        continue;
      }
      // Who meets whom changes from round to round: a chain of messages crosses the border of a
      // node as often as the average message, and once where that takes longest.
      const double in = round(t, row, within(t, row, slow));
      sum += t.count * (t.away * net + (1 - t.away) * in);
      if (t.away > 0) longest = std::max(longest, (1 - t.away) * (net - in));
    }
    return sum + longest;
  }

 private:
  double between(const Term& t, const Row& row, double slow, double slow_bytes) const {
    const double latency = latency_.at(t.log2_piece) * slow *
                           (1 + p_[kFar] * t.log2_distance + (t.shift ? 0 : p_[kExchange]));
    const double shared = std::max(1.0, row.per_node * t.away / row.cards);
    return latency + t.piece * p_[kByte] * slow_bytes * shared * kPicoseconds;
  }
  double within(const Term& t, const Row& row, double slow) const {
    const double copy = std::max(copy_.at(t.log2_piece), row.memory);
    return p_[kInside] * slow + t.piece * copy * kPicoseconds;
  }
  double round(const Term& t, const Row& row, double transfer) const {
    const double addition =
        t.reduced_piece > 0
            ? t.reduced_piece * std::max(add_.at(t.log2_reduced), row.memory) * kPicoseconds
            : 0;
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

RobustFit MessageModel::fit(const std::vector<MessageCase>& cases, std::span<const double> us,
                            std::span<const double> start) const {
  std::vector<double> from(start.begin(), start.end());
  if (!start.empty()) from.resize(parameters_.size(), 1.0);
  return robust_fit(parameters_, predictor(cases), us, from);
}

PredictRows MessageModel::predictor(const std::vector<MessageCase>& cases) const {
  return [rows = rows_of(cases), states = static_cast<std::size_t>(states_)](
             std::span<const double> parameters) { return times(rows, parameters, states); };
}

std::vector<double> MessageModel::predict(const std::vector<MessageCase>& cases,
                                          std::span<const double> parameters) const {
  return predictor(cases)(parameters);
}

}  // namespace arlab::simulator
