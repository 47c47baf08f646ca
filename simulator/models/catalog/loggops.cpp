// LogGOPS: latency L, processor overhead o per message and O per byte, gap g per message and G per
// byte, rendezvous above S bytes.
//
// A send needs the sender's processor and its send port: the processor for o + (n-1) O, the port
// for g + (n-1) G. The first byte arrives o + L after the start; the receiver's processor is then
// busy for o + (n-1) max(O, G) and its receive port for g + (n-1) G. One message from an idle
// rank to an idle rank takes 2 o + L + (n-1) G. Alexandrov et al., LogGP, SPAA 1995; Hoefler,
// Schneider, Lumsdaine, LogGOPSim, HPDC 2010. gamma per reduced byte is our addition.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>

#include "algorithms/base/error.hpp"
#include "simulator/models/model.hpp"

namespace arlab::simulator::model_catalog {
namespace {

class LogGOPS : public Network {
 public:
  LogGOPS(const Values& values, Rank ranks)
      : costs_{.L = to_time(values.at("L")),
               .o = to_time(values.at("o")),
               .g = to_time(values.at("g")),
               .G = values.at("G"),
               .O = values.at("O"),
               .gamma = values.at("gamma"),
               .S = values.at("S")},
        ranks_(static_cast<Free*>(std::calloc(index(ranks), sizeof(Free)))) {
    if (!ranks_)
      fail(Blame::environment,
           "no memory for " + std::to_string(ranks) + " ranks of loggops: use fewer");
    traits_ = {.uniform = &costs_, .eager = costs_.S, .flight = costs_.o + costs_.L};
  }

  Time can_send(Rank source, Time now) override {
    const Free& free = at(source);
    return std::max({now, free.processor, free.send});
  }

  Sent send(const Message& m, Time now) override {
    const Body& body = body_of(m.bytes);
    Free& free = at(m.source);
    free.processor = now + costs_.o + body.processor;
    free.send = now + costs_.g + body.port;
    return {free.processor, now + costs_.o + costs_.L, body.rendezvous};
  }

  Time can_receive(Rank target, Time now) override {
    const Free& free = at(target);
    return std::max({now, free.processor, free.receive});
  }

  Time receive(const Message& m, Time now) override {
    const Body& body = body_of(m.bytes);
    Free& free = at(m.target);
    free.processor = now + costs_.o + std::max(body.processor, body.port);
    free.receive = now + costs_.g + body.port;
    return free.processor;
  }

  void on_rendezvous(Rank source, Time now) override {
    Free& free = at(source);
    free.processor = std::max(free.processor, now);
    free.send = std::max(free.send, now);
  }

  Work reduce(Rank rank, Bytes bytes, Time now, bool) override {
    return compute(rank, body_of(bytes).reduction, now);
  }

  Work compute(Rank rank, Time duration, Time now) override {
    Time& processor = at(rank).processor;
    const Time begin = std::max(now, processor);
    processor = begin + duration;
    return {begin, processor};
  }

 private:
  struct Free {  // when each is free
    Time processor{}, send{}, receive{};
  };
  Free& at(Rank r) { return ranks_[index(r)]; }

  struct Release {
    void operator()(Free* memory) const { std::free(memory); }
  };

  // Durations that depend only on the size. Most messages are as long as the previous one, so one
  // size is cached.
  struct Body {
    Bytes bytes = -1;
    Time processor{}, port{}, reduction{};
    bool rendezvous = false;
  };
  const Body& body_of(Bytes bytes) {
    if (bytes != body_.bytes) {
      const auto whole = static_cast<double>(bytes), rest = static_cast<double>(bytes - 1);
      body_ = {bytes, to_time(rest * costs_.O), to_time(rest * costs_.G),
               to_time(whole * costs_.gamma), whole > costs_.S};
    }
    return body_;
  }

  UniformCosts costs_;
  // All are free at time 0. A sweep touches none of them: the system zeroes pages at their first
  // use.
  std::unique_ptr<Free[], Release> ranks_;
  Body body_;
};

std::unique_ptr<Network> make(const Values& values, Rank ranks, std::shared_ptr<const Fabric>) {
  return std::make_unique<LogGOPS>(values, ranks);
}

}  // namespace

Model loggops() {
  using Unit = Parameter::Unit;
  return {
      .name = "loggops",
      .summary =
          "latency, processor overhead and gap apart, so that they overlap; rendezvous above S",
      .source = "Alexandrov et al. 1995; Hoefler, Schneider, Lumsdaine 2010",
      .parameters = {{"L", Unit::time, "3us", "latency of the network"},
                     {"o", Unit::time, "1us", "processor time per message, at each end"},
                     {"g", Unit::time, "500ns", "least time between two messages"},
                     {"G", Unit::time_per_byte, "80ps", "time per byte in the port"},
                     {"O", Unit::time_per_byte, "0", "processor time per byte"},
                     {"S", Unit::bytes, "64 MiB", "largest eager message"},
                     {"gamma", Unit::time_per_byte, "0", "time per reduced byte"}},
      .make = make,
  };
}

}  // namespace arlab::simulator::model_catalog
