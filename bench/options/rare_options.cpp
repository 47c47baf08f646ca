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

constexpr const char* kRare = "Rarely used";

// CLI11 gives options of a group without a name no name either, in errors too, so the group has one
// and is left out here.
class CommonOptions : public CLI::Formatter {
 public:
  std::string make_group(std::string group, bool is_positional,
                         std::vector<const CLI::Option*> options) const override {
    if (group == kRare && !lists_all) return "";
    return CLI::Formatter::make_group(std::move(group), is_positional, std::move(options));
  }
};

}  // namespace

void use_help_all(std::vector<std::string>& words) {
  const auto found = std::ranges::find(words, "--help-all");
  lists_all = found != words.end();
  if (lists_all) *found = "--help";
}

void make_rare(CLI::App& app, std::initializer_list<const char*> names) {
  for (const char* name : names) app.get_option(name)->group(kRare);
  app.formatter(std::make_shared<CommonOptions>());
  if (!lists_all)
    app.get_help_ptr()->description("Print this help message; --help-all lists rare options, too");
}

bool is_rare(const CLI::Option& option) { return option.get_group() == kRare; }

}  // namespace arlab::bench
