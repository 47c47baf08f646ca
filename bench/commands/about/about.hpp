// About the program itself: `arlab help COMMAND`, `version`, `manual` and `completion`, all from
// the commands' own tables of options.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace arlab::bench {

/// Turns `help COMMAND` and `version`, and -V, into the options that say the same.
void use_about_words(std::vector<std::string>& words);

/// Whether they ask about `train`, whose options only arlab-train knows.
bool asks_about_train(const std::vector<std::string>& words);

/// Prints what `manual COMMAND`, `completion SHELL` and `complete -- WORDS` ask for. Returns
/// whether they did. Throws Error(usage) for unknown commands and shells.
bool print_about(const CLI::App& app, const std::vector<std::string>& words);

/// Returns a command's manual page, for man(1).
std::string manual_page(const CLI::App& app, const CLI::App& command);

/// Returns what the last of the words can become; nothing where a file is expected.
std::vector<std::string> completions(const CLI::App& app, const std::vector<std::string>& words);

}  // namespace arlab::bench
