#include "bench/options/rare_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace arlab::bench {
namespace {

bool lists_all = false;

constexpr const char* kRare = "Rarely used";

}  // namespace

void use_help_all(std::vector<std::string>& words) {
  lists_all = words.size() > 1 && words[1] == "manual";
  for (std::string& word : words) {
    if (word == "--help-all") word = "--help";
    lists_all = lists_all || word == "--help";
  }
}

void make_rare(CLI::App& app, std::initializer_list<const char*> names) {
  for (const char* name : names) app.get_option(name)->group(lists_all ? kRare : "");
  if (!lists_all)
    app.get_help_ptr()->description(
        "Print the options: -h those that are often used, --help all of them");
}

bool is_rare(const CLI::Option& option) {
  return option.get_group() == kRare || option.get_group().empty();
}

}  // namespace arlab::bench
