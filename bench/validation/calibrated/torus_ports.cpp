#include "bench/validation/calibrated/torus_ports.hpp"

#include <algorithm>
#include <cmath>

#include "bench/validation/calibrated/torus_rounds.hpp"

namespace arlab::simulator {
namespace {

// Order of the parameters.
enum : std::size_t {
  kCall,
  kTeam,
  kPortStep,
  kPrepare,
  kPrepareTeam,
  kPut,
  kByte,
  kAddAll,
  kParallel,
  kAddOne,
  kSegment,
  kSegmentPorts,
  kHop,
  kCopy,
  kAddStart,
  kRegister,
  kManyRanks,
  kLayout,
};

constexpr double kUnannounced = 1024;     // bytes of a vector that is written without asking
constexpr double kOverlapping = 1 << 18;  // bytes of a long segment
constexpr double kOneCore = 4096;         // bytes that one core adds alone
constexpr double kLongestPut = 16777215;  // uTofu's limit: a longer message is several segments
constexpr double kFewRanks = 8;           // where the factor of many ranks is 1

struct Row {
  TorusCase from;
  std::vector<TorusRound> rounds;  // not of rings
  Rank ranks = 1;
};

Row torus_row(const TorusCase& one) {
  const RankGrid grid(one.sizes);
  Row row{.from = one, .rounds = {}, .ranks = grid.ranks()};
  if (one.form != TorusForm::rings) row.rounds = torus_rounds(grid, one.ports, one.swing);
  return row;
}

class Ports {
 public:
  Ports(std::span<const double> p, const Row& row)
      : p_(p),
        row_(row),
        ports_(row.from.ports),
        bytes_(static_cast<double>(row.from.bytes)),
        slow_(std::pow(p[kManyRanks], std::log2(row.ranks / kFewRanks))),
        put_((p[kPut] + p[kPortStep] * (ports_ - 1)) * slow_),
        call_(p[kCall] * slow_) {}

  double time() const {
    switch (row_.from.form) {
      case TorusForm::whole:
        return whole();
      case TorusForm::halves:
        return halves();
      case TorusForm::rings:
        return rings();
    }
    return 0;
  }

 private:
  // Each port adds `bytes` at the same time; the memory is shared.
  double addition(double bytes) const {
    const bool many = bytes > kOneCore;
    if (ports_ == 1) return bytes * p_[kAddAll] * 1e-3 + (many ? p_[kParallel] : 0);
    return bytes * std::max(p_[kAddOne], ports_ * p_[kAddAll]) * 1e-3 + (many ? p_[kAddStart] : 0);
  }
  double latency(const TorusRound& round) const { return put_ * (1 + p_[kHop] * (round.hops - 1)); }
  double transfer(double bytes, double load) const { return bytes * p_[kByte] * load * 1e-3; }
  // Where the job lies on the machine is not known, only how it may lie.
  double load(const TorusRound& round) const {
    return round.beside_ring ? round.load * p_[kLayout] : round.load;
  }
  double team() const { return ports_ > 1 ? p_[kTeam] : 0; }

  double whole() const {
    double sum = call_ + team();
    const double part = bytes_ / ports_;
    for (const TorusRound& round : row_.rounds)
      sum += latency(round) * (bytes_ > kUnannounced ? 2 : 1) + transfer(part, load(round)) +
             addition(part);
    return sum;
  }

  double halves() const {
    double sum = call_ + team();
    const double segment = row_.from.segment > 0 ? row_.from.segment : kLongestPut;
    double part = bytes_ / ports_;
    for (const TorusRound& round : row_.rounds) {
      part /= 2;
      sum += p_[kPrepare] * ports_ + (ports_ > 1 ? p_[kPrepareTeam] : 0);
      sum += 2 * latency(round) + transfer(part, load(round));  // again to share the result
      sum += part > segment ? segments(part, segment, load(round))
                            : transfer(part, load(round)) + addition(part);
    }
    return sum;
  }

  // The addition of a segment overlaps with the transfer of the next one; with several ports only
  // if the segments are long.
  double segments(double part, double segment, double load) const {
    const double count = part / segment, one = transfer(part, load) / count;
    const double add = addition(segment);
    const double each = p_[kSegment] + (ports_ > 1 ? p_[kSegmentPorts] * ports_ * ports_ : 0);
    const bool overlaps = ports_ == 1 || segment >= kOverlapping;
    const double next = overlaps ? std::max(one, add) : one + add;
    return one + (count - 1) * next + add + count * each;
  }

  // Rings along one dimension after the other, half of the ports in each direction.
  double rings() const {
    double sum = call_ + ports_ * p_[kRegister] + bytes_ * p_[kCopy] * 1e-3 +
                 p_[kPut] * std::log2(static_cast<double>(row_.ranks));  // exchanges addresses
    double part = bytes_ / ports_;
    for (const Rank size : row_.from.sizes) {
      part /= size;
      const double load = size > 2 ? 1 : 2;  // two hosts share one cable
      sum +=
          2 * p_[kTeam] + (size - 1) * (2 * 2 * put_ + 2 * transfer(part, load) + addition(part));
    }
    return sum;
  }

  std::span<const double> p_;
  const Row& row_;
  int ports_;
  double bytes_, slow_, put_, call_;
};

std::vector<Row> torus_rows(const std::vector<TorusCase>& cases) {
  std::vector<Row> rows;
  for (const TorusCase& one : cases) rows.push_back(torus_row(one));
  return rows;
}

std::vector<double> times_of_rows(const std::vector<Row>& rows,
                                  std::span<const double> parameters) {
  std::vector<double> us;
  for (const Row& row : rows) us.push_back(Ports(parameters, row).time());
  return us;
}

}  // namespace

std::vector<Prior> torus_priors() {
  return {{"time of a call, us", 1.5, 1.0},
          {"start of the ports' threads, us", 6, 0.7},
          {"latency of a write per further port, us", 0.5, 0.7},
          {"preparation per port and round, us", 15, 0.7},
          {"preparation per round of several ports, us", 5, 0.7},
          {"latency of a write, us", 2, 0.6},
          {"link, ns/B", 0.15, 0.4},
          {"addition by all cores, ns/B", 0.04, 0.7},
          {"start of all cores, us", 10, 0.7},
          {"addition by one core, ns/B", 0.08, 0.6},
          {"segment, us", 0.5, 0.8},
          {"segment per square of ports, us", 0.15, 0.8},
          {"latency per further hop, fraction", 0.1, 0.7},
          {"copy, ns/B", 0.05, 0.7},
          {"start of an addition by a port, us", 0.5, 0.7},
          {"registration per port, us", 15, 0.7},
          many_ranks_prior("factor of latency per doubling of ranks"),
          {"loads of links beside a ring, of the layout's", 1, 0.15}};
}

PredictRows torus_predictor(const std::vector<TorusCase>& cases) {
  return [rows = torus_rows(cases)](std::span<const double> parameters) {
    return times_of_rows(rows, parameters);
  };
}

}  // namespace arlab::simulator
