#include "collectives/emulated_machines.hpp"

#include <cstdlib>
#include <limits>

#include "algorithms/base/error.hpp"
#include "algorithms/base/quantities.hpp"
#include "algorithms/base/text.hpp"

namespace arlab::collectives {

std::int32_t ranks_per_emulated_machine() {
  constexpr const char* kVariable = "ARLAB_RANKS_PER_MACHINE";
  const char* const text = std::getenv(kVariable);
  if (!text) return 0;
  const std::int64_t ranks = parse_count(text, kVariable);
  constexpr std::int32_t kMost = std::numeric_limits<std::int32_t>::max();
  if (ranks < 1 || ranks > kMost)
    fail(Blame::usage, concat(kVariable, " is ", text, ": give 1 to ", kMost));
  return static_cast<std::int32_t>(ranks);
}

}  // namespace arlab::collectives
