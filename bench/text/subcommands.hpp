// Subcommands: the commands of the program, and those of a command, by name.
#pragma once

#include <CLI/CLI.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace arlab::bench {

inline std::vector<std::string> names_of_commands(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* const one : app.get_subcommands({})) names.push_back(one->get_name());
  return names;
}

/// Returns null if there is none of this name.
inline const CLI::App* command_named(const CLI::App& app, std::string_view name) {
  for (const CLI::App* const one : app.get_subcommands({}))
    if (one->get_name() == name) return one;
  return nullptr;
}

}  // namespace arlab::bench
