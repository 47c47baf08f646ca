#include "bench/python/catalogs.hpp"

#include <span>

#include "algorithms/algorithm.hpp"
#include "algorithms/base/names.hpp"
#include "collectives/backends/backend.hpp"
#include "collectives/reduce/dtype.hpp"
#include "simulator/models/model.hpp"
#include "simulator/topologies/build/kind.hpp"
#include "training/compressors/codec_cost.hpp"
#include "training/compressors/compressor.hpp"
#include "training/gpus/gpu.hpp"
#include "training/schedulers/scheduler.hpp"
#include "training/strategies/strategy.hpp"

namespace arlab::bench::python {
namespace {

using Json = nlohmann::ordered_json;

Json parameters_json(std::span<const Parameter> parameters) {
  Json all = Json::object();
  for (const Parameter& p : parameters)
    all[std::string(p.name)] = {{"default", p.default_value}, {"help", p.help}};
  return all;
}

Json algorithms_json() {
  Json all = Json::array();
  for (const Algorithm& a : algorithms()) {
    Json collectives = Json::array();
    for (const Collective c : a.collectives) collectives.push_back(name(c));
    all.push_back({{"name", a.name},
                   {"label", a.label},
                   {"summary", a.summary},
                   {"messages", a.formula.messages},
                   {"elements", a.formula.elements},
                   {"rounds", a.formula.rounds},
                   {"collectives", std::move(collectives)},
                   {"parameters", parameters_json(a.parameters)},
                   {"source", a.source}});
  }
  return all;
}

// Kinds that have a name, a summary, and parameters.
template <class Kinds>
Json kinds_json(const Kinds& kinds) {
  Json all = Json::array();
  for (const auto& kind : kinds) {
    all.push_back({{"name", kind.name},
                   {"summary", kind.summary},
                   {"parameters", parameters_json(kind.parameters)}});
    if constexpr (requires { kind.source; }) all.back()["source"] = kind.source;
  }
  return all;
}

Json backends_json() {
  Json all = Json::array();
  for (const collectives::Backend& b : collectives::backends()) {
    const std::string off = b.unavailable_reason();
    all.push_back({{"name", b.name},
                   {"summary", b.summary},
                   {"available", off.empty()},
                   {"note", off.empty() ? b.note() : off}});
  }
  return all;
}

Json types_json() {
  Json all = Json::array();
  for (const collectives::DType t : collectives::kDTypes)
    all.push_back({{"name", name(t)}, {"bytes", collectives::size_of(t)}});
  return all;
}

// Rates in operations and bytes per second, as training reaches them.
Json gpus_json() {
  Json all = Json::array();
  for (const training::GpuKind& gpu : training::gpus()) {
    Json rates = Json::array();
    for (const training::GpuRate& rate : gpu.rates)
      rates.push_back({{"precision", name(rate.precision)},
                       {"peak", rate.peak},
                       {"images", rate.peak * rate.images},
                       {"sequences", rate.peak * rate.sequences},
                       {"source", rate.source}});
    all.push_back({{"name", gpu.name},
                   {"label", gpu.label},
                   {"memory", gpu.memory},
                   {"memory_reached", gpu.memory * training::kReachedRate},
                   {"source", gpu.data_sheet},
                   {"rates", std::move(rates)}});
  }
  return all;
}

struct CatalogPart {
  std::string_view name;
  Json (*list)();
};
const CatalogPart kCatalogParts[] = {
    {"algorithms", algorithms_json},
    {"topologies", [] { return kinds_json(simulator::topologies()); }},
    {"models", [] { return kinds_json(simulator::models()); }},
    {"compressors", [] { return kinds_json(training::compressors()); }},
    {"schedulers", [] { return kinds_json(training::schedulers()); }},
    {"strategies", [] { return kinds_json(training::strategies()); }},
    {"backends", backends_json},
    {"types", types_json},
    {"gpus", gpus_json}};

}  // namespace

nlohmann::ordered_json catalog(const std::string& what) {
  for (const CatalogPart& part : kCatalogParts)
    if (part.name == what) return part.list();
  fail_unknown("list", what, names_of(std::span(kCatalogParts)));
}

}  // namespace arlab::bench::python
