// StrategyChoice: what --strategy says: a name with parameters, such as diloco:fragments=4, or
// nothing.
#pragma once

#include <string>

#include "training/strategies/strategy.hpp"

namespace CLI {
class App;
}

namespace arlab::bench {

struct StrategyChoice {
  std::string spec = {};  ///< as given; empty: by backend
  Values fixed = {};      ///< parameters that are not given, but known otherwise

  void add(CLI::App& app, const std::string& help);
  /// Returns "diloco" of diloco:fragments=4; empty: by backend.
  std::string name() const;
  /// Returns the parameters for that strategy, the chosen one or the one by backend, without
  /// defaults. Throws Error(usage) that names the bad value.
  Values values_of(const training::StrategyKind& kind) const;
};

}  // namespace arlab::bench
