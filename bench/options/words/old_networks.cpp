#include "bench/options/words/old_networks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "algorithms/base/error.hpp"
#include "bench/options/model_options.hpp"
#include "bench/options/network_spec.hpp"
#include "bench/options/settings.hpp"
#include "bench/options/topology_options.hpp"
#include "bench/options/words/old_names.hpp"
#include "bench/text/comma_list.hpp"

namespace arlab::bench {
namespace {

bool is_model_parameter(std::string_view name) {
  return std::ranges::any_of(simulator::models(), [&](const simulator::Model& model) {
    return std::ranges::any_of(model.parameters,
                               [&](const Parameter& p) { return p.name == name; });
  });
}

std::string model_parameter_of(const std::string& option) {
  return option == "--overhead" ? "o" : option.substr(2);
}

void append_setting(std::string& settings, const std::string& setting) {
  settings += (settings.empty() ? "" : ",") + setting;
}

std::string with_settings_behind(std::string spec, const std::string& settings) {
  append_settings(spec, settings);
  return spec;
}

}  // namespace

bool OldNetwork::is_one(const std::string& option, bool has_latency) {
  constexpr std::string_view kAll[] = {"--model",   "--machine", "--topology", "--placement",
                                       "--routing", "--fault",   "--seed"};
  if (option == "--latency" && has_latency) return true;
  return std::ranges::find(kAll, option) != std::end(kAll) ||
         is_model_parameter(model_parameter_of(option));
}

bool OldNetwork::take(const std::string& option, const std::string& value, bool has_latency) {
  if (!is_one(option, has_latency)) return false;
  given_ = true;
  const auto note_setting = [&](const std::string& of, const std::string& setting) {
    note_old_name(option == "--overhead" ? "--o" : option,
                  fmt::format("a setting of --network: {}:{}", of, setting));
  };
  if (option == "--latency" && has_latency) {
    latency_ = "latency=" + value;
    note_setting("10G", latency_);
  } else if (option == "--model" || option == "--machine") {
    note_old_name(option, "--network " + value);
    (option == "--model" ? model_ : machine_) = value;
  } else if (option == "--topology") {
    note_old_name(option, "--network");
    for (std::string& one : split_specs({value})) topologies_.push_back(std::move(one));
  } else if (option == "--placement") {
    for (std::string& one : parts_of_list(value)) placements_.push_back(std::move(one));
    note_setting("torus", "placement=" + placements_.front());
  } else if (option == "--fault") {
    for (const std::string& one : parts_of_list(value)) append_setting(of_hosts_, one);
    note_setting("torus", value);
  } else if (option == "--routing" || option == "--seed") {
    const std::string setting = fmt::format("{}={}", option.substr(2), value);
    append_setting(of_hosts_, setting);
    note_setting("torus", setting);
  } else {
    const std::string setting = fmt::format("{}={}", model_parameter_of(option), value);
    append_setting(parameters_, setting);
    note_setting("MODEL", setting);
  }
  return true;
}

// The name of the network that they mean, if --network has none; empty: topologies alone.
std::string OldNetwork::base() const {
  std::string name = model_;
  if (!machine_.empty()) {
    if (!model_.empty() && model_ != kMachineModel)
      fail(Blame::usage, fmt::format("{} describes model {}, not {}: leave out one of them",
                                     machine_, kMachineModel, model_));
    name = machine_;
  }
  const bool is_fluid = name.empty() || name == kTopologyModel;
  if (!topologies_.empty() && is_fluid && parameters_.empty()) return "";
  if (name.empty())
    name = !topologies_.empty() ? kTopologyModel : latency_.empty() ? "alpha_beta" : "10G";
  return parameters_.empty() ? name : with_settings_behind(name, parameters_);
}

std::vector<std::string> OldNetwork::specs(std::vector<std::string> given) const {
  if (given.empty()) {
    given.push_back(base());
  } else {
    if (!(model_ + machine_).empty())
      fail(Blame::usage, fmt::format("--network {} has the model: leave out --model and --machine",
                                     given.front()));
    if (!parameters_.empty())
      for (std::string& spec : given) spec = with_settings_behind(spec, parameters_);
  }
  const std::vector<std::string> none{""};
  std::vector<std::string> all;
  for (const std::string& spec : given)
    for (const std::string& topology : topologies_.empty() ? none : topologies_)
      for (const std::string& placement : placements_.empty() ? none : placements_) {
        std::string one = topology.empty() ? spec : topology;
        if (!of_hosts_.empty()) one = with_host_setting(one, of_hosts_);
        if (!placement.empty()) one = with_host_setting(one, "placement=" + placement);
        if (!topology.empty() && !spec.empty()) one = with_settings_behind(spec, "topology=" + one);
        if (!latency_.empty() && is_port_rate(one)) one = with_settings_behind(one, latency_);
        all.push_back(std::move(one));
      }
  if (!latency_.empty() && std::ranges::none_of(all, is_port_rate))
    fail_without_effect("--latency", "a network of ports, such as --network 10G");
  return all;
}

}  // namespace arlab::bench
