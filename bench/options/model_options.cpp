#include "bench/options/model_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "bench/formats/machine_file.hpp"
#include "bench/options/nccl_network.hpp"
#include "bench/options/network_spec.hpp"
#include "bench/options/options.hpp"
#include "bench/options/rank_rates.hpp"
#include "bench/text/read_file.hpp"
#include "bench/text/units.hpp"
#include "simulator/bounds/network_bounds.hpp"
#include "simulator/connections/connections.hpp"
#include "simulator/connections/machine_fabric.hpp"
#include "simulator/topologies/analysis/nics.hpp"
#include "simulator/topologies/fabric.hpp"
#include "simulator/topologies/team_trees.hpp"

namespace arlab::bench {

namespace {

// Null for a network without trees: an algorithm that needs them says so.
std::shared_ptr<const Forest> forest_if_any(const simulator::Fabric& fabric) {
  try {
    return forest_of(fabric.topology, fabric.host_of);
  } catch (const Error&) {
    return nullptr;
  }
}

// "fluid or packet"
std::string with_links(std::string_view between) {
  std::string names;
  for (const simulator::Model& m : simulator::models())
    if (m.has_links) names += (names.empty() ? "" : std::string(between)) + std::string(m.name);
  return names;
}

constexpr const char* kDefaultModel = "alpha_beta";

}  // namespace

void ModelOptions::add_machine(CLI::App& command) {
  command
      .add_option("--machine", machine_path,
                  "Machine file that `arlab calibrate` wrote, with its topology, unless another is "
                  "given")
      ->type_name("MACHINE");
}

void ModelOptions::add(CLI::App& command) {
  command
      .add_option_function<std::vector<std::string>>(
          "--network", [this](const auto& lists) { use_networks(*this, lists); },
          network_help(kDefaultModel))
      ->type_name("NETWORKS")
      ->allow_extra_args(false)
      ->take_all();
}

std::vector<TopologyOptions> ModelOptions::networks() const {
  if (!topologies.empty() && !parsed_model().has_links)
    fail(Blame::usage, fmt::format("model {} knows no topology: leave out topology, placement, "
                                   "routing, seed, dead and slow, or use --network {}",
                                   parsed_model().name, with_links(" or ")));
  const MachineFile* machine_file = file();
  if (!topologies.empty() && is_shared())
    fail(Blame::usage,
         "ranks of one machine have no network: leave out topology, placement, routing, seed, dead "
         "and slow, or set shared=no");
  TopologyOptions there = usual;
  const bool states = machine_file && !machine_file->topology.empty();
  there = topology_options(states ? machine_file->topology : "crossbar", std::move(there));
  if (machine_file && !machine_file->placement.empty()) there.placement = machine_file->placement;
  if (topologies.empty()) return {there};
  std::vector<TopologyOptions> all;
  for (const std::string& text : without_repeats(split_specs(topologies)))
    all.push_back(topology_options(text, there));
  return all;
}

std::shared_ptr<const simulator::Fabric> ModelOptions::fabric([[maybe_unused]] std::size_t choice,
                                                              [[maybe_unused]] Rank ranks) const {
  if (!parsed_model().has_links) return nullptr;
  if (ranks != built_for_) {
    built_.clear();
    bounds_.clear();
  }
  built_for_ = ranks;
  std::shared_ptr<const simulator::Fabric>& made = built_[choice];
  if (!made) made = with_measured_links(networks().at(choice).fabric(ranks));
  return made;
}

std::shared_ptr<const simulator::Fabric> ModelOptions::with_measured_links(
    std::shared_ptr<const simulator::Fabric> fabric) const {
  if (parsed_model().name != kMachineModel) return fabric;
  return simulator::machine_fabric(measured(values(), nullptr), std::move(fabric));
}

std::unique_ptr<simulator::Network> ModelOptions::make(std::size_t choice, Rank ranks, int draw,
                                                       const simulator::Machine* refit) const {
  Values all = values_of_refit(refit);
  if (draw > 0) all.at("drift_seed") += draw;
  if (file()) return simulator::machine_network(measured(all, refit), ranks, fabric(choice, ranks));
  return simulator::make_network(parsed_model(), all, ranks, fabric(choice, ranks));
}

const MachineSpread* ModelOptions::spread() const {
  const MachineFile* measured = file();
  return measured && measured->spread ? &*measured->spread : nullptr;
}

// The machine of the file, or the refit, with these values.
simulator::Machine ModelOptions::measured(const Values& all,
                                          const simulator::Machine* refit) const {
  return simulator::with_values(refit    ? *refit
                                : file() ? file()->machine
                                         : simulator::Machine{},
                                all);
}

bool ModelOptions::has_links() const { return parsed_model().has_links && !is_shared(); }

bool ModelOptions::is_shared() const {
  return parsed_model().name == kMachineModel && values().at("shared") > 0;
}

void ModelOptions::check_effects() const {
  if (parsed_model().has_links) {
    const std::vector<TopologyOptions> all = networks();
    const auto has_seed = [](const TopologyOptions& one) { return one.seed != 0; };
    if (std::ranges::any_of(all, has_seed) && std::ranges::none_of(all, &TopologyOptions::draws))
      fail_without_effect("seed", "routing=ecmp or valiant, or placement=random");
  }
  const auto is_given = [&](const char* name) {
    const auto found = given.find(name);
    return found != given.end() && !found->second.empty();
  };
  if (parsed_model().name != kMachineModel || drifts()) return;
  for (const char* name : {"drift_seed", "drift_runs"})
    if (is_given(name)) fail_without_effect(name, "drift or drift_long above 0");
}

bool ModelOptions::drifts() const {
  return parsed_model().name == kMachineModel && is_random(simulator::with_values({}, values()));
}

int ModelOptions::draws() const {
  return drifts() ? static_cast<int>(values().at("drift_runs")) : 1;
}

std::optional<double> ModelOptions::bound(std::size_t choice, const Problem& problem,
                                          Bytes element_size) const {
  constexpr Rank kMaxRanks = 1024, kMaxRooted = 64;
  constexpr std::size_t kMaxLinks = 16'384;
  const bool rooted =
      problem.collective == Collective::reduce || problem.collective == Collective::broadcast;
  if (!has_links()) return std::nullopt;
  // Bursts pass links faster than the bound allows.
  if (parsed_model().name == kMachineModel && values().at("burst") > 0) return std::nullopt;
  if (problem.ranks < 2 || problem.ranks > (rooted ? kMaxRooted : kMaxRanks)) return std::nullopt;
  const auto built = fabric(choice, problem.ranks);
  if (!built || built->topology.links().size() > kMaxLinks) return std::nullopt;
  std::shared_ptr<const simulator::NetworkBounds>& made = bounds_[choice];
  if (!made)
    made = std::make_shared<const simulator::NetworkBounds>(
        simulator::network_bounds(built->topology, built->host_of));
  return simulator::least_microseconds(*made, problem, element_size);
}

std::vector<LayoutOf> ModelOptions::layouts(bool switches_may_add) const {
  std::vector<LayoutOf> all;
  for (std::size_t i = 0; i < networks().size(); ++i)
    all.push_back([this, i, switches_may_add](Rank ranks, bool with_trees) {
      const auto built = fabric(i, ranks);
      if (!built) return RankLayout{};
      RankLayout layout{simulator::groups_of(*built),
                        simulator::grid_of(*built),
                        nullptr,
                        {},
                        simulator::nics_of_group(built->topology)};
      layout.rates = port_rates(*built);
      if (with_trees) layout.forest = forest_if_any(*built);
      if (parsed_model().adds && switches_may_add)
        layout.switches = switch_sums(*built, layout.groups.get());
      return layout;
    });
  return all;
}

std::string ModelOptions::topology_text([[maybe_unused]] std::size_t choice,
                                        [[maybe_unused]] Rank ranks) const {
  if (const auto built = fabric(choice, ranks)) return networks().at(choice).text(built->topology);
  return "crossbar";
}

const simulator::Model& ModelOptions::parsed_model() const {
  if (model.empty())
    return simulator::find_model(!machine_path.empty() ? kMachineModel
                                 : topologies.empty()  ? kDefaultModel
                                                       : kTopologyModel);
  if (model == kNcclNetwork)
    fail(Blame::usage,
         "network nccl is NCCL's own cost model, without messages: it predicts only `arlab "
         "simulate native --network nccl:...`");
  const simulator::Model& chosen = simulator::find_model(model);
  if (!machine_path.empty() && chosen.name != kMachineModel)
    fail(Blame::usage, fmt::format("{} describes model {}, not {}: leave out one of them",
                                   machine_path, kMachineModel, chosen.name));
  return chosen;
}

const MachineFile* ModelOptions::file() const {
  if (machine_path.empty()) return nullptr;
  if (!file_)
    file_ = std::make_shared<const MachineFile>(
        parse_machine(read_file(machine_path, "write one with `arlab calibrate`"), machine_path));
  return file_.get();
}

Values ModelOptions::values_of_refit(const simulator::Machine* refit) const {
  const simulator::Model& chosen = parsed_model();
  Values values;
  if (const MachineFile* measured = file())
    values = simulator::values_of(refit ? *refit : measured->machine);
  for (const auto& [name, text] : given) {
    if (text.empty()) continue;
    const auto found = std::find_if(chosen.parameters.begin(), chosen.parameters.end(),
                                    [&name = name](const Parameter& p) { return p.name == name; });
    if (found == chosen.parameters.end())
      fail(Blame::usage,
           fmt::format("model {} has no parameter {}: leave it out, or choose another model",
                       chosen.name, name));
    values[name] = parse_value(*found, text, name);
  }
  return simulator::complete(chosen, values);
}

std::string ModelOptions::machine() const {
  const Values all = values();
  std::string text = machine_path.empty() ? "" : "file=" + machine_path;
  for (const Parameter& p : parsed_model().parameters) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", p.name,
                        show_value(p, all.at(std::string(p.name))));
  }
  return text;
}

}  // namespace arlab::bench
