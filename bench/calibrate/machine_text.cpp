#include "bench/calibrate/machine_text.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <sstream>

#include "bench/formats/machine_spread.hpp"

namespace arlab::bench {
namespace {

std::string quoted(const std::string& text) {
  std::ostringstream out;
  out << toml::value<std::string>(text);
  return out.str();
}

std::string curve_text(const simulator::SizeCurve& curve) {
  std::string text = "[";
  for (const auto& p : curve.points)
    text +=
        fmt::format("{}\n  [{:.0f}, {:.4g}]", text.size() > 1 ? "," : "", p.bytes, p.time / 1e6);
  return text + "\n]\n";
}

std::string machine_text(const Fit& fit) {
  constexpr std::string_view kPosting[] = {"receives", "sends", "sends of exchanges"};
  const simulator::Machine& m = fit.machine;
  std::string text = "[machine]\n";
  const auto add = [&](const char* key, double value, const char* what) {
    text += fmt::format("{} = {:.6g}  # {}\n", key, value, what);
  };
  const auto add_bytes = [&](const char* key, double value, const char* what) {
    text += fmt::format("{} = {:.0f}  # {}\n", key, value, what);
  };
  add("latency_us", m.latency / 1e6, "of the smallest message");
  add("gap_us", m.gap / 1e6, "for each further message that a rank starts");
  add("port_ns_per_byte", m.beta / 1e3, "of long messages");
  add_bytes("envelope_bytes", m.envelope, "of headers of each message; assumed");
  add("acks_per_byte", m.acks, "bytes of acknowledgments for each byte, the other way");
  add_bytes("burst_bytes", m.burst, "that pass an idle link at once");
  add_bytes("burst_left_bytes", m.burst_left, "of them at the start, after a barrier");
  add_bytes("eager_bytes", m.eager, "largest message that leaves without a grant");
  add_bytes("socket_bytes", m.socket, "under way when a send ends");
  add_bytes("backlog_bytes", m.queue,
            fit.backlog_measured ? "of a stream in its host's queue"
                                 : "of a stream in its host's queue; not measured, needs 3 ranks");
  add_bytes("segment_bytes", m.segment, "that a connection hands to its link at once");
  add("drift_us", m.drift / 1e6, "mean random delay of a rank before a round");
  add("drift_long_us", m.drift_long / 1e6, "the same with messages above the eager limit");
  text +=
      fmt::format("ordered = {}  # a grant waits behind data of its own connection\n", m.ordered);
  text += fmt::format("posting = \"{}\"  # what the executor posts first\n",
                      kPosting[static_cast<std::size_t>(m.posting)]);
  add_bytes("packet_bytes", static_cast<double>(m.mtu), "assumed");
  text += "# [bytes, microseconds]: further time of a message\nhost_us = " + curve_text(m.host);
  text += "# [bytes, microseconds]: additions of received floats\nreduction_us = " +
          curve_text(m.reduction);
  if (!m.shared) return text;
  text += "shared = true  # receivers copy messages from the senders' memory\n";
  text += "# [bytes, microseconds]: host_us while another rank copies\nhost_together_us = " +
          curve_text(m.host_together);
  text += "# [bytes, microseconds]: additions to elements just sent\nreduction_sent_us = " +
          curve_text(m.reduction_sent);
  return text;
}

std::string probes_text(const Fit& fit, const ProbeTimes& times) {
  std::string text = "# Not read: what the numbers above come from.\n[measured]\n";
  text += fmt::format("local_send = [{:.0f}, {:.6g}]  # bytes, microseconds until the send ends\n",
                      times.local_send.bytes, times.local_send.us);
  text += fmt::format("spread_us = {:.4g}  # of a small exchange, mean beyond the least\n",
                      times.spread_us);
  text += fmt::format("long_spread_us = {:.4g}  # of an exchange above the eager limit\n",
                      times.long_spread_us);
  if (times.loaded_round_trip_us)
    text += fmt::format("loaded_round_trip_us = {:.6g}  # small message beside a stream\n",
                        *times.loaded_round_trip_us);
  text +=
      "# bytes, then microseconds: one round as the executor posts it, sends first, receives "
      "first, pieces of 32 KiB\nexchange_us = [";
  for (const ExchangeTimes& t : times.exchanges)
    text += fmt::format("\n  [{:.0f}, {:.6g}, {:.6g}, {:.6g}, {:.6g}],", t.bytes, t.executor_us,
                        t.sends_first_us, t.receives_first_us, t.pieces_us);
  if (!times.local.empty())
    text +=
        "\n]\n# bytes, then microseconds: an exchange, and of a sum: one way and back, an "
        "exchange, "
        "an exchange of halves\nlocal_us = [";
  for (const LocalTimes& t : times.local)
    text += fmt::format("\n  [{:.0f}, {:.6g}, {:.6g}, {:.6g}, {:.6g}],", t.bytes, t.exchange_us,
                        t.sum_back_us, t.exchange_sum_us, t.exchange_part_us);
  text += "\n]\n# probe, bytes, measured and modelled microseconds, error in percent\nfit = [";
  for (const FitRow& r : fit.rows)
    text += fmt::format("\n  [\"{}\", {:.0f}, {:.6g}, {:.6g}, {:.1f}],", r.probe, r.bytes,
                        r.measured_us, r.model_us, 100 * r.error());
  return text + "\n]\n";
}

}  // namespace

std::string to_toml(const MachineFile& network, const Fit& fit, const ProbeTimes& times,
                    const Provenance& p) {
  std::string hosts;
  for (const std::string& host : p.hosts) hosts += (hosts.empty() ? "" : ", ") + quoted(host);
  std::string text =
      "# A machine as `arlab calibrate` measured it, for --machine.\n\n[provenance]\n";
  text += fmt::format(
      "date = {}\nversion = {}\nbackend = {}\nlibrary = {}\ncommand = {}\nhosts = [{}]\n\n",
      quoted(p.date), quoted(p.version), quoted(p.backend), quoted(p.library), quoted(p.command),
      hosts);
  text += fmt::format("[network]  # stated, not measured\ntopology = {}\nplacement = {}\n\n",
                      quoted(network.topology), quoted(network.placement));
  text += machine_text(fit) + "\n";
  if (network.spread) text += spread_text(*network.spread) + "\n";
  return text + probes_text(fit, times);
}

}  // namespace arlab::bench
