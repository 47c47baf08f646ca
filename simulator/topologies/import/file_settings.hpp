// FileSettings: what a network's file leaves out, as the user gives it with the file's name.
#pragma once

#include <optional>
#include <set>
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
  double bandwidth_of(const Attributes& edge, const std::string& what);
  Time latency_of(const Attributes& edge, const std::string& what);
  /// Returns the node's kind, or that of nodes without one; null if there is neither.
  const std::string* kind_of(const Attributes& node);

  /// Throws Error(usage) for a setting of nodes or edges that the three functions above did not
  /// need.
  void check_used(const std::string& file) const;

 private:
  std::string with_unit(const std::string& text, const std::string& unit, const std::string& what,
                        std::string_view setting, std::string_view example);
  std::set<std::string_view> used_;
};

}  // namespace arlab::simulator
