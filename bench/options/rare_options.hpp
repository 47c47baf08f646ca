// Rarely used options: `-h` leaves them out, `--help` lists them in a group of their own.
#pragma once

#include <initializer_list>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace arlab::bench {

/// Makes --help and `manual`, if a command line has them, list all options; --help-all is an old
/// name.
void use_help_all(std::vector<std::string>& words);

/// Moves options of `app` to the rare ones.
void make_rare(CLI::App& app, std::initializer_list<const char*> names);

/// Moves options of `app` to those that its help leaves out, since another text lists them, or they
/// change nothing.
void hide(CLI::App& app, std::initializer_list<const char*> names);

bool is_hidden(const CLI::Option& option);
bool is_rare(const CLI::Option& option);

}  // namespace arlab::bench
