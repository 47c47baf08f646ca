#include "bench/cli/choices.hpp"

#include <fmt/format.h>

#include "algorithms/algorithm.hpp"
#include "algorithms/base/error.hpp"

namespace arlab::bench {

void unknown(std::string_view what, std::string_view word,
             std::span<const std::string_view> names) {
  const std::string near = did_you_mean(word, names);
  const std::string all = fmt::format("{}", fmt::join(names, ", "));
  fail(Blame::usage, near.empty()
                         ? fmt::format("unknown {} '{}': use one of {}", what, word, all)
                         : fmt::format("unknown {} '{}'{} (one of {})", what, word, near, all));
}

}  // namespace arlab::bench
