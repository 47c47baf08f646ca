// Settings: an option whose value is a list of them, such as --input shuffle=off,prefetch=4. It may
// be given again.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace arlab::bench {

/// One setting: `read` takes its value, and what errors call it ("--input prefetch").
struct SettingReader {
  std::string name;
  std::function<void(const std::string& value, const std::string& what)> read;
};

/// Throws Error(usage) that names the setting if it is unknown, or set twice.
void add_settings(CLI::App& app, const std::string& option, const std::string& help,
                  std::vector<SettingReader> readers);

/// Returns true for "on" and false for "off". Throws Error(usage) for others.
bool parse_switch(const std::string& text, const std::string& what);

}  // namespace arlab::bench
