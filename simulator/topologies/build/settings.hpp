// Settings: the parameters of one topology as people write them:
// "k=8,bandwidth=100Gbps,latency=1us".
//
// Values are kept as text, so that what was built can be named again word for word; each is read in
// its unit when it is set, so that a bad one is refused at once.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/base/time.hpp"
#include "algorithms/problem.hpp"

namespace arlab::simulator {

struct TopologyParameter {
  enum class Unit { count, counts, ratio, bandwidth, time, flag };
  std::string_view name;
  Unit unit;
  std::string_view default_value;  ///< as a user would write it
  std::string_view help;
};

/// "100Gbps", "12.5GB/s" (K, M, G, T are powers of 1000; Ki, Mi, Gi, Ti of 1024): bytes a second.
/// "1us", "350ns", "0": picoseconds. "8x8x4": counts, each at least 1. Throw Error(usage) that
/// names `what` and the text.
double parse_bandwidth(std::string_view text, std::string_view what);
Time parse_latency(std::string_view text, std::string_view what);
std::vector<std::int32_t> parse_sizes(std::string_view text, std::string_view what);
/// A number above zero.
double parse_ratio(std::string_view text, std::string_view what);

class Settings {
 public:
  /// `text`: "name=value,name=value". Throws Error(usage) naming the bad value, or the parameter
  /// and the nearest one.
  Settings(std::string_view topology, std::span<const TopologyParameter> parameters,
           std::string_view text);

  bool given(std::string_view name) const { return values_.count(name) > 0; }
  /// Sets what was not given.
  void choose(std::string_view name, std::string value);
  void choose(std::string_view name, std::int64_t value) { choose(name, std::to_string(value)); }

  std::int32_t count(std::string_view name) const;
  std::vector<std::int32_t> counts(std::string_view name) const;
  double ratio(std::string_view name) const;
  double bandwidth(std::string_view name) const;  ///< bytes a second
  Time time(std::string_view name) const;
  bool flag(std::string_view name) const;

  /// "fat_tree:k=8,oversubscription=4": what was given or chosen.
  std::string spec() const;

 private:
  std::string_view text_of(std::string_view name) const;
  std::string what(std::string_view name) const;
  void set(std::string_view name, std::string_view value);

  std::string_view topology_;
  std::span<const TopologyParameter> parameters_;
  std::map<std::string, std::string, std::less<>> values_;
};

}  // namespace arlab::simulator
