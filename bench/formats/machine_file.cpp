#include "bench/formats/machine_file.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "bench/formats/machine_section.hpp"
#include "bench/formats/machine_spread.hpp"

namespace arlab::bench {
namespace {

constexpr std::string_view kPostings[] = {"receives", "sends", "sends of exchanges"};

simulator::Machine machine_of(MachineSection& s) {
  constexpr double kMicrosecond = 1e6, kLongest = 1e9;  // picoseconds; microseconds
  simulator::Machine m;
  m.latency = kMicrosecond * s.number("latency_us", 0, kLongest);
  m.gap = kMicrosecond * s.number("gap_us", 0, kLongest);
  m.beta = 1e3 * s.number("port_ns_per_byte", 0, kLongest);
  m.envelope = s.number("envelope_bytes");
  m.acks = s.number("acks_per_byte", 0, 1);
  m.burst = s.number("burst_bytes");
  if (s.has("burst_left_bytes")) m.burst_left = s.number("burst_left_bytes");  // not in older files
  m.eager = s.number("eager_bytes");
  m.socket = s.number("socket_bytes");
  m.queue = s.number("backlog_bytes");
  m.segment = s.number("segment_bytes", 1);
  m.drift = kMicrosecond * s.number("drift_us", 0, kLongest);
  m.drift_long = kMicrosecond * s.number("drift_long_us", 0, kLongest);
  m.ordered = s.flag("ordered");
  const std::string posting = s.text("posting");
  const auto found = std::find(std::begin(kPostings), std::end(kPostings), posting);
  if (found == std::end(kPostings)) fail_unknown("machine.posting", posting, kPostings);
  m.posting = static_cast<simulator::Posting>(found - std::begin(kPostings));
  m.mtu = static_cast<Bytes>(s.number("packet_bytes", 1, 1e9));
  m.host = s.curve("host_us");
  m.reduction = s.curve("reduction_us");
  if (s.has("shared")) m.shared = s.flag("shared");  // these are of ranks of one machine only
  if (s.has("host_together_us")) m.host_together = s.curve("host_together_us");
  if (s.has("reduction_sent_us")) m.reduction_sent = s.curve("reduction_sent_us");
  return m;
}

toml::table parsed(std::string_view text, const std::string& file) {
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& e) {
    fail(Blame::usage, fmt::format("{}, line {}: {}: give a file that `arlab calibrate` wrote",
                                   file, e.source().begin.line, e.description()));
  }
}

}  // namespace

MachineFile parse_machine(std::string_view text, const std::string& file) {
  const toml::table root = parsed(text, file);
  MachineSection head(root, "machine", file), network(root, "network", file);
  if (!head.exists()) head.missing("latency_us");
  MachineFile result;
  result.machine = machine_of(head);
  head.expect_no_others();
  if (root.contains("interval")) result.spread = spread_of(root, file, result.machine);
  if (network.exists()) {
    result.topology = network.text("topology");
    result.placement = network.text("placement");
    network.expect_no_others();
  }
  return result;
}

}  // namespace arlab::bench
