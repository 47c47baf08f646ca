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
  int systems = 0;                           ///< machines like that of the file; 0: not given
  /// Whether the rates of a machine's links are given.
  bool has_nvlink() const { return nvlink_.has_value(); }
  bool has_pcie() const { return pcie_.has_value(); }

  /// Returns the settings of a spec after its file. Throws Error(usage) that names the setting.
  static FileSettings of(std::string_view spec);

  /// In these, `what` names the edge in errors. They throw Error(usage) for a value that is
  /// missing, has no unit, or is impossible.
  double bandwidth_of(const Attributes& edge, const std::string& what);
  Time latency_of(const Attributes& edge, const std::string& what);
  /// Return the rate of one link of a machine, in bytes per second, if it is given.
  std::optional<double> nvlink();
  std::optional<double> pcie();
  /// Returns the node's kind, or that of nodes without one; null if there is neither.
  const std::string* kind_of(const Attributes& node);

  /// Throws Error(usage) for a setting that none of the functions above has used.
  void check_used(const std::string& file) const;

 private:
  std::string with_unit(const std::string& text, const std::string& unit, const std::string& what,
                        std::string_view setting, std::string_view example);
  std::optional<double> nvlink_, pcie_;
  std::set<std::string_view> used_;
};

}  // namespace arlab::simulator
