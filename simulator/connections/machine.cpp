#include "simulator/connections/machine.hpp"

namespace arlab::simulator {

Values values_of(const Machine& m) {
  return {{"L", m.latency},
          {"g", m.gap},
          {"port_beta", m.beta},
          {"wrap", m.envelope},
          {"burst", m.burst},
          {"burst_left", m.burst_left},
          {"acks", m.acks},
          {"S", m.eager},
          {"socket", m.socket},
          {"backlog", m.queue},
          {"drift", m.drift},
          {"drift_long", m.drift_long},
          {"drift_seed", static_cast<double>(m.seed)},
          {"drift_runs", kDriftRuns},
          {"ordered", m.ordered ? 1 : 0},
          {"posting", static_cast<double>(m.posting)},
          {"curve", 1},
          {"shared", m.shared ? 1 : 0},
          {"together", 1},
          {"resent", 1},
          {"gamma", 0}};
}

Machine with_values(Machine m, const Values& values) {
  m.latency = values.at("L");
  m.gap = values.at("g");
  m.beta = values.at("port_beta");
  m.envelope = values.at("wrap");
  m.burst = values.at("burst");
  m.burst_left = values.at("burst_left");
  m.acks = values.at("acks");
  m.eager = values.at("S");
  m.socket = values.at("socket");
  m.queue = values.at("backlog");
  m.drift = values.at("drift");
  m.drift_long = values.at("drift_long");
  m.seed = static_cast<std::uint64_t>(values.at("drift_seed"));
  m.ordered = values.at("ordered") > 0;
  m.posting = static_cast<Posting>(static_cast<int>(values.at("posting")));
  if (values.at("curve") <= 0) m.host = {};
  m.shared = values.at("shared") > 0;
  if (values.at("together") <= 0 || m.host.points.empty()) m.host_together = {};
  if (values.at("resent") <= 0) m.reduction_sent = {};
  if (const double gamma = values.at("gamma"); gamma > 0) {
    m.reduction = {{{1, gamma}}};
    m.reduction_sent = {};
  }
  return m;
}

}  // namespace arlab::simulator
