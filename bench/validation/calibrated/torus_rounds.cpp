#include "bench/validation/calibrated/torus_rounds.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <tuple>

#include "algorithms/base/error.hpp"
#include "bench/validation/calibrated/torus_axis.hpp"

namespace arlab::simulator {
namespace {

struct Step {
  int dimension = 0;
  int level = 0;  // within the dimension
};

std::vector<Step> steps_of(const RankGrid& grid, int port) {
  const int dimensions = grid.dimensions();
  std::vector<int> level(index(dimensions), 0), levels;
  int left = 0;
  for (int d = 0; d < dimensions; ++d) {
    levels.push_back(ceil_log2(grid.size(d)));
    left += levels.back();
  }
  std::vector<Step> steps;
  for (int d = port % dimensions; left > 0; --left, d = (d + 1) % dimensions) {
    while (level[index(d)] == levels[index(d)]) d = (d + 1) % dimensions;
    steps.push_back({d, level[index(d)]++});
  }
  return steps;
}

// On a plane the last two of six ports are plain again.
bool mirrored(int port, int dimensions) {
  if (dimensions == 1) return port % 2 == 1;
  return port >= dimensions && port < 2 * dimensions;
}

Count distance(Rank at, int level, bool swing) {
  if (!swing) return (Count{at} ^ Count{1} << level) - at;
  const Count power = Count{1} << (level + 1);
  const Count rho = (1 - (level % 2 == 0 ? -power : power)) / 3;
  return at % 2 == 0 ? rho : -rho;
}

// A link: dimension of the job, place, axis of the machine, direction; direction 0: the only cable
// of two.
using Link = std::tuple<int, Rank, std::size_t, int>;

class Loads {
 public:
  // Adds the message between two places of a dimension, one axis after the other; returns its hops.
  Rank add(int dimension, const TorusAxis& axis, Rank from, Rank to) {
    std::vector<Rank> at = axis.place(from);
    const std::vector<Rank> end = axis.place(to);
    Rank hops = 0;
    for (std::size_t j = 0; j < at.size(); ++j) {
      const Rank size = axis.sizes()[j], up = (end[j] - at[j] + size) % size;
      const Rank down = (size - up) % size;
      const bool either = axis.ring();
      const bool goes_up = up > 0 && (either ? up <= down : end[j] > at[j]);
      const bool goes_down = up > 0 && (either ? down <= up : end[j] < at[j]);
      const double share = goes_up && goes_down ? 0.5 : 1;
      if (goes_up) carry(dimension, axis, at, j, 1, up, share);
      if (goes_down) carry(dimension, axis, at, j, -1, down, share);
      hops += goes_up ? up : goes_down ? down : 0;
      at[j] = end[j];
    }
    return hops;
  }
  double busiest() const {
    double most = 0;
    for (const auto& [link, load] : loads_) most = std::max(most, load);
    return most;
  }

 private:
  void carry(int dimension, const TorusAxis& axis, std::vector<Rank> at, std::size_t j,
             int direction, Rank hops, double share) {
    const Rank size = axis.sizes()[j];
    const bool cable = size == 2 && axis.ring();
    for (; hops > 0; --hops) {
      loads_[{dimension, axis.number(at), j, cable ? 0 : direction}] += share;
      at[j] = (at[j] + direction + size) % size;
    }
  }
  std::map<Link, double> loads_;
};

bool is_power_of_two(Rank n) { return n > 0 && (n & (n - 1)) == 0; }

}  // namespace

std::string unsupported_torus(const RankGrid& grid) {
  for (int d = 0; d < grid.dimensions(); ++d)
    if (!is_power_of_two(grid.size(d)))
      return "the rounds on a torus are known for sizes that are powers of two, not for " +
             grid.text();
  return "";
}

std::vector<TorusRound> torus_rounds(const RankGrid& grid, int ports, bool swing) {
  expects(unsupported_torus(grid).empty(), "rounds of a torus without rounds");
  std::vector<std::vector<Step>> steps;
  for (int port = 0; port < ports; ++port) steps.push_back(steps_of(grid, port));
  const std::vector<TorusAxis> axes = torus_axes(grid);
  std::vector<TorusRound> rounds;
  for (std::size_t k = 0; k < steps.front().size(); ++k) {
    Loads loads;
    TorusRound round{.hops = 0};
    for (int port = 0; port < ports; ++port) {
      const Step& step = steps[index(port)][k];
      const TorusAxis& axis = axes[index(step.dimension)];
      const Rank size = grid.size(step.dimension);
      round.beside_ring = round.beside_ring || !axis.ring();
      // All rings of a dimension carry the same.
      for (Rank at = 0; at < size; ++at) {
        const Count away = distance(at, step.level, swing);
        const Count signed_away = mirrored(port, grid.dimensions()) ? -away : away;
        const auto up = static_cast<Rank>((signed_away % size + size) % size);
        round.hops = std::max(round.hops, loads.add(step.dimension, axis, at, (at + up) % size));
      }
    }
    round.load = loads.busiest();
    rounds.push_back(round);
  }
  return rounds;
}

}  // namespace arlab::simulator
