#include "bench/options/settings.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "algorithms/base/parameters.hpp"

namespace arlab::bench {
namespace {

void read_settings(const std::vector<SettingReader>& readers, const std::string& option,
                   const std::string& text) {
  const std::string spec = option + ":" + text;
  for (const auto& [name, value] : parse_spec(spec).settings) {
    const auto found =
        std::ranges::find_if(readers, [&](const SettingReader& one) { return one.name == name; });
    if (found == readers.end()) {
      std::vector<std::string_view> names;
      for (const SettingReader& one : readers) names.push_back(one.name);
      fail_unknown("setting of " + option, name, names);
    }
    found->read(std::string(value), option + " " + found->name);
  }
}

}  // namespace

void add_settings(CLI::App& app, const std::string& option, const std::string& help,
                  std::vector<SettingReader> readers) {
  const auto parse = [option, readers](const std::vector<std::string>& all) {
    std::string text;  // of all that were given
    for (const std::string& one : all) text += (text.empty() ? "" : ",") + one;
    read_settings(readers, option, text);
  };
  app.add_option_function<std::vector<std::string>>(option, parse, help)
      ->type_name("SETTINGS")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
}

bool parse_switch(const std::string& text, const std::string& what) {
  if (text != "on" && text != "off")
    fail(Blame::usage, fmt::format("{} is '{}': give on or off", what, text));
  return text == "on";
}

}  // namespace arlab::bench
