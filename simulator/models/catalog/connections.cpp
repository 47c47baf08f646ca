// connections: messages as a library sends them over TCP: announced above the eager limit, on one
// ordered connection per pair, over links that queue (connections/connections.hpp).
#include "simulator/connections/connections.hpp"

#include "simulator/models/model.hpp"

namespace arlab::simulator::model_catalog {
namespace {

std::unique_ptr<Network> make(const Values& values, Rank ranks,
                              std::shared_ptr<const Fabric> fabric) {
  return machine_network(with_values({}, values), ranks, std::move(fabric));
}

}  // namespace

Model connections() {
  using Unit = Parameter::Unit;
  return {
      .name = "connections",
      .summary =
          "ordered connections with requests and grants above an eager limit, over queues, as in "
          "MPI over TCP",
      .source = "Open MPI 4.1, protocol ob1 over tcp; ITU-T I.371",
      .parameters = {{"L", Unit::time, "20us", "time of the smallest message"},
                     {"g", Unit::time, "0", "processor time per message, at its sender"},
                     {"port_beta", Unit::time_per_byte, "0",
                      "time per byte of a host's port, which scales links; 0: the topology's"},
                     {"wrap", Unit::bytes, "64 B", "header bytes per message, request or grant"},
                     {"burst", Unit::bytes, "0 B", "bytes that pass an idle link at once"},
                     {"burst_left", Unit::bytes, "0 B", "bytes of the burst at the start"},
                     {"acks", Unit::number, "0", "acknowledgment bytes per data byte", 0, 1},
                     {"S", Unit::bytes, "64 KiB", "largest eager message"},
                     {"socket", Unit::bytes, "512 KiB",
                      "bytes in flight at which a send completes; 0: on delivery"},
                     {"backlog", Unit::bytes, "128 KiB",
                      "bytes per connection in a host's queue; 0: requests pass all data"},
                     {"drift", Unit::time, "0", "mean random delay of a rank before a round"},
                     {"drift_long", Unit::time, "0",
                      "the same before a round with messages above S"},
                     {"drift_seed", Unit::count, "1", "seed of the random delays"},
                     {"drift_runs", Unit::count, "9",
                      "runs with different delays, whose median is the time", 1, 1001},
                     {"ordered", Unit::flag, "yes", "a grant waits behind data of its connection"},
                     {"posting", Unit::count, "2",
                      "first in a round: 0 receives, 1 sends, 2 sends if it is an exchange", 0, 2},
                     {"curve", Unit::flag, "yes", "use the machine's measured times by size"},
                     {"shared", Unit::flag, "no",
                      "ranks of one machine: receivers copy messages, without a network"},
                     {"together", Unit::flag, "yes",
                      "copies of several ranks at once share the memory, as measured"},
                     {"resent", Unit::flag, "yes",
                      "additions to elements just sent take longer, as measured"},
                     {"gamma", Unit::time_per_byte, "0", "time per reduced byte"}},
      .has_links = true,
      .make = make,
  };
}

}  // namespace arlab::simulator::model_catalog
