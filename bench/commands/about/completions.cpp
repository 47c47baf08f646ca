// Completions: what the last word of a command line can become.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "algorithms/algorithm.hpp"
#include "bench/commands/about/about.hpp"
#include "bench/commands/commands.hpp"
#include "bench/text/subcommands.hpp"
#include "collectives/backends/backend.hpp"
#include "collectives/reduce/dtype.hpp"
#include "simulator/models/model.hpp"
#include "simulator/topologies/build/kind.hpp"
#include "training/compressors/compressor.hpp"
#include "training/profiles/model_profile.hpp"
#include "training/schedulers/scheduler.hpp"
#include "training/strategies/strategy.hpp"

namespace arlab::bench {
namespace {

using Words = std::vector<std::string>;

template <class Entries>
void add_names(const Entries& entries, Words& words) {
  for (const auto& entry : entries) words.emplace_back(entry.name);
}

Words networks() {
  Words words;
  add_names(simulator::models(), words);
  add_names(simulator::topologies(), words);
  return words;
}

// The names that an option's value can be; none where it is a number or a file.
Words values_of(const CLI::App& command, const CLI::Option& option) {
  const std::string name = option.get_name();
  Words words;
  if (name == "algorithms" || name == "--algorithm") {
    add_names(algorithms(), words);
    words.insert(words.end(), {"all", "native:all"});
  } else if (name == "--collective") {
    words = {"allreduce", "reduce_scatter", "all_gather", "reduce", "broadcast"};
  } else if (name == "--dtype") {
    for (const collectives::DType type : collectives::kDTypes)
      words.emplace_back(collectives::name(type));
  } else if (name == "--op") {
    for (const collectives::Op op : collectives::kOps) words.emplace_back(collectives::name(op));
  } else if (name == "--backend") {
    add_names(collectives::backends(), words);
  } else if (name == "--network") {
    words = networks();
  } else if (name == "topology") {
    add_names(simulator::topologies(), words);
  } else if (name == "--compressor") {
    add_names(training::compressors(), words);
  } else if (name == "--scheduler") {
    add_names(training::schedulers(), words);
  } else if (name == "--strategy") {
    add_names(training::strategies(), words);
  } else if (name == "--model") {
    for (const training::BuiltInProfile& profile : training::built_in_profiles())
      words.push_back(fmt::format("profile:{}", profile.name));
  } else if (name == "what" && command.get_name() == "list") {
    words = names_of_lists();
  }
  return words;
}

Words options_of(const CLI::App& command) {
  Words words{"--config"};
  for (const CLI::Option* const option : command.get_options())
    for (const std::string& name : option->get_lnames()) words.push_back("--" + name);
  return words;
}

// Those that continue the last entry of a list: "ring,tr" becomes "ring,tree".
Words that_continue(const Words& all, const std::string& word) {
  const std::size_t comma = word.rfind(',');
  const std::string before = comma == std::string::npos ? "" : word.substr(0, comma + 1),
                    start = word.substr(before.size());
  Words found;
  for (const std::string& one : all)
    if (one.starts_with(start)) found.push_back(before + one);
  return found;
}

// What the last word can become among the arguments of a command: values, and after its name alone
// its own commands.
Words arguments_of(const CLI::App& command, const Words& words, std::size_t first) {
  Words all;
  if (first + 1 == words.size()) all = names_of_commands(command);
  for (const CLI::Option* const option : command.get_options()) {
    if (!option->get_positional()) continue;
    const Words values = values_of(command, *option);
    all.insert(all.end(), values.begin(), values.end());
    break;
  }
  return that_continue(all, words.back());
}

}  // namespace

std::vector<std::string> completions(const CLI::App& app, const std::vector<std::string>& words) {
  if (words.empty()) return {};
  const std::string& last = words.back();
  if (words.size() == 1) {
    Words all = names_of_commands(app);
    all.insert(all.end(), {"help", "version", "manual", "completion", "--help", "--version"});
    return that_continue(all, last);
  }
  if (words.front() == "manual") return that_continue(names_of_commands(app), last);
  if (words.front() == "completion") return that_continue({"bash", "zsh", "fish"}, last);
  const bool helps = words.front() == "help";
  std::size_t first = helps ? 1 : 0;  // of the words after the command, such as "show topology"
  const CLI::App* command = &app;
  for (; first + 1 < words.size(); ++first) {
    const CLI::App* const named = command_named(*command, words[first]);
    if (!named) break;
    command = named;
  }
  if (helps) return that_continue(names_of_commands(*command), last);
  if (command == &app) return {};
  // "--network=to", "--network to", or an argument.
  if (const std::size_t equals = last.find('='); last.starts_with("--") && equals != last.npos) {
    const CLI::Option* const option = command->get_option_no_throw(last.substr(0, equals));
    if (!option) return {};
    Words found = that_continue(values_of(*command, *option), last.substr(equals + 1));
    for (std::string& one : found) one = last.substr(0, equals + 1) + one;
    return found;
  }
  if (last.starts_with('-')) return that_continue(options_of(*command), last);
  const std::string& before = words[words.size() - 2];
  if (before.starts_with('-')) {
    const CLI::Option* const option = command->get_option_no_throw(before);
    if (option && option->get_items_expected_max() > 0)
      return that_continue(values_of(*command, *option), last);
  }
  return arguments_of(*command, words, first);
}

}  // namespace arlab::bench
