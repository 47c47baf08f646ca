#include "simulator/topologies/import/file_settings.hpp"

#include <array>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/parameters.hpp"
#include "algorithms/base/quantities.hpp"
#include "algorithms/base/text.hpp"
#include "simulator/topologies/build/settings.hpp"

namespace arlab::simulator {
namespace {

using Unit = Parameter::Unit;

const std::array<Parameter, 8> kSettings{{
    {"kind", Unit::number, "", "of nodes that have none"},
    {"bandwidth", Unit::bandwidth, "", "of edges that have none"},
    {"latency", Unit::time, "", "of edges that have none"},
    {"bandwidth_unit", Unit::number, "", "of bandwidths without one"},
    {"latency_unit", Unit::number, "", "of latencies without one"},
    {"nvlink", Unit::bandwidth, "", "of one NVLink each way, in files of machines"},
    {"pcie", Unit::bandwidth, "", "of one PCIe link each way, in files of machines"},
    {"systems", Unit::count, "1", "machines, in files of one with NICs"},
}};

bool is_plain_number(std::string_view text) {
  try {
    parse_number(text, "");
    return true;
  } catch (const Error&) {
    return false;
  }
}

// As the Topology Zoo states it, in bit/s or as a number and a prefix of bit/s.
std::optional<std::string> zoo_bandwidth(const Attributes& edge) {
  if (const std::string* raw = edge.find("LinkSpeedRaw")) return *raw + " bit/s";
  const std::string *speed = edge.find("LinkSpeed"), *prefix = edge.find("LinkSpeedUnits");
  if (speed && prefix) return *speed + " " + *prefix + "bit/s";
  return std::nullopt;
}

}  // namespace

FileSettings FileSettings::of(std::string_view spec) {
  const std::string_view file = topology_file(spec);
  FileSettings made;
  if (file.empty() || file.data() + file.size() == spec.data() + spec.size()) return made;
  const std::string owner(file);
  const auto after = static_cast<std::size_t>(file.data() - spec.data()) + file.size();
  const std::string rest = "file" + std::string(spec.substr(after));
  for (const auto& [name, value] : parse_spec(rest).settings) {
    find_parameter(kSettings, name, owner);
    const std::string what = concat(owner, ": ", name);
    if (name == "kind") {
      if (value != "host" && value != "switch")
        fail(Blame::usage, concat(what, " is '", value, "': write host or switch"));
      made.kind = value;
    } else if (name == "bandwidth") {
      made.bandwidth = parse_bandwidth(value, what);
    } else if (name == "latency") {
      made.latency = parse_latency(value, what);
    } else if (name == "bandwidth_unit") {
      made.bandwidth_unit = value;
      parse_bandwidth("1" + made.bandwidth_unit, what);
    } else if (name == "nvlink" || name == "pcie") {
      (name == "nvlink" ? made.nvlink_ : made.pcie_) = parse_bandwidth(value, what);
    } else if (name == "systems") {
      made.systems = parse_sizes(value, what).front();
    } else {
      made.latency_unit = value;
      parse_latency("0" + made.latency_unit, what);
    }
  }
  return made;
}

// The text with the unit that it lacks.
std::string FileSettings::with_unit(const std::string& text, const std::string& unit,
                                    const std::string& what, std::string_view setting,
                                    std::string_view example) {
  if (!is_plain_number(text)) return text;
  if (unit.empty() && parse_number(text, what) != 0)
    fail(Blame::usage,
         concat(what, " '", text, "' has no unit: write for example ", example,
                ", or the unit of such numbers after the file's name, as in NAME:", setting));
  used_.insert(setting.substr(0, setting.find('=')));
  return text + unit;
}

double FileSettings::bandwidth_of(const Attributes& edge, const std::string& what) {
  const std::string* const own = edge.find("bandwidth");
  if (own)
    return parse_bandwidth(
        with_unit(*own, bandwidth_unit, what + ": bandwidth", "bandwidth_unit=Gbps", "100Gbps"),
        what + ": bandwidth");
  if (const auto zoo = zoo_bandwidth(edge)) return parse_bandwidth(*zoo, what + ": LinkSpeed");
  used_.insert("bandwidth");
  if (bandwidth) return *bandwidth;
  fail(Blame::usage, what +
                         " has no bandwidth: add bandwidth=100Gbps, there or after the file's "
                         "name, as in NAME:bandwidth=100Gbps");
}

Time FileSettings::latency_of(const Attributes& edge, const std::string& what) {
  if (const std::string* const own = edge.find("latency"))
    return parse_latency(
        with_unit(*own, latency_unit, what + ": latency", "latency_unit=us", "1us"),
        what + ": latency");
  used_.insert("latency");
  if (latency) return *latency;
  fail(Blame::usage, what +
                         " has no latency: add latency=1us, there or after the file's name, as in "
                         "NAME:latency=1us");
}

const std::string* FileSettings::kind_of(const Attributes& node) {
  const std::string* const own = node.find("kind");
  if (own || kind.empty()) return own;
  used_.insert("kind");
  return &kind;
}

std::optional<double> FileSettings::nvlink() {
  used_.insert("nvlink");
  return nvlink_;
}

std::optional<double> FileSettings::pcie() {
  used_.insert("pcie");
  return pcie_;
}

void FileSettings::check_used(const std::string& file) const {
  constexpr std::string_view kSaid = "the file says it itself: leave it out, or change the file",
                             kNone = "the file has no such links that carry messages: leave it out";
  const struct {
    std::string_view name;
    bool is_given;
    std::string_view why;
  } all[] = {
      {"kind", !kind.empty(), kSaid},
      {"bandwidth", bandwidth.has_value(), kSaid},
      {"latency", latency.has_value(), kSaid},
      {"bandwidth_unit", !bandwidth_unit.empty(), kSaid},
      {"latency_unit", !latency_unit.empty(), kSaid},
      {"nvlink", nvlink_.has_value(), kNone},
      {"pcie", pcie_.has_value(), kNone},
  };
  for (const auto& [name, is_given, why] : all)
    if (is_given && !used_.contains(name))
      fail(Blame::usage, concat(file, ": ", name, " has no effect, because ", why));
}

}  // namespace arlab::simulator
