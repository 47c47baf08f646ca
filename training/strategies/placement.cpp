#include "training/strategies/placement.hpp"

#include <algorithm>
#include <numeric>

#include "algorithms/base/error.hpp"

namespace arlab::training {

std::vector<Rank> place(std::span<const Variable> variables, Rank servers) {
  expects(servers >= 1, "place() needs at least one server");
  std::vector<std::size_t> order(variables.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return variables[a].elements > variables[b].elements;
  });
  std::vector<Count> load(static_cast<std::size_t>(servers));
  std::vector<Rank> server_of(variables.size());
  for (const std::size_t v : order) {
    const auto min = std::min_element(load.begin(), load.end());
    *min += variables[v].elements;
    server_of[v] = static_cast<Rank>(min - load.begin());
  }
  return server_of;
}

}  // namespace arlab::training
