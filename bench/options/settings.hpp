// Settings: an option whose value is a list of them, such as --input shuffle=off,prefetch=4,
// perhaps after another value: --lr 0.1:scaling=linear,decay_epochs=3,7. It may be given again.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace arlab::bench {

/// One setting: `read` takes its value, and what errors call it ("--input prefetch").
struct SettingReader {
  std::string name;  ///< empty: of what stands before the settings
  std::function<void(const std::string& value, const std::string& what)> read;
  bool repeats = false;     ///< may be set again
  bool takes_rest = false;  ///< is a spec or a command, with commas of its own, and comes last
};

/// A setting without name is what stands before the settings.
struct GivenSetting {
  std::string name, value;
};

/// Returns what a value says, in its order. A part without '=' continues the value before it:
/// "0.1:at=3,7" says 0.1 and at=3,7. `rest`: names of settings that take the rest.
std::vector<GivenSetting> settings_of(std::string_view text,
                                      const std::vector<std::string>& rest = {});

/// Adds settings behind a spec: "ring" becomes "ring:a=1", and that "ring:a=1,b=2".
void append_settings(std::string& spec, std::string_view settings);

/// Returns the option, whose values are SETTINGS. Parsing throws Error(usage) that names a setting
/// that is unknown, or set twice.
CLI::Option* add_settings(CLI::App& app, const std::string& option, const std::string& help,
                          std::vector<SettingReader> readers);

/// Returns the readers, which also add what errors call a setting to `given`; it must outlive them.
std::vector<SettingReader> noting(std::vector<SettingReader> readers,
                                  std::set<std::string, std::less<>>& given);

/// Returns true for "on" and false for "off". Throws Error(usage) for others.
bool parse_switch(const std::string& text, const std::string& what);

/// Returns a reader of on or off into `value`, which must outlive the option.
SettingReader switch_reader(std::string name, bool& value);
/// Returns a reader of any text into `word`, which must outlive the option.
SettingReader word_reader(std::string name, std::string& word);

}  // namespace arlab::bench
