// Words: checks the words of a command line before they are parsed: no value is empty, none is
// forgotten, and no output replaces an input.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace arlab::bench {

/// Returns the words of a command line (program, command, arguments) as the parser expects them:
/// "-p=4" becomes "-p4", and old names of options the new ones. Throws Error(usage) that
/// names the option if a value, an entry of a list or an argument is empty, if another option
/// stands where a value must be, or if an output is a file that is also an input.
std::vector<std::string> checked_words(const CLI::App& app, std::vector<std::string> words);

}  // namespace arlab::bench
