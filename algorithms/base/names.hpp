// Names: finds an entry of a catalog by its name, and suggests the nearest name for a typo.
#pragma once

#include <concepts>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace arlab {

/// Returns the name in `names` nearest to `wanted` by edit distance; empty when none is near.
std::string_view nearest(std::string_view wanted, std::span<const std::string_view> names);

/// Returns ", did you mean 'ring'?", or an empty text when no name is near.
std::string did_you_mean(std::string_view wanted, std::span<const std::string_view> names);

/// Throws Error(usage) with `what` the name stands for ("algorithm"), the unknown name, the nearest
/// name and all names. `also` ends the list: " or a file".
[[noreturn]] void fail_unknown(std::string_view what, std::string_view wanted,
                               std::span<const std::string_view> names, std::string_view also = {});

/// Returns the name of a catalog entry (its member `name`) or of an enumerator (name(entry)), or
/// the text that the entry is.
template <class Entry>
std::string_view name_of(const Entry& entry) {
  if constexpr (std::convertible_to<const Entry&, std::string_view>)
    return entry;
  else if constexpr (requires { entry.name; })
    return entry.name;
  else
    return name(entry);
}

/// Returns the names of all `entries`, in their order; of texts, views of them.
template <class Entries>
std::vector<std::string_view> names_of(const Entries& entries) {
  std::vector<std::string_view> names;
  for (const auto& entry : entries) names.push_back(name_of(entry));
  return names;
}

/// Returns the entry called `wanted`, a reference into `entries`. Throws as fail_unknown does.
template <class Entries>
const auto& find_named(const Entries& entries, std::string_view wanted, std::string_view what,
                       std::string_view also = {}) {
  for (const auto& entry : entries)
    if (name_of(entry) == wanted) return entry;
  fail_unknown(what, wanted, names_of(entries), also);
}

}  // namespace arlab
