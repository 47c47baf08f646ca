#include "training/strategies/fragments.hpp"

#include <algorithm>
#include <numeric>

namespace arlab::training {

std::vector<VariableRange> cut_into_fragments(std::span<const Count> elements, Count fragments) {
  std::vector<VariableRange> all;
  Count left = std::accumulate(elements.begin(), elements.end(), Count{0});
  std::size_t next = 0;
  for (Count f = fragments; f > 0; --f) {
    VariableRange range{next, next};
    const auto keep = static_cast<std::size_t>(f - 1);  // variables for the other fragments
    const Count share = left / f;
    Count mine = 0;
    while (range.end + keep < elements.size() &&
           (range.end == range.first || f == 1 || mine + elements[range.end] / 2 < share))
      mine += elements[range.end++];
    left -= mine;
    next = range.end;
    all.push_back(range);
  }
  return all;
}

bool is_due(Count steps, Count fragment, Count fragments, Count every) {
  return steps % every == (fragment + 1) * every / fragments % every;
}

std::string refuse_fragments(Count fragments, Count variables, Count delay, Count every) {
  if (fragments < 1 || fragments > variables)
    return std::to_string(fragments) + " fragments of " + std::to_string(variables) +
           " variables: use at least 1, and at most as many as variables";
  if (delay < 0 || delay >= every)
    return "an outer step is delayed by " + std::to_string(delay) +
           " steps, and the next one of a " + "fragment begins after " + std::to_string(every) +
           ": use 0 to " + std::to_string(every - 1);
  return "";
}

}  // namespace arlab::training
