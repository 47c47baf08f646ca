// Settings files: options of `arlab train`, as `--tune` writes them.
//
// A line holds one option and its value, as on the command line; lines that begin with # are
// comments.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace arlab::bench {

/// Adds --settings to the options that are listed. Its value is replaced before they are parsed.
void add_settings_option(CLI::App& command);

/// Returns the words of a command line with the content of its settings file in place of --settings
/// FILE. Throws Error(environment) for a file that cannot be read, and Error(usage) that names
/// file, line and word for one that is not a settings file, and for options that are also given.
std::vector<std::string> with_settings(std::vector<std::string> words);

}  // namespace arlab::bench
