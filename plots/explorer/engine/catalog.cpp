// The catalogs as JSON: algorithms, models, topologies and schedulers.
#include <algorithm>
#include <nlohmann/json.hpp>

#include "plots/explorer/engine/layout.hpp"
#include "plots/explorer/engine/request.hpp"
#include "simulator/topologies/build/kind.hpp"
#include "training/schedulers/scheduler.hpp"

namespace arlab::explorer {
namespace {

bool has_packets(const simulator::Model& model) {
  return std::any_of(model.parameters.begin(), model.parameters.end(),
                     [](const Parameter& p) { return p.name == "mtu"; });
}

}  // namespace

Json catalog_json() {
  Json answer{
      {"algorithms", Json::array()}, {"models", Json::array()}, {"topologies", Json::array()}};
  for (const Algorithm& a : algorithms()) {
    // Without settings, some run on no number of ranks; a page sets none.
    if (a.few_ranks && !unsupported(a, {.ranks = 1}).empty()) continue;
    answer["algorithms"].push_back({{"name", a.name},
                                    {"label", a.label},
                                    {"color", a.color},
                                    {"family", a.family},
                                    {"idea", a.summary},
                                    {"source", a.source},
                                    {"needs", needs_of(a)},
                                    {"in_network", a.in_network},
                                    {"in_pieces", static_cast<bool>(a.chunks_per_rank)},
                                    {"formula",
                                     {{"messages", a.formula.messages},
                                      {"elements", a.formula.elements},
                                      {"rounds", a.formula.rounds}}}});
  }
  for (const simulator::Model& m : simulator::models()) {
    if (has_packets(m)) continue;  // too many events for a page
    Json parameters = Json::array();
    for (const Parameter& p : m.parameters)
      parameters.push_back({{"name", p.name},
                            {"unit", name(p.unit)},
                            {"fallback", default_of(p)},
                            {"help", p.help}});
    answer["models"].push_back({{"name", m.name},
                                {"idea", m.summary},
                                {"source", m.source},
                                {"has_links", m.has_links},
                                {"parameters", std::move(parameters)}});
  }
  for (const training::SchedulerKind& kind : training::schedulers())
    answer["schedulers"].push_back({{"name", kind.name}, {"idea", kind.summary}});
  for (const simulator::TopologyKind& kind : simulator::topologies())
    answer["topologies"].push_back({{"name", kind.name}, {"idea", kind.summary}});
  return answer;
}

}  // namespace arlab::explorer
