// What NCCL calls the algorithms of the catalog that it has.
#pragma once

#include <string_view>

namespace arlab::collectives {

/// Returns NCCL's name; empty if it has no such algorithm.
constexpr std::string_view nccl_name(std::string_view algorithm) {
  constexpr std::string_view kNames[][2] = {{"ring", "ring"}, {"double_tree", "tree"}};
  for (const auto& [ours, theirs] : kNames)
    if (ours == algorithm) return theirs;
  return "";
}

}  // namespace arlab::collectives
