#include "bench/commands/about/about.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "bench/commands/commands.hpp"
#include "bench/text/subcommands.hpp"

namespace arlab::bench {
namespace {

const CLI::App& find_command(const CLI::App& app, const std::string& name) {
  if (const CLI::App* const command = command_named(app, name)) return *command;
  fail_unknown("command", name, names_of(names_of_commands(app)));
}

void expect_words(const std::vector<std::string>& words, std::size_t count, const char* usage) {
  if (words.size() != count)
    fail(Blame::usage, fmt::format("arlab {} takes one word: write arlab {}", words[1], usage));
}

// `list --json backends`: without a file, stdout is meant.
void name_stdout(std::vector<std::string>& words) {
  const std::vector<std::string> lists = names_of_lists();
  for (std::size_t i = 2; i < words.size(); ++i) {
    if (words[i] != "--json") continue;
    const bool has_file = i + 1 < words.size() &&
                          (words[i + 1] == "-" || !words[i + 1].starts_with('-')) &&
                          std::ranges::find(lists, words[i + 1]) == lists.end();
    if (!has_file) words[i] = "--json=-";
  }
}

constexpr const char* kBash = R"sh(# Completion of arlab for bash: source <(arlab completion bash)
_arlab() {
  local line="${COMP_LINE:0:COMP_POINT}" breaks="${COMP_WORDBREAKS//[^:=]}" kept="" words
  IFS=$' \t' read -ra words <<< "$line"
  [[ "$line" == *[[:blank:]] ]] && words+=("")
  # Where : and = break words, bash replaces only what follows the last of them.
  if [[ -n "$breaks" ]]; then kept="${words[-1]%"${words[-1]##*[$breaks]}"}"; fi
  local IFS=$'\n'
  COMPREPLY=($("${COMP_WORDS[0]}" complete -- "${words[@]:1}" 2>/dev/null))
  COMPREPLY=("${COMPREPLY[@]#"$kept"}")
}
complete -o default -o nosort -F _arlab arlab
)sh";

constexpr const char* kZsh = R"sh(#compdef arlab
# Completion of arlab for zsh: source <(arlab completion zsh), or a file _arlab in $fpath
_arlab() {
  local -a found
  found=("${(@f)$("${words[1]}" complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "${found[1]}" ]]; then compadd -Q -- "${found[@]}"; else _files; fi
}
if [[ "${funcstack[1]}" == _arlab ]]; then _arlab "$@"; else compdef _arlab arlab; fi
)sh";

constexpr const char* kFish = R"sh(# Completion of arlab for fish: arlab completion fish | source
function __arlab_complete
    set -l words (commandline -opc) (commandline -ct)
    set -l found ($words[1] complete -- $words[2..-1] 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c arlab -f -a '(__arlab_complete)'
)sh";

// The script that completes words of this program. It asks the program, so that names of algorithms
// and networks are completed, too.
std::string completion_script(const std::string& shell) {
  constexpr std::string_view kShells[] = {"bash", "zsh", "fish"};
  constexpr const char* kScripts[] = {kBash, kZsh, kFish};
  for (std::size_t i = 0; i < std::size(kShells); ++i)
    if (shell == kShells[i]) return kScripts[i];
  fail_unknown("shell", shell, kShells);
}

}  // namespace

void use_about_words(std::vector<std::string>& words) {
  if (words.size() < 2) return;
  if (words[1] == "version" || words[1] == "-V") words[1] = "--version";
  if (words[1] == "list") name_stdout(words);
  if (words[1] != "help" || words.size() < 3) return;
  std::istringstream command(fmt::format("{}", fmt::join(words.begin() + 2, words.end(), " ")));
  words.resize(1);
  for (std::string word; command >> word;) words.push_back(word);  // of "show topology", too
  words.emplace_back("--help");
}

bool asks_about_train(const std::vector<std::string>& words) {
  return (words[1] == "manual" && words.size() == 3 && words[2] == "train") ||
         (words[1] == "complete" && words.size() > 4 && words[3] == "train");
}

bool print_about(const CLI::App& app, const std::vector<std::string>& words) {
  if (words[1] == "complete") {
    const auto begin = std::find(words.begin(), words.end(), "--");
    for (const std::string& word :
         completions(app, {begin == words.end() ? begin : begin + 1, words.end()}))
      fmt::print("{}\n", word);
    return true;
  }
  if (words[1] == "manual") {
    expect_words(words, 3, "manual COMMAND");
    fmt::print("{}", manual_page(app, find_command(app, words[2])));
    return true;
  }
  if (words[1] == "completion") {
    expect_words(words, 3, "completion bash, zsh or fish");
    fmt::print("{}", completion_script(words[2]));
    return true;
  }
  return false;
}

}  // namespace arlab::bench
