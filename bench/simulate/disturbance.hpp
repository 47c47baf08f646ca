// Disturbance: what delays a simulated run at random or on purpose, and by how much it then ends
// later.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "algorithms/base/time.hpp"
#include "algorithms/problem.hpp"
#include "simulator/network.hpp"
#include "simulator/noise/lost_packets.hpp"

namespace CLI {
class App;
}

namespace arlab::simulator {
struct Fabric;
}

namespace arlab::bench {

/// A link that fails for a while: at a given time, or once per period from a random time on.
struct FlapOption {
  std::string text;  ///< as given
  std::string link;  ///< "h0-leaf0", "h0--leaf0" (both directions), or "all"
  Time length{};
  std::optional<Time> begin = {};  ///< nothing: random
  Time period{};                   ///< 0: it fails once
  double share = 0;                ///< of the bandwidth that remains
};

/// Parses "h0--leaf0:50us:1ms" and "h0--leaf0:50us@100us", both perhaps with ":0.5" behind them.
/// Throws Error(usage) that names the text.
FlapOption parse_flap(const std::string& text);

struct Disturbance {
  std::vector<std::pair<Rank, Time>> late;  ///< ranks that begin later, and by how much
  Time jitter{};                            ///< mean delay of a message
  Time detour{}, period{1};                 ///< interruptions of each rank
  simulator::PacketLoss loss{};
  std::vector<FlapOption> flaps;
  std::vector<std::string> traffic;  ///< of other jobs: "h2-h6", or "h2--h6" (both directions)
  std::int32_t seed = 1, runs = 1;   ///< runs: with other random numbers each
  bool has_seed = false, has_runs = false;  ///< given

  void add(CLI::App& command);
  /// Throws Error(usage) for settings without effect. drifts: whether the model has random delays
  /// of its own, of which each run has others.
  void check(bool drifts = false) const;

  /// Whether each message or rank is delayed at random: then no switch adds.
  bool is_noisy() const { return jitter > Time{} || detour > Time{} || loss.share > 0; }
  bool any() const { return !late.empty() || !flaps.empty() || !traffic.empty() || is_random(); }
  bool is_given() const { return any() || has_runs; }
  /// Returns one delay: of the latest rank, of a message on average, of an interruption, of a lost
  /// packet that nothing follows, and of a link's longest failure, as the time in which the link
  /// would carry what it then does not; 0 of traffic alone.
  Time delay() const;
  /// Returns the settings as one word, such as "late=3:100us,jitter=2us,seed=1,runs=1"; empty
  /// without any.
  std::string text() const;
  /// Returns when each rank begins. Throws Error(usage) if a late rank does not exist.
  std::vector<Time> starts(Rank ranks) const;
  /// Returns the network with the noise of one of the runs. fabric: null if the network has no
  /// links. Throws Error(usage) if its links cannot fail or be shared, or if a link or host is
  /// unknown.
  std::unique_ptr<simulator::Network> disturbed(std::unique_ptr<simulator::Network> network,
                                                const simulator::Fabric* fabric, Rank ranks,
                                                int run) const;

 private:
  bool is_random() const;
};

}  // namespace arlab::bench
