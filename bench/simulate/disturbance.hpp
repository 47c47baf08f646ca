// Disturbance: what delays a simulated run at random or on purpose, and by how much it then ends later.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/base/time.hpp"
#include "algorithms/problem.hpp"
#include "simulator/network.hpp"

namespace CLI {
class App;
}

namespace arlab::bench {

struct Disturbance {
  std::vector<std::pair<Rank, Time>> late;  ///< ranks that begin later, and by how much
  Time jitter{};                            ///< mean delay of a message
  Time detour{}, period{1};                 ///< interruptions of each rank
  std::int32_t seed = 1, runs = 1;          ///< runs: with other random numbers each

  void add(CLI::App& command);
  /// Throws Error(usage) for options without effect.
  void check(const CLI::App& command) const;

  bool any() const { return !late.empty() || is_random(); }
  /// Returns one delay: of the latest rank, of a message on average, and of an interruption.
  Time delay() const;
  /// Returns the options as one word, such as "late=3:100us,jitter=2us,seed=1"; empty without any.
  std::string text() const;
  /// Returns when each rank begins. Throws Error(usage) if a late rank does not exist.
  std::vector<Time> starts(Rank ranks) const;
  /// Returns the network with the noise of one of the runs.
  std::unique_ptr<simulator::Network> noisy(std::unique_ptr<simulator::Network> network, Rank ranks,
                                            int run) const;

 private:
  bool is_random() const { return jitter > Time{} || detour > Time{}; }
};

}  // namespace arlab::bench
