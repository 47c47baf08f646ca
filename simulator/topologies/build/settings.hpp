// Settings: the parameters of one topology, as text: "k=8,bandwidth=100Gbps,latency=1us".
//
// The text is kept, so that spec() repeats it word for word. Each value is read once when it is
// set, so that a bad one is rejected at once.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/base/parameters.hpp"
#include "algorithms/base/time.hpp"
#include "algorithms/problem.hpp"

namespace arlab::simulator {

/// Reads a latency of at most one second. Throws Error(usage) that names `what` and the text.
Time parse_latency(std::string_view text, std::string_view what);

class Settings {
 public:
  /// Throws Error(usage) that names a bad value, or an unknown parameter and the nearest one.
  Settings(std::string_view topology, std::span<const Parameter> parameters,
           std::span<const Setting> settings);

  bool given(std::string_view name) const { return values_.count(name) > 0; }
  /// Sets a parameter that was not given.
  void choose(std::string_view name, std::string value);
  void choose(std::string_view name, std::int64_t value) { choose(name, std::to_string(value)); }

  std::int32_t count(std::string_view name) const;
  std::vector<std::int32_t> sizes(std::string_view name) const;
  double ratio(std::string_view name) const;
  double bandwidth(std::string_view name) const;  ///< bytes per second
  Time time(std::string_view name) const;
  bool flag(std::string_view name) const;
  /// Returns a word, whose parameter is of Unit::number, and any other value as it was written.
  std::string_view word(std::string_view name) const { return text_of(name); }

  /// Returns the parameters given or chosen: "fat_tree:k=8,oversubscription=4".
  std::string spec() const;

 private:
  std::string_view text_of(std::string_view name) const;
  std::string what(std::string_view name) const;
  void set(std::string_view name, std::string_view value);

  std::string_view topology_;
  std::span<const Parameter> parameters_;
  std::map<std::string, std::string, std::less<>> values_;
};

/// Chooses as many groups as the hosts need, or the hosts of a group where the groups are given.
void fit_groups(Settings& settings, std::string_view groups, std::string_view hosts_of_each,
                std::int32_t hosts);

}  // namespace arlab::simulator
