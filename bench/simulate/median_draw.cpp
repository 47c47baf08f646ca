#include "bench/simulate/median_draw.hpp"

#include <algorithm>
#include <vector>

namespace arlab::bench {

Draw median_draw(const ModelOptions& model, const Config& config,
                 const simulator::SimulateOptions& options) {
  const Bytes element = config.element_size();
  const int draws = model.draws();  // which parses the options
  std::vector<Draw> all;
  for (int draw = 0; draw < draws; ++draw) {
    const auto network = model.make(config.network, config.problem.ranks, draw);
    const simulator::SimulationResult result =
        simulator::simulate(*config.algorithm, config.problem, element, *network, options);
    all.push_back({draw, result.stopped ? simulator::kNever : result.finish});
  }
  const auto middle = all.begin() + (static_cast<std::ptrdiff_t>(all.size()) - 1) / 2;
  std::nth_element(all.begin(), middle, all.end(),
                   [](const Draw& a, const Draw& b) { return a.finish < b.finish; });
  return *middle;
}

}  // namespace arlab::bench
