// alpha-beta-gamma: a message of n bytes takes alpha + n beta, and adding n bytes takes n gamma.
//
// Every rank has one send port and one receive port. A message occupies its sender's send port and
// its receiver's receive port for its whole duration. It leaves when its receive is posted: no
// message of a later round occupies a port, which the closed forms of trees and fold-ins assume. Of
// the sends that may leave, a rank takes the first listed, those of the first piece first. It waits
// for the receiver's port, which serves requests in order: of one time, what was ready first, then
// what the receiver lists first. Hockney, The communication challenge for MPP, Parallel Computing
// 20(3), 1994; with gamma as in Thakur et al., IJHPCA 2005.
#include <algorithm>

#include "simulator/contention/processors.hpp"
#include "simulator/models/model.hpp"

namespace arlab::simulator::model_catalog {
namespace {

class AlphaBeta : public Network {
 public:
  AlphaBeta(const Values& values, Rank ranks)
      : Network({.uniform = &costs_, .synchronous = true}),
        costs_{.exclusive_ports = true,
               .L = to_time(values.at("alpha")),
               .G = values.at("beta"),
               .gamma = values.at("gamma")},
        ports_(static_cast<std::size_t>(ranks)),
        processors_(ranks, values.at("gamma")) {}

  Time can_send(Rank source, Time now) override { return std::max(now, ports(source).send); }

  // Occupies the receive port during the transfer: receiving takes no more time.
  Sent send(const Message& m, Time now) override {
    const Time start = std::max(now, ports(m.target).receive);
    const Time end = start + costs_.L + to_time(static_cast<double>(m.bytes) * costs_.G);
    ports(m.source).send = ports(m.target).receive = end;
    return {end, end, false};
  }

  Work reduce(Rank rank, Bytes bytes, Time now, bool) override {
    return processors_.reduce(rank, bytes, now);
  }
  Work compute(Rank rank, Time duration, Time now) override {
    return processors_.compute(rank, duration, now);
  }

 private:
  struct Ports {  // when each is free
    Time send{}, receive{};
  };
  Ports& ports(Rank r) { return ports_[static_cast<std::size_t>(r)]; }

  UniformCosts costs_;  // L: alpha, G: beta
  std::vector<Ports> ports_;
  Processors processors_;
};

std::unique_ptr<Network> make(const Values& values, Rank ranks, std::shared_ptr<const Fabric>) {
  return std::make_unique<AlphaBeta>(values, ranks);
}

}  // namespace

Model alpha_beta() {
  using Unit = Parameter::Unit;
  return {
      .name = "alpha_beta",
      .summary = "a message takes alpha + n beta and holds one send and one receive port",
      .source = "Hockney 1994; Thakur, Rabenseifner, Gropp 2005",
      .parameters = {{"alpha", Unit::time, "5us", "time per message, of any size"},
                     {"beta", Unit::time_per_byte, "80ps", "time per byte sent"},
                     {"gamma", Unit::time_per_byte, "0", "time per reduced byte"}},
      .make = make,
  };
}

}  // namespace arlab::simulator::model_catalog
