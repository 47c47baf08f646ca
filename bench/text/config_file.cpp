#include "bench/text/config_file.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "bench/text/read_file.hpp"
#include "bench/text/say.hpp"

namespace arlab::bench {
namespace {

constexpr std::string_view kConfig = "--config";

// Throws Error(usage) if no file has that name.
std::string named_file(const std::string& file) {
  if (file.empty()) fail(Blame::usage, "--config needs a file: add one after it");
  return file;
}

// Removes --config FILE, and returns the file; empty without one.
std::string taken_config(std::vector<std::string>& words) {
  for (std::size_t i = 2; i < words.size() && words[i] != "--"; ++i) {
    if (words[i].starts_with("--config=")) {
      const std::string file = words[i].substr(kConfig.size() + 1);
      words.erase(words.begin() + static_cast<std::ptrdiff_t>(i));
      return named_file(file);
    }
    if (words[i] != kConfig) continue;
    const std::string file = i + 1 < words.size() ? words[i + 1] : "";
    words.erase(words.begin() + static_cast<std::ptrdiff_t>(i),
                words.begin() + static_cast<std::ptrdiff_t>(std::min(i + 2, words.size())));
    return named_file(file);
  }
  return "";
}

toml::table read_config(const std::string& file) {
  const std::string text = read_file(file, "give --config a file in TOML");
  try {
    return toml::parse(text, file);
  } catch (const toml::parse_error& error) {
    fail(Blame::usage, fmt::format("{}, line {}: {}: correct it", file, error.source().begin.line,
                                   error.description()));
  }
}

std::string scalar_text(const toml::node& node, const std::string& where) {
  if (const auto text = node.value<std::string>(); node.is_string()) return *text;
  if (const auto number = node.value<std::int64_t>(); node.is_integer())
    return fmt::to_string(*number);
  if (const auto number = node.value<double>(); node.is_floating_point())
    return fmt::format("{}", *number);
  fail(Blame::usage, where + " is neither text nor a number: correct it");
}

std::string value_text(const toml::node& node, const std::string& where) {
  const toml::array* const list = node.as_array();
  if (!list) return scalar_text(node, where);
  std::string text;
  for (const toml::node& one : *list) text += (text.empty() ? "" : ",") + scalar_text(one, where);
  return text;
}

bool is_given(const CLI::Option& option, const std::vector<std::string>& words) {
  return std::any_of(words.begin() + 2, words.end(), [&](const std::string& word) {
    const auto has_long = [&](const std::string& name) {
      return word == "--" + name || word.starts_with("--" + name + "=");
    };
    const auto has_short = [&](const std::string& name) {
      return word.starts_with("-" + name) && !word.starts_with("--");
    };
    return std::ranges::any_of(option.get_lnames(), has_long) ||
           std::ranges::any_of(option.get_snames(), has_short);
  });
}

// Whether the command line says the same by another option.
bool is_said(const CLI::App& command, const CLI::Option& option,
             const std::vector<std::string>& words) {
  constexpr std::string_view kLengths[] = {"--elements", "--size"};
  if (is_given(option, words)) return true;
  const std::string name = option.get_name();
  return std::ranges::find(kLengths, name) != std::end(kLengths) &&
         std::ranges::any_of(kLengths, [&](std::string_view one) {
           const CLI::Option* const other = command.get_option_no_throw(std::string(one));
           return other && is_given(*other, words);
         });
}

std::string hint(const CLI::App& command, const std::string& key) {
  std::vector<std::string> known;
  for (const CLI::Option* const one : command.get_options())
    known.insert(known.end(), one->get_lnames().begin(), one->get_lnames().end());
  const std::vector<std::string_view> names(known.begin(), known.end());
  return did_you_mean(key, names);
}

// Adds the options of a table. `needed`: whether each key must be an option of the command; what
// the whole file says may be of other commands, too.
void add_options(const toml::table& table, const CLI::App& command, const std::string& file,
                 bool needed, std::vector<std::string>& words) {
  for (const auto& [key, node] : table) {
    if (node.is_table()) continue;
    const std::string text(key.str()), name = (text.size() == 1 ? "-" : "--") + text;
    const CLI::Option* const option = command.get_option_no_throw(name);
    if (!option || option->check_lname("help")) {
      if (needed)
        fail(Blame::usage,
             fmt::format("{}: [{}] has '{}', which is not an option of it{}: correct or remove it",
                         file, command.get_name(), text, hint(command, text)));
      if (const std::string near = hint(command, text); !near.empty())
        say("note: {}: '{}' is not an option of {}, and has no effect{}\n", file, text,
            command.get_name(), near);
      continue;
    }
    if (is_said(command, *option, words)) continue;
    const std::string where = fmt::format("{}: {}", file, std::string(key.str()));
    if (const auto flag = node.value<bool>(); node.is_boolean()) {
      if (option->get_items_expected_max() > 0)
        fail(Blame::usage, where + " needs a value, not true or false");
      if (*flag) words.push_back(name);
    } else if (text.size() == 1) {
      words.insert(words.end(), {name, value_text(node, where)});
    } else {
      words.push_back(name + "=" + value_text(node, where));
    }
  }
}

}  // namespace

std::vector<std::string> with_config(const CLI::App& app, std::vector<std::string> words) {
  const std::string file = taken_config(words);
  if (file.empty()) return words;
  if (!taken_config(words).empty())
    fail(Blame::usage, "--config is given twice: write the options of both files into one");
  const CLI::App* command = nullptr;
  std::vector<std::string> names;
  for (const CLI::App* const one : app.get_subcommands({})) {
    names.push_back(one->get_name());
    if (one->get_name() == words[1]) command = one;
  }
  if (!command) return words;  // the parser says so
  const toml::table config = read_config(file);
  for (const auto& [key, node] : config)
    if (node.is_table() && std::ranges::find(names, std::string(key.str())) == names.end()) {
      const std::vector<std::string_view> known(names.begin(), names.end());
      fail(Blame::usage,
           fmt::format("{}: [{}] is not a command{}: correct or remove it", file,
                       std::string(key.str()), did_you_mean(std::string(key.str()), known)));
    }
  if (const toml::table* const own = config[command->get_name()].as_table())
    add_options(*own, *command, file, true, words);
  add_options(config, *command, file, false, words);
  return words;
}

}  // namespace arlab::bench
