#include "bench/options/network_spec.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "bench/options/model_options.hpp"
#include "bench/options/nccl_network.hpp"
#include "bench/text/units.hpp"
#include "simulator/topologies/build/kind.hpp"
#include "simulator/topologies/import/file.hpp"

namespace arlab::bench {
namespace {

constexpr std::string_view kMachineFile = ".toml",
                           kTopologyKey = "topology=", kLatencyKey = "latency=";

bool is_model(std::string_view name) {
  return std::ranges::any_of(simulator::models(),
                             [&](const simulator::Model& m) { return m.name == name; });
}

// "L=5us,o=1us,topology=torus:dims=4x4": the topology takes the rest, since it has settings, too.
void read_network_settings(NetworkSpec& spec, std::string_view settings, const std::string& text) {
  std::string of_hosts;
  while (!settings.empty()) {
    if (settings.starts_with(kTopologyKey)) {
      spec.topology = settings.substr(kTopologyKey.size());
      if (spec.topology.empty())
        fail(Blame::usage, fmt::format("network '{}' has an empty topology: name one", text));
      if (!of_hosts.empty()) spec.topology = with_host_setting(spec.topology, of_hosts);
      return;
    }
    const std::string_view setting = settings.substr(0, settings.find(','));
    settings.remove_prefix(std::min(settings.size(), setting.size() + 1));
    const std::size_t equals = setting.find('=');
    if (equals == 0 || equals == std::string_view::npos || equals + 1 == setting.size())
      fail(Blame::usage, fmt::format("network '{}' has the setting '{}': write settings as "
                                     "name=value, such as loggops:L=5us,o=1us",
                                     text, setting));
    const std::string name(setting.substr(0, equals));
    if (is_host_setting(name)) {
      of_hosts += (of_hosts.empty() ? "" : ",") + std::string(setting);
      continue;
    }
    if (!spec.parameters.emplace(name, setting.substr(equals + 1)).second)
      fail(Blame::usage, fmt::format("network '{}' sets {} twice: give it once", text, name));
  }
  if (!of_hosts.empty()) spec.topology = ":" + of_hosts;
}

// A name of no catalog may have been meant as a model, too. Files have an extension or a folder.
void check_known(const std::string& name) {
  std::vector<std::string_view> names = names_of(simulator::models());
  for (const std::string_view topology : names_of(simulator::topologies()))
    names.push_back(topology);
  names.push_back(kNcclNetwork);
  if (name.find_first_of("./") == std::string::npos &&
      std::find(names.begin(), names.end(), name) == names.end())
    fail_unknown("network", name, names);
}

// A sweep has one model.
void check_same_model(const NetworkSpec& first, const NetworkSpec& one, std::string_view text) {
  if (one.model != first.model || one.machine != first.machine ||
      one.parameters != first.parameters)
    fail(Blame::usage,
         fmt::format("network '{}' has another model than the one before it, or other "
                     "parameters: simulate them one by one",
                     text));
}

}  // namespace

bool is_port_rate(const std::string& text) {
  return text.find_first_of("0123456789+-.") == 0 && !simulator::is_topology_file(text) &&
         !text.ends_with(kMachineFile);
}

PortSpec parse_port(const std::string& text) {
  const std::size_t colon = text.find(':');
  PortSpec port{.bytes_per_second = parse_port_rate(text.substr(0, colon), "network")};
  if (colon == std::string::npos) return port;
  const std::string setting = text.substr(colon + 1);
  port.latency = setting.substr(std::min(setting.size(), kLatencyKey.size()));
  if (!setting.starts_with(kLatencyKey) || port.latency.empty() ||
      port.latency.find(',') != std::string::npos)
    fail(Blame::usage, fmt::format("network '{}' has the setting '{}': a port's rate has only "
                                   "latency, as in 10G:latency=5us",
                                   text, setting));
  return port;
}

Time latency_of(const PortSpec& port) {
  const Time latency = to_time(parse_time(port.latency.empty() ? "20us" : port.latency, "latency"));
  if (latency > 10 * kSecond)
    fail(Blame::usage, fmt::format("latency is {}: give at most 10s", port.latency));
  return latency;
}

NetworkSpec parse_network_spec(const std::string& text) {
  NetworkSpec spec;
  const std::size_t colon = text.find(':');
  const std::string name = text.substr(0, colon);
  const std::string_view settings =
      colon == std::string::npos ? std::string_view() : std::string_view(text).substr(colon + 1);
  if (name.ends_with(kMachineFile)) {
    spec.machine = name;
    read_network_settings(spec, settings, text);
  } else if (is_model(name) || name == kNcclNetwork) {
    spec.model = name;
    read_network_settings(spec, settings, text);
  } else if (is_port_rate(text)) {
    spec.model = "alpha_beta";
    const PortSpec port = parse_port(text);
    spec.parameters["beta"] = fmt::format("{}ps", kPicosecondsPerSecond / port.bytes_per_second);
    if (!port.latency.empty()) spec.parameters["alpha"] = port.latency;
  } else {
    if (!text.starts_with(simulator::kFilePrefix)) check_known(name);
    spec.model = kTopologyModel;
    spec.topology = text;
  }
  return spec;
}

void use_networks(ModelOptions& options, const std::vector<std::string>& lists) {
  const std::vector<std::string> texts = split_specs(lists);
  const NetworkSpec first = parse_network_spec(texts.front());
  for (const std::string& text : texts) {
    const NetworkSpec one = parse_network_spec(text);
    check_same_model(first, one, text);
    if (!one.topology.empty()) options.topologies.push_back(one.topology);
  }
  options.model = first.model;
  options.machine_path = first.machine;
  for (const auto& [name, value] : first.parameters) options.given[name] = value;
}

std::string network_help(const std::string& usual) {
  return fmt::format(
      "Networks, {} by default: a port's rate (10G, 10G:latency=5us), a topology "
      "(rail_pod:nodes=8) or its file, a model (loggops:L=5us, packet:topology=torus; `arlab list "
      "models`), or a machine file (machine.toml). On any topology: {}",
      usual, kHostSettings);
}

}  // namespace arlab::bench
