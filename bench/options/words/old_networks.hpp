// The options that described a network before --network did: a model and its parameters,
// topologies, and where ranks are on them.
#pragma once

#include <string>
#include <vector>

namespace arlab::bench {

class OldNetwork {
 public:
  /// Takes the value of an option if it is one of these, with a note. `has_latency`: --latency is
  /// one.
  bool take(const std::string& option, const std::string& value, bool has_latency);
  /// Whether take() would.
  static bool is_one(const std::string& option, bool has_latency);

  bool is_given() const { return given_; }

  /// Returns the new values of --network in place of those that are given; at least one. Throws
  /// Error(usage) if they and the old options exclude one another.
  std::vector<std::string> specs(std::vector<std::string> given) const;

 private:
  std::string base() const;

  std::string model_, machine_, parameters_, latency_;
  std::vector<std::string> topologies_, placements_;
  std::string of_hosts_;  // "routing=ecmp,seed=3"
  bool given_ = false;
};

}  // namespace arlab::bench
