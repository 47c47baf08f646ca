#include "bench/options/rare_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace arlab::bench {
namespace {

bool lists_all = false;

constexpr const char *kRare = "Rarely used", *kHidden = "Listed elsewhere";

// CLI11 gives options of a group without a name no name either, in errors too, so the group has one
// and is left out here.
class CommonOptions : public CLI::Formatter {
 public:
  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override {
    if (group == kHidden || (group == kRare && !lists_all)) return "";
    return CLI::Formatter::make_group(std::move(group), is_positional, std::move(options));
  }
};

}  // namespace

void use_help_all(std::vector<std::string>& words) {
  lists_all = words.size() > 1 && words[1] == "manual";
  for (std::string& word : words) {
    if (word == "--help-all") word = "--help";
    lists_all = lists_all || word == "--help";
  }
}

void make_rare(CLI::App& app, std::initializer_list<const char*> names) {
  for (const char* name : names) app.get_option(name)->group(kRare);
  app.formatter(std::make_shared<CommonOptions>());
  if (!lists_all)
    app.get_help_ptr()->description(
        "Print the options: -h those that are often used, --help all of them");
}

void hide(CLI::App& app, std::initializer_list<const char*> names) {
  for (const char* name : names) app.get_option(name)->group(kHidden);
  app.formatter(std::make_shared<CommonOptions>());
}

bool is_hidden(const CLI::Option& option) { return option.get_group() == kHidden; }

bool is_rare(const CLI::Option& option) { return option.get_group() == kRare; }

}  // namespace arlab::bench
