#include "bench/options/old_names.hpp"

#include <CLI/CLI.hpp>
#include <set>
#include <utility>

#include "bench/config/launcher.hpp"
#include "bench/options/words.hpp"
#include "bench/text/say.hpp"

namespace arlab::bench {
namespace {

// An option of no group is not in --help. What `about` says of an old name is its new one.
CLI::Option* hidden(CLI::Option* option, const std::string& about) {
  return option->group("")->description(about);
}

// What the description of an old name begins with: of one that has a new name, and of others.
constexpr const char *kRenamed = "renamed ", *kMoved = "moved ";

}  // namespace

void add_old_name(CLI::App& app, const std::string& old_name, const std::string& new_name) {
  hidden(app.add_flag(old_name), kRenamed + new_name);
}

CLI::Option* add_old_option(CLI::App& app, const std::string& old_name, const std::string& now,
                            std::function<void(const std::string&)> take) {
  const auto parse = [old_name, now, take = std::move(take)](const std::string& value) {
    std::string text = now;
    if (const std::size_t at = text.find("{}"); at != std::string::npos) text.replace(at, 2, value);
    note_old_name(old_name, text);
    take(value);
  };
  return hidden(app.add_option_function<std::string>(old_name, parse), kMoved + now);
}

CLI::Option* add_old_flag(CLI::App& app, const std::string& old_name, const std::string& now,
                          std::function<void()> take) {
  const auto parse = [old_name, now, take = std::move(take)] {
    note_old_name(old_name, now);
    take();
  };
  return hidden(app.add_flag_callback(old_name, parse), kMoved + now);
}

bool is_old_name(const CLI::Option& option) {
  const std::string& about = option.get_description();
  return option.get_group().empty() && (about.starts_with(kRenamed) || about.starts_with(kMoved));
}

void note_old_name(const std::string& old_name, const std::string& now) {
  static std::set<std::string> said;
  const auto launched = launched_rank();
  if ((launched && launched->rank > 0) || !said.insert(old_name).second) return;
  say("note: {} is now {}\n", old_name == kOptionO ? "--o" : old_name, now);
}

void use_new_name(const CLI::App& app, std::string& word) {
  const std::string name = word.substr(0, word.find('='));
  const CLI::Option* option = app.get_option_no_throw(name);
  if (!option || !option->get_description().starts_with(kRenamed)) return;
  const std::string new_name = option->get_description().substr(std::string(kRenamed).size());
  note_old_name(name, new_name);
  word.replace(0, name.size(), new_name);
}

}  // namespace arlab::bench
