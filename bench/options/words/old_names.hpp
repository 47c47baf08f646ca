// Old names of options: they still work for one release, `--help` does not show them, and one note
// on stderr names what to write instead. No command registers them: only an option that a command
// does not have is looked up, so they cost nothing where nobody uses them.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace arlab::bench {

/// Says that an option is now something else: once for each, and in a job on rank 0 only.
void note_old_name(const std::string& old_name, const std::string& now);

/// Replaces old names among the words of a command line (program, command, arguments) by the new
/// ones, with notes: "--plan" becomes "--dry-run", and "--model loggops --L 5us" becomes
/// "--network loggops:L=5us".
void use_new_names(const CLI::App& app, std::vector<std::string>& words);

}  // namespace arlab::bench
