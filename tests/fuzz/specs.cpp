// Fuzzes specs such as "topk:ratio=0.01" and "torus:dims=4x4". The first character selects the
// catalog. A choice must survive writing and reading; a small network must connect its hosts.
#include <algorithm>
#include <cctype>

#include "simulator/models/model.hpp"
#include "simulator/topologies/build/kind.hpp"
#include "simulator/topologies/routing/routing.hpp"
#include "tests/fuzz/fuzz.hpp"
#include "training/compressors/compressor.hpp"
#include "training/schedulers/scheduler.hpp"

namespace {

using namespace arlab;
using fuzz::demand;

void compressor(std::string_view spec) {
  const auto choice = training::choose_compressor(spec);
  const std::string written = text(choice);
  demand(text(training::choose_compressor(written)) == written, "changes when written: " + written);
}

// Whether no number of the spec is so large that the network takes long to build.
bool is_small(std::string_view spec) {
  const std::size_t digits = static_cast<std::size_t>(
      std::count_if(spec.begin(), spec.end(), [](unsigned char c) { return std::isdigit(c); }));
  for (std::size_t i = 0; i + 2 < spec.size(); ++i)
    if (std::isdigit(static_cast<unsigned char>(spec[i])) &&
        std::isdigit(static_cast<unsigned char>(spec[i + 1])))
      return false;
  return digits <= 5 && spec.find_first_of("kKmMgGtT", spec.find('=')) == std::string_view::npos;
}

void topology(std::string_view text) {
  fuzz::Bytes bytes(text);
  const Rank hosts = bytes.below(20);
  const std::string_view spec = bytes.rest();
  const NamedSettings parsed = parse_spec(spec);
  const simulator::TopologyKind& kind = simulator::find_topology(parsed.name);
  simulator::Settings(kind.name, kind.parameters, parsed.settings);
  if (!is_small(spec)) return;
  const simulator::Topology made = simulator::make_topology(spec, hosts);
  demand(made.hosts() >= std::max(hosts, 1), "fewer hosts than wanted");
  simulator::Router router(made);
  for (Rank h = 1; h < made.hosts(); ++h)
    demand(!router.route(0, h).empty() && !router.route(h, 0).empty(), "hosts without a route");
}

template <class Entry>
void values(const Entry& entry, const NamedSettings& parsed) {
  const Values read = parse_values(entry.parameters, parsed.settings, entry.name);
  for (const auto& [name, value] : with_defaults(entry.parameters, read, entry.name)) {
    const Parameter& p = find_parameter(entry.parameters, name, entry.name);
    demand(value >= p.min && value <= p.max, "a value out of range: " + name);
    demand(parse_value(p, show_value(p, value), name) == value, "changes when written: " + name);
  }
}

}  // namespace

void arlab::fuzz::specs(std::string_view input) {
  if (input.empty()) return;
  const std::string_view spec = input.substr(1);
  const std::size_t hosts = input[0] == 't' ? 1 : 0;  // a topology's spec follows a byte
  if (spec.find('\0', hosts) != std::string_view::npos) return;  // no command line holds it
  accepted([&] {
    if (input[0] == 'c') return compressor(spec);
    if (input[0] == 't') return topology(spec);
    const NamedSettings parsed = parse_spec(spec);
    if (input[0] == 'm') return values(simulator::find_model(parsed.name), parsed);
    values(training::find_scheduler(parsed.name), parsed);
  });
}
