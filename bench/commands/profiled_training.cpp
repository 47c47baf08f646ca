// Which training a command line asks for: options are not parsed yet when their command is chosen.
#include <string>
#include <vector>

#include "bench/commands/commands.hpp"

namespace arlab::bench {
namespace {

// Returns the value of an option with these names, written in any form; empty: not given.
std::string value_of(const std::vector<std::string>& command, const std::string& letter,
                     const std::string& word) {
  std::string value;
  for (std::size_t i = 2; i < command.size(); ++i) {
    const std::string& text = command[i];
    if ((text == letter || text == word) && i + 1 < command.size())
      value = command[i + 1];
    else if (text.starts_with(word + "="))
      value = text.substr(word.size() + 1);
    else if (text.starts_with(letter) && text.size() > letter.size() && text[1] != '-')
      value = text.substr(letter.size() + (text[letter.size()] == '=' ? 1 : 0));
  }
  return value;
}

}  // namespace

bool add_profiled_training(CLI::App& command, Session& session) {
  const std::vector<std::string>& words = session.command;
  if (words.size() < 2 || words[1] != "train") return false;
  const std::string backend = value_of(words, "-b", "--backend");
  const bool simulated = backend == "simulated";
  if (!simulated && !value_of(words, "-m", "--model").starts_with("profile:")) return false;
  if (simulated || backend.empty())
    add_simulated_training(command, session);
  else
    add_replayed_training(command, session);
  return true;
}

}  // namespace arlab::bench
