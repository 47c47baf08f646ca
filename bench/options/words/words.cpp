#include "bench/options/words/words.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <iterator>
#include <string_view>

#include "algorithms/base/error.hpp"
#include "bench/options/words/named_files.hpp"
#include "bench/options/words/old_names.hpp"

namespace arlab::bench {
namespace {

bool is_blank(std::string_view text) {
  return text.find_first_not_of(" \t\r\n\v\f") == std::string_view::npos;
}

// Not "-" (stdout) and not a negative number.
bool looks_like_option(std::string_view word) {
  constexpr std::string_view kNumber = "0123456789.,";
  return word.size() > 1 && word[0] == '-' && kNumber.find(word[1]) == std::string_view::npos;
}

// CLI11 reads some of these.
bool is_hexadecimal(std::string_view value) {
  if (value.starts_with('-') || value.starts_with('+')) value.remove_prefix(1);
  return value.starts_with("0x") || value.starts_with("0X");
}

bool is_number(const CLI::Option& option) {
  constexpr std::string_view kTypes[] = {"EPOCHS", "RATE", "FACTOR", "NUMBER",
                                         "COUNT",  "PART", "FLOAT",  "SEED"};
  return std::find(std::begin(kTypes), std::end(kTypes), option.get_type_name()) !=
         std::end(kTypes);
}

std::string shown(std::string_view value) {
  return value.empty() ? "''" : fmt::format("'{}'", value);
}

// The separator of a list; '\0' if the option takes one value. Lists of specs are split later,
// because settings of a spec are separated by commas, too.
char separator_of(const CLI::Option& option) {
  const bool specs = option.get_name() == "algorithms" || option.get_type_name() == "NAMES" ||
                     option.get_type_name() == "TOPOLOGIES" || option.get_type_name() == "NETWORKS";
  return specs ? ',' : option.get_delimiter();
}

// `given` is the option as it was written.
void check_value(const CLI::Option& option, const std::string& given, std::string_view value) {
  if (is_blank(value) || value == "[]")
    fail(Blame::usage, fmt::format("{} has an empty value {}: give a value, or leave out {}", given,
                                   shown(value), given));
  if (is_hexadecimal(value) && is_number(option))
    fail(Blame::usage, fmt::format("{} is '{}': write the number in decimal", given, value));
  const char delimiter = separator_of(option);
  if (delimiter == '\0') return;
  for (std::size_t begin = 0; begin <= value.size();) {
    const std::size_t end = std::min(value.find(delimiter, begin), value.size());
    if (is_blank(value.substr(begin, end - begin)))
      fail(Blame::usage, fmt::format("{} '{}' has an empty entry: separate entries by one '{}'",
                                     given, value, delimiter));
    begin = end + 1;
  }
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

bool takes_more(const CLI::Option& option) {
  return option.get_allow_extra_args() && option.get_items_expected_max() > 1;
}

class Checker {
 public:
  Checker(const CLI::App& app, std::vector<std::string> words)
      : app_(&app), words_(std::move(words)) {}

  std::vector<std::string> run() {
    for (at_ = 1; at_ < words_.size(); ++at_) check_word();
    files_.check();
    return std::move(words_);
  }

 private:
  void check_word() {
    std::string& word = words_[at_];
    if (!only_arguments_ && word == "--") {
      only_arguments_ = true;
    } else if (!only_arguments_ && looks_like_option(word)) {
      word.starts_with("--") ? check_long(word) : check_short(word);
    } else {
      check_argument(word);
    }
  }

  void check_long(std::string& word) {
    const std::size_t equals = word.find('=');
    const std::string name = word.substr(0, equals);
    const CLI::Option* option = app_->get_option_no_throw(name);
    open_ = nullptr;
    if (equals != std::string::npos && is_blank(std::string_view(word).substr(equals + 1)))
      fail(Blame::usage, fmt::format("{} has an empty value '{}': give a value, or leave out {}",
                                     name, word.substr(equals + 1), name));
    if (!option || !takes_value(*option)) return;
    if (equals != std::string::npos)
      take_value(*option, name, std::string_view(word).substr(equals + 1));
    else
      check_next(*option, name);
  }

  void check_short(std::string& word) {
    const std::string name = word.substr(0, 2);
    const CLI::Option* option = app_->get_option_no_throw(name);
    open_ = nullptr;
    if (!option || !takes_value(*option)) return;
    if (word.size() == 2) return check_next(*option, name);
    if (word[2] == '=') word.erase(2, 1);
    if (word.size() == 2)
      fail(Blame::usage,
           fmt::format("{} has an empty value '': give a value, or leave out {}", name, name));
    take_value(*option, name, std::string_view(word).substr(2));
  }

  void check_next(const CLI::Option& option, const std::string& name) {
    if (at_ + 1 == words_.size()) return;  // the parser reports it
    const std::string& value = words_[at_ + 1];
    if (looks_like_option(value))
      fail(Blame::usage, fmt::format("{} needs a value, but {} follows: add a value after {}", name,
                                     value, name));
    take_value(option, name, value);
    if (takes_more(option)) open_ = &option, open_name_ = name;
    ++at_;
  }

  void check_argument(const std::string& word) {
    if (is_blank(word))
      fail(Blame::usage,
           fmt::format("argument {} is empty{}: remove it, or set the variable that it comes from",
                       shown(word), at_ > 1 ? fmt::format(" (after '{}')", words_[at_ - 1]) : ""));
    if (open_ && !only_arguments_) return take_value(*open_, open_name_, word);
    if (only_arguments_ || !is_command(word)) {
      for (const CLI::Option* option : app_->get_options())
        if (option->get_positional()) return take_value(*option, "argument", word);
    }
  }

  void take_value(const CLI::Option& option, const std::string& given, std::string_view value) {
    check_value(option, given, value);
    files_.add(option, given, value);
  }

  // A command of the program, or of a command. Its options follow.
  bool is_command(const std::string& word) {
    for (const CLI::App* command : app_->get_subcommands({}))
      if (command->get_name() == word) {
        app_ = command;
        return true;
      }
    return false;
  }

  const CLI::App* app_;
  std::vector<std::string> words_;
  std::size_t at_ = 1;
  bool only_arguments_ = false;        // after "--"
  const CLI::Option* open_ = nullptr;  // takes further words
  std::string open_name_;
  NamedFiles files_;
};

}  // namespace

std::vector<std::string> checked_words(const CLI::App& app, std::vector<std::string> words) {
  use_new_names(app, words);
  return Checker(app, std::move(words)).run();
}

}  // namespace arlab::bench
