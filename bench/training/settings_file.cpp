#include "bench/training/settings_file.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "algorithms/base/error.hpp"
#include "bench/text/read_file.hpp"

namespace arlab::bench {
namespace {

constexpr std::string_view kOption = "--settings";
// What a file may set, and how a command line may write it.
constexpr std::pair<std::string_view, std::string_view> kSettings[] = {
    {"--algorithm", "-a"}, {"--scheduler", ""}, {"--compressor", ""}};

std::string shortened(const std::string& text) {
  constexpr std::size_t kShown = 60;
  return text.size() <= kShown ? text : text.substr(0, kShown) + "...";
}

void check_not_given(const std::vector<std::string>& words, const std::string& file,
                     const std::string& option, std::string_view letter) {
  for (const std::string& word : words)
    if (word == option || word.starts_with(option + "=") ||
        (!letter.empty() && word.starts_with(letter)))
      fail(Blame::usage,
           fmt::format("{} sets {}, which is given, too: leave one out", file, option));
}

std::vector<std::string> words_of_file(const std::string& file,
                                       const std::vector<std::string>& others) {
  std::istringstream text(
      read_file(file, "give --settings a file that `arlab train --tune` has written"));
  std::vector<std::string> all;
  std::string line;
  for (int number = 1; std::getline(text, line); ++number) {
    std::istringstream parts(line);
    std::string option, value, more;
    if (!(parts >> option) || option.starts_with('#')) continue;
    const auto known = std::find_if(std::begin(kSettings), std::end(kSettings),
                                    [&](const auto& one) { return one.first == option; });
    if (known == std::end(kSettings) || !(parts >> value) || parts >> more)
      fail(Blame::usage,
           fmt::format(
               "{}, line {}: '{}': a setting is --algorithm, --scheduler or --compressor and "
               "one value: correct it, or write the file with `arlab train --tune`",
               file, number, shortened(line)));
    check_not_given(others, file, option, known->second);
    if (std::find(all.begin(), all.end(), option) != all.end())
      fail(Blame::usage,
           fmt::format("{}, line {}: {} is set twice: remove one", file, number, option));
    all.insert(all.end(), {option, value});
  }
  if (all.empty())
    fail(Blame::usage,
         fmt::format("{} sets nothing: write it with `arlab train --tune {}`", file, file));
  return all;
}

}  // namespace

void add_settings_option(CLI::App& command) {
  command
      .add_option(std::string(kOption),
                  "Take algorithm, scheduler and compressor from a file that "
                  "--tune has written")
      ->type_name("FILE");
}

std::vector<std::string> with_settings(std::vector<std::string> words) {
  constexpr std::string_view kTraining[] = {"train", "plan", "replay"};
  if (words.size() < 2 || std::ranges::find(kTraining, words[1]) == std::end(kTraining))
    return words;
  const auto at = std::find_if(words.begin() + 2, words.end(), [](const std::string& word) {
    return word == kOption || word.starts_with(std::string(kOption) + "=");
  });
  if (at == words.end()) return words;
  std::string file;
  auto end = at + 1;
  if (*at != kOption)
    file = at->substr(kOption.size() + 1);
  else if (end != words.end())
    file = *end++;
  if (file.empty() || file.starts_with("--"))
    fail(Blame::usage,
         "--settings needs a value: add a file that `arlab train --tune` has written");
  std::vector<std::string> others(words.begin(), at);
  others.insert(others.end(), end, words.end());
  if (std::find(others.begin() + 2, others.end(), kOption) != others.end())
    fail(Blame::usage, "--settings is given more than once: give it once");
  const std::vector<std::string> settings = words_of_file(file, others);
  others.insert(others.begin() + (at - words.begin()), settings.begin(), settings.end());
  return others;
}

}  // namespace arlab::bench
