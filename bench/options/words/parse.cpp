#include "bench/options/words/parse.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "bench/options/second_value.hpp"

namespace arlab::bench {
namespace {

// Names the argument that was not understood, and the option it may have been meant to be.
std::string unexpected_argument(const CLI::App& program, const std::vector<std::string>& words) {
  const CLI::App* deepest = program.get_subcommand(words[1]);
  while (!deepest->get_subcommands().empty()) deepest = deepest->get_subcommands().front();
  const CLI::App& command = *deepest;
  const std::vector<std::string> left = program.remaining(true);
  const std::string word = left.empty() ? "" : left.front();
  if (!word.starts_with('-')) {
    // Perhaps a second value of the option before it.
    const auto at = std::find(words.begin(), words.end(), word);
    const std::string advice = at - words.begin() > 2 && at != words.end()
                                   ? advice_on_second_value(command, *(at - 2), word)
                                   : "";
    if (!advice.empty()) return fmt::format("unexpected argument '{}': {}", word, advice);
    return fmt::format("unexpected argument '{}': remove it, or see `arlab {} --help`", word,
                       command.get_name());
  }
  std::vector<std::string> options;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_lnames()) options.push_back("--" + name);
  }
  const std::string option = word.substr(0, word.find('='));
  return fmt::format("unknown option '{}'{} (`arlab {} --help` lists all options)", option,
                     did_you_mean(option, names_of(options)), command.get_name());
}

// Rewords CLI11's messages for common mistakes, which differ between its versions.
std::string reworded(const CLI::ParseError& error) {
  const std::string text = error.what();
  const std::string option = text.substr(0, text.find(':'));
  if (error.get_name() == "RequiredError")
    return text.substr(0, text.find(' ')) + " is missing: add it";
  if (text.find("required but received") != std::string::npos)
    return option + " is given more than once: give it once";
  if (text.find("required") != std::string::npos && text.ends_with("missing"))
    return option + " needs a value: add one after it";
  if (const std::size_t equals = text.find(" = "); text.starts_with("Could not convert: "))
    return fmt::format("{} has a value that it cannot take, {}: give another, or leave it out",
                       text.substr(19, equals - 19), text.substr(equals + 3));
  return text + ": correct or remove it";
}

}  // namespace

void parse(CLI::App& app, const std::vector<std::string>& words) {
  try {
    // CLI11 takes the arguments in reverse.
    app.parse(std::vector<std::string>(words.rbegin(), words.rend() - 1));
  } catch (const CLI::ExtrasError&) {
    fail(Blame::usage, unexpected_argument(app, words));
  } catch (const CLI::ParseError& e) {
    if (e.get_exit_code() != 0)
      fail(Blame::usage,
           fmt::format("{} (`arlab {} --help` lists all options)", reworded(e), words[1]));
    app.exit(e);  // --help, --version
  }
}

}  // namespace arlab::bench
