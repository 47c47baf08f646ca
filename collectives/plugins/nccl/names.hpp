// What NCCL calls the algorithms of the catalog that it has.
#pragma once

#include <string_view>

namespace arlab::collectives {

/// Returns NCCL's name of an algorithm, with or without channels: "ring" of "ring:channels=8";
/// empty if NCCL has no such algorithm.
constexpr std::string_view nccl_name(std::string_view algorithm) {
  constexpr std::string_view kNames[][2] = {
      {"ring", "ring"}, {"double_tree", "tree"}, {"nccl_tree", "tree"}};
  constexpr std::string_view kChannels = ":channels=";
  const std::string_view name = algorithm.substr(0, algorithm.find(':'));
  const std::string_view settings = algorithm.substr(name.size());
  if (!settings.empty() && !settings.starts_with(kChannels)) return "";
  for (const auto& [ours, theirs] : kNames)
    if (ours == name) return theirs;
  return "";
}

}  // namespace arlab::collectives
