// parse: the parser's errors in words that name the option and what to do.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace arlab::bench {

/// Parses the words of a command line (program, command, arguments), which calls the command, or
/// prints what --help or --version asks for. Throws Error(usage), and what the command throws.
void parse(CLI::App& app, const std::vector<std::string>& words);

}  // namespace arlab::bench
