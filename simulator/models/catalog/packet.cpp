// packet: messages are divided into packets, which every node on the route stores and forwards
// (contention/packet_network.hpp).
//
// A message leaves when its send and its receive are posted.
#include "simulator/contention/packet_network.hpp"
#include "simulator/contention/processors.hpp"
#include "simulator/models/model.hpp"
#include "simulator/topologies/fabric.hpp"

namespace arlab::simulator::model_catalog {
namespace {

PacketNetwork::Settings make_settings(const Values& values) {
  const PacketNetwork::Settings settings{.mtu = static_cast<Bytes>(values.at("mtu")),
                                         .header = static_cast<Bytes>(values.at("header")),
                                         .queue = static_cast<Bytes>(values.at("queue")),
                                         .queues_by_flow = values.at("flow_queues") > 0};
  if (settings.mtu < 1) fail(Blame::usage, "mtu is 0: give at least 1 byte");
  return settings;
}

class PacketModel final : public Network, private NetworkLinks {
 public:
  PacketModel(const Values& values, Rank ranks, std::shared_ptr<const Fabric> fabric)
      : Network({.synchronous = true, .has_changes = true, .links = this}),
        fabric_(std::move(fabric)),
        router_(fabric_->topology, fabric_->routing, fabric_->seed),
        packets_(fabric_->topology, make_settings(values)),
        processors_(ranks, values.at("gamma")) {
    expect_one_route(*fabric_, "packet");
  }

  Sent send(const Message& m, Time now) override {
    packets_.add(m, router_.route(host_of(m.source), host_of(m.target)), now);
    return {now, kNever, true};
  }

  Work reduce(Rank rank, Bytes bytes, Time now, bool) override {
    return processors_.reduce(rank, bytes, now);
  }
  Work compute(Rank rank, Time duration, Time now) override {
    return processors_.compute(rank, duration, now);
  }

  Time next_change() override { return packets_.next_change(); }
  Change advance(Time now) override { return {.arrived = packets_.advance(now), .sent = {}}; }

 private:
  // NetworkLinks
  void watch(LinkHistory& history) override { packets_.watch(history); }
  std::vector<LinkLoad> loads(Time now) const override {
    return loads_of(fabric_->topology, packets_.carried(), now);
  }

  Rank host_of(Rank rank) const { return fabric_->host_of[static_cast<std::size_t>(rank)]; }

  std::shared_ptr<const Fabric> fabric_;
  Router router_;
  PacketNetwork packets_;
  Processors processors_;
};

std::unique_ptr<Network> make(const Values& values, Rank ranks,
                              std::shared_ptr<const Fabric> fabric) {
  return std::make_unique<PacketModel>(values, ranks, std::move(fabric));
}

}  // namespace

Model packet() {
  using Unit = Parameter::Unit;
  return {
      .name = "packet",
      .summary = "packets are stored and forwarded over links with finite queues; for small runs",
      .source = "Dally & Seitz, IEEE Trans. Computers C-36(5), 1987; Kung et al., SIGCOMM 1994",
      .parameters = {{"mtu", Unit::bytes, "4 KiB", "most bytes of a message per packet"},
                     {"header", Unit::bytes, "0 B", "header bytes per packet"},
                     {"queue", Unit::bytes, "64 KiB", "queue size per link and virtual channel"},
                     {"flow_queues", Unit::count, "0", "1: each message has its own queues", 0, 1},
                     {"gamma", Unit::time_per_byte, "0", "time per reduced byte"}},
      .has_links = true,
      .make = make,
  };
}

}  // namespace arlab::simulator::model_catalog
