#include "bench/options/second_value.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

namespace arlab::bench {

std::string advice_on_second_value(const CLI::App& command, const std::string& given,
                                   const std::string& word) {
  const CLI::Option* const option = command.get_option_no_throw(given);
  if (!option || option->get_items_expected_max() == 0) return "";
  const bool repeats = option->get_items_expected_max() > 1 ||
                       option->get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll;
  if (repeats)
    return fmt::format("if it is another value of {}, write {} again before it", given, given);
  return fmt::format("{} takes one value, so remove '{}' ({}: {})", given, word, given,
                     option->get_description());
}

}  // namespace arlab::bench
