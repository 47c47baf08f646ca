#include "bench/options/settings.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "algorithms/base/quantities.hpp"

namespace arlab::bench {
namespace {

// Whether a setting begins there: "decay_epochs=".
bool begins_setting(std::string_view text) {
  text = trimmed(text);
  const std::size_t equals = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_");
  return equals != std::string_view::npos && equals > 0 && text[equals] == '=';
}

// Where `separator` has a setting behind it; the end if nowhere.
std::size_t end_before_setting(std::string_view text, char separator) {
  std::size_t end = text.find(separator);
  while (end != std::string_view::npos && !begins_setting(text.substr(end + 1)))
    end = text.find(separator, end + 1);
  return std::min(end, text.size());
}

// The name of an option: "--device" of "-d,--device".
std::string long_name(const std::string& names) {
  const std::size_t begin = std::min(names.find("--"), names.size());
  return names.substr(begin, names.find(',', begin) - begin);
}

class SettingsReading {
 public:
  SettingsReading(const std::vector<SettingReader>& readers, std::string option)
      : readers_(readers), option_(std::move(option)) {
    for (const SettingReader& one : readers)
      if (one.takes_rest) rest_.push_back(one.name);
  }

  void read(const std::string& text) {
    for (const auto& [name, value] : settings_of(text, rest_)) {
      const SettingReader& reader = find(name, value);
      const bool is_first = set_.insert(name).second;
      if (!is_first && !reader.repeats)
        fail(Blame::usage, name.empty()
                               ? fmt::format("{} is given more than once: give it once", option_)
                               : fmt::format("{}: '{}' is set twice: set it once", option_, name));
      reader.read(value, name.empty() ? option_ : option_ + " " + name);
    }
  }

 private:
  const SettingReader& find(const std::string& name, const std::string& value) const {
    const auto found =
        std::ranges::find_if(readers_, [&](const SettingReader& one) { return one.name == name; });
    if (found != readers_.end()) return *found;
    if (name.empty())
      fail(Blame::usage,
           fmt::format("{}: setting '{}' has no value: write name=value", option_, value));
    std::vector<std::string_view> names;
    for (const SettingReader& one : readers_)
      if (!one.name.empty()) names.push_back(one.name);
    fail_unknown("setting of " + option_, name, names);
  }

  const std::vector<SettingReader>& readers_;
  const std::string option_;
  std::vector<std::string> rest_;
  std::set<std::string> set_;
};

}  // namespace

std::vector<GivenSetting> settings_of(std::string_view text, const std::vector<std::string>& rest) {
  std::vector<GivenSetting> all;
  if (!begins_setting(text)) {
    const std::size_t end = end_before_setting(text, ':');
    all.push_back({"", std::string(text.substr(0, end))});
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  while (!text.empty()) {
    const std::size_t equals = text.find('=');
    const std::string name(trimmed(text.substr(0, equals)));
    text.remove_prefix(equals + 1);
    const bool takes_rest = std::ranges::find(rest, name) != rest.end();
    const std::size_t end = takes_rest ? text.size() : end_before_setting(text, ',');
    all.push_back({name, std::string(trimmed(text.substr(0, end)))});
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return all;
}

void append_settings(std::string& spec, std::string_view settings) {
  spec += spec.find(':') == std::string::npos ? ':' : ',';
  spec += settings;
}

CLI::Option* add_settings(CLI::App& app, const std::string& option, const std::string& help,
                          std::vector<SettingReader> readers) {
  const bool is_list = std::ranges::any_of(readers, &SettingReader::repeats);
  const auto parse = [name = long_name(option), readers](const std::vector<std::string>& all) {
    SettingsReading reading(readers, name);
    for (const std::string& joined : all) {
      std::istringstream lines(joined);
      for (std::string one; std::getline(lines, one);) reading.read(one);
    }
  };
  return app.add_option_function<std::vector<std::string>>(option, parse, help)
      ->type_name("SETTINGS")
      ->expected(1)
      ->allow_extra_args(false)
      ->multi_option_policy(is_list ? CLI::MultiOptionPolicy::TakeAll
                                    : CLI::MultiOptionPolicy::Join);  // of lines
}

std::vector<SettingReader> noting(std::vector<SettingReader> readers,
                                  std::set<std::string, std::less<>>& given) {
  for (SettingReader& one : readers)
    one.read = [&given, read = std::move(one.read)](const std::string& value,
                                                    const std::string& what) {
      given.insert(what);
      read(value, what);
    };
  return readers;
}

bool parse_switch(const std::string& text, const std::string& what) {
  if (text != "on" && text != "off")
    fail(Blame::usage, fmt::format("{} is '{}': give on or off", what, text));
  return text == "on";
}

SettingReader switch_reader(std::string name, bool& value) {
  return {std::move(name), [&value](const std::string& text, const std::string& what) {
            value = parse_switch(text, what);
          }};
}

SettingReader word_reader(std::string name, std::string& word) {
  return {std::move(name), [&word](const std::string& text, const std::string&) { word = text; }};
}

}  // namespace arlab::bench
