#include "bench/text/config_file.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <map>
#include <string_view>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "bench/text/read_file.hpp"
#include "bench/text/say.hpp"
#include "bench/text/subcommands.hpp"

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

std::vector<std::string> value_texts(const toml::node& node, const std::string& where) {
  const toml::array* const list = node.as_array();
  if (!list) return {scalar_text(node, where)};
  std::vector<std::string> texts;
  for (const toml::node& one : *list) texts.push_back(scalar_text(one, where));
  return texts;
}

// A command line, to which options of the file are added.
struct CommandLine {
  const CLI::App& command;
  std::size_t first;                                       // word after the command's name
  std::vector<std::string> words;                          // before "--"
  std::vector<std::string> arguments;                      // "--" and what follows; or nothing
  std::map<std::size_t, std::vector<std::string>> filled;  // arguments of the file, by place
};

// The place of an argument among those of its command.
std::size_t place_of(const CLI::Option& argument, const CLI::App& command) {
  std::size_t place = 0;
  for (const CLI::Option* const one : command.get_options()) {
    if (one == &argument) break;
    if (one->get_positional()) ++place;
  }
  return place;
}

// The number of words that are neither options nor values of some.
std::size_t count_arguments(const CommandLine& line) {
  std::size_t count = line.arguments.empty() ? 0 : line.arguments.size() - 1;
  const CLI::Option* open = nullptr;  // takes the next word
  for (std::size_t i = line.first; i < line.words.size(); ++i) {
    const std::string& word = line.words[i];
    if (word.size() > 1 && word[0] == '-') {
      const bool is_long = word[1] == '-';
      const std::size_t equals = word.find('=');
      open = line.command.get_option_no_throw(word.substr(0, is_long ? equals : 2));
      const bool has_value = is_long ? equals != std::string::npos : word.size() > 2;
      if (open && (has_value || open->get_items_expected_max() == 0)) open = nullptr;
    } else if (!open) {
      ++count;
    } else if (!open->get_allow_extra_args()) {
      open = nullptr;
    }
  }
  return count;
}

bool is_given(const CLI::Option& option, const CommandLine& line) {
  if (option.get_positional()) {
    const std::size_t place = place_of(option, line.command);
    return line.filled.contains(place) || count_arguments(line) > place;
  }
  const auto first = line.words.begin() + static_cast<std::ptrdiff_t>(line.first);
  return std::any_of(first, line.words.end(), [&](const std::string& word) {
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

// Whether the command line says the same, also by another name.
bool is_said(const CLI::Option& option, const CommandLine& line) {
  constexpr std::pair<std::string_view, std::string_view> kSame[] = {{"--elements", "--size"},
                                                                     {"--network", "topology"}};
  if (is_given(option, line)) return true;
  const std::string name = option.get_name();
  return std::ranges::any_of(kSame, [&](const auto& same) {
    if (name != same.first && name != same.second) return false;
    const std::string_view also = name == same.first ? same.second : same.first;
    const CLI::Option* const other = line.command.get_option_no_throw(std::string(also));
    return other && is_given(*other, line);
  });
}

std::string hint(const CLI::App& command, const std::string& key) {
  std::vector<std::string> known;
  for (const CLI::Option* const one : command.get_options())
    known.insert(known.end(), one->get_lnames().begin(), one->get_lnames().end());
  return did_you_mean(key, names_of(known));
}

// The option or argument that a key names; none for --help.
const CLI::Option* find_key(const CLI::App& command, const std::string& key) {
  const CLI::Option* option = command.get_option_no_throw((key.size() == 1 ? "-" : "--") + key);
  if (!option) option = command.get_option_no_throw(key);
  return option && option->check_lname("help") ? nullptr : option;
}

void add_value(const CLI::Option& option, const std::string& key, const toml::node& node,
               const std::string& where, CommandLine& line) {
  const std::string name = (key.size() == 1 ? "-" : "--") + key;
  if (const auto flag = node.value<bool>(); node.is_boolean()) {
    if (option.get_items_expected_max() > 0)
      fail(Blame::usage, where + " needs a value, not true or false");
    if (*flag) line.words.push_back(name);
    return;
  }
  const std::vector<std::string> texts = value_texts(node, where);
  const std::string list = fmt::format("{}", fmt::join(texts, ","));
  if (option.get_positional()) {
    if (!texts.empty()) line.filled[place_of(option, line.command)] = texts;
  } else if (key.size() == 1) {
    line.words.insert(line.words.end(), {name, list});
  } else {
    line.words.push_back(name + "=" + list);
  }
}

// Adds the options and arguments of a table. `needed`: whether each key must be one of the command;
// what the whole file says may be of other commands, too.
void add_options(const toml::table& table, const std::string& file, bool needed,
                 CommandLine& line) {
  const CLI::App& command = line.command;
  for (const auto& [key, node] : table) {
    if (node.is_table()) continue;
    const std::string text(key.str());
    const CLI::Option* const option = find_key(command, text);
    if (option) {
      if (!is_said(*option, line)) add_value(*option, text, node, file + ": " + text, line);
      continue;
    }
    if (needed)
      fail(Blame::usage,
           fmt::format("{}: [{}] has '{}', which is not an option of it{}: correct or remove it",
                       file, command.get_name(), text, hint(command, text)));
    if (const std::string near = hint(command, text); !near.empty())
      say("note: {}: '{}' is not an option of {}, and has no effect{}\n", file, text,
          command.get_name(), near);
  }
}

// Arguments of the file follow those of the command line, each in its place.
void append_arguments(const std::string& file, CommandLine& line) {
  std::size_t next = count_arguments(line);
  for (const auto& [place, texts] : line.filled) {
    if (place > next)
      fail(Blame::usage, fmt::format("{}: '{}' follows an argument of {} that is missing: give "
                                     "that, too",
                                     file, texts.front(), line.command.get_name()));
    if (line.arguments.empty()) line.arguments = {"--"};
    line.arguments.insert(line.arguments.end(), texts.begin(), texts.end());
    next = place + 1;
  }
}

// Tables are of commands, such as [run], or of commands of these, such as [show.topology].
void check_tables(const CLI::App& app, const toml::table& table, const std::string& file,
                  const std::string& above) {
  for (const auto& [key, node] : table) {
    if (!node.is_table()) continue;
    const std::string name(key.str());
    const CLI::App* const command = command_named(app, name);
    if (!command)
      fail(Blame::usage,
           fmt::format("{}: [{}{}] is not a command{}: correct or remove it", file, above, name,
                       did_you_mean(name, names_of(names_of_commands(app)))));
    check_tables(*command, *node.as_table(), file, above + name + ".");
  }
}

}  // namespace

std::vector<std::string> with_config(const CLI::App& app, std::vector<std::string> words) {
  std::vector<std::string> others = words;
  const std::string file = taken_config(others);
  if (file.empty()) return words;
  const auto named = [&](const CLI::App& above, std::size_t at) {
    return at < words.size() ? command_named(above, words[at]) : nullptr;
  };
  if (const CLI::App* const one = named(app, 1); one && one->get_prefix_command())
    return words;  // another program reads them
  words = std::move(others);
  if (!taken_config(words).empty())
    fail(Blame::usage, "--config is given twice: write the options of both files into one");
  const toml::table config = read_config(file);
  check_tables(app, config, file, "");
  const CLI::App* command = &app;
  const toml::table* own = &config;
  std::size_t first = 1;
  while (const CLI::App* const next = named(*command, first)) {
    command = next;
    if (own) own = (*own)[next->get_name()].as_table();
    ++first;
  }
  if (command == &app) return words;  // the parser says so
  const auto begin = words.begin() + static_cast<std::ptrdiff_t>(first);
  const auto dashes = std::find(begin, words.end(), "--");
  CommandLine line{*command, first, {words.begin(), dashes}, {dashes, words.end()}, {}};
  if (own) add_options(*own, file, true, line);
  add_options(config, file, false, line);
  append_arguments(file, line);
  line.words.insert(line.words.end(), line.arguments.begin(), line.arguments.end());
  return line.words;
}

}  // namespace arlab::bench
