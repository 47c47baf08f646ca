// FileSettings: what a network's file leaves out, as the user gives it with the file's name.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "algorithms/base/time.hpp"
#include "simulator/topologies/import/parsed_graph.hpp"

namespace arlab::simulator {

struct FileSettings {
  std::string kind;                 ///< "host", "switch"; empty: nodes have to say
  std::optional<double> bandwidth;  ///< bytes per second
  std::optional<Time> latency;
  std::string bandwidth_unit, latency_unit;  ///< of numbers without one; empty: refused
  std::optional<double> nvlink, pcie;        ///< of one link of a machine, bytes per second
  int systems = 0;                           ///< machines like that of the file; 0: not given

  /// Returns the settings of a spec after its file. Throws Error(usage) that names the setting.
  static FileSettings of(std::string_view spec);

  /// In these, `what` names the edge in errors. They throw Error(usage) for a value that is
  /// missing, has no unit, or is impossible.
  double bandwidth_of(const Attributes& edge, const std::string& what) const;
  Time latency_of(const Attributes& edge, const std::string& what) const;
};

}  // namespace arlab::simulator
