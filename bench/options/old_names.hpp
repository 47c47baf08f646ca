// Old names of options: they still work for one release, `--help` does not show them, and one note
// on stderr names what to write instead.
#pragma once

#include <functional>
#include <string>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace arlab::bench {

/// Keeps the old name of an option that takes the same values under its new name:
/// add_old_name(app, "--plan", "--dry-run").
void add_old_name(CLI::App& app, const std::string& old_name, const std::string& new_name);

/// Keeps an option whose value is now written elsewhere. In `now`, {} stands for the value:
/// "--strategy stale_synchronous:staleness={}". `take` does what the value says.
CLI::Option* add_old_option(CLI::App& app, const std::string& old_name, const std::string& now,
                            std::function<void(const std::string&)> take);

/// The same for an option without a value.
CLI::Option* add_old_flag(CLI::App& app, const std::string& old_name, const std::string& now,
                          std::function<void()> take);

/// Whether an option is only there under its old name.
bool is_old_name(const CLI::Option& option);

/// Says that an option is now something else: once for each, and in a job on rank 0 only.
void note_old_name(const std::string& old_name, const std::string& now);

/// Replaces the old name that `word` ("--plan" or "--samples=FILE") begins with by the new one,
/// with a note; leaves other words as they are.
void use_new_name(const CLI::App& app, std::string& word);

}  // namespace arlab::bench
