#include "bench/options/rare_options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>

namespace arlab::bench {
namespace {

bool lists_all = false;

constexpr const char* kRare = "Rarely used";

}  // namespace

void use_help_all(std::vector<std::string>& words) {
  const auto found = std::ranges::find(words, "--help-all");
  lists_all = found != words.end();
  if (lists_all) *found = "--help";
}

void make_rare(CLI::App& app, std::initializer_list<const char*> names) {
  for (const char* name : names) app.get_option(name)->group(lists_all ? kRare : "");
  if (!lists_all)
    app.get_help_ptr()->description("Print this help message; --help-all lists rare options, too");
}

bool is_rare(const CLI::Option& option) {
  return option.get_group() == kRare || option.get_group().empty();
}

}  // namespace arlab::bench
