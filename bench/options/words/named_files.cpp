#include "bench/options/words/named_files.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <iterator>

#include "algorithms/base/error.hpp"
#include "bench/options/settings.hpp"
#include "bench/text/write_file.hpp"

namespace arlab::bench {
namespace {

bool is_read(const CLI::Option& option) {
  constexpr std::string_view kRead[] = {"--profile", "--settings", "--nccl-log"};
  return std::find(std::begin(kRead), std::end(kRead), option.get_name()) != std::end(kRead);
}

}  // namespace

void NamedFiles::add(const CLI::Option& option, const std::string& given, std::string_view value) {
  const std::vector<GivenSetting> parts = settings_of(value);
  const bool is_file = option.get_type_name() == "FILE";
  if (is_file && !parts.empty() && parts.front().name.empty()) {
    value = parts.front().value;  // without the settings of what is written
    for (const GivenSetting& part : parts)
      if (part.name == "base" || part.name == "tuner") inputs_.push_back(part.value);
  }
  for (const std::string_view scheme : {"profile:", "file:", "auto:table=", "weighted:record="})
    if (value.starts_with(scheme)) value.remove_prefix(scheme.size());
  const bool writes = is_file && !is_read(option);
  // A name of the catalog may be that of an output, too.
  const bool is_name = !is_file && option.get_type_name() != "MACHINE" &&
                       value.find_first_of("./") == std::string_view::npos;
  // A table on stdout gives way to records.
  const bool gives_way = option.get_name() == "--output" && value == "-";
  if (writes && !gives_way)
    outputs_.push_back({given, std::string(value)});
  else if (!writes && !is_name)
    inputs_.emplace_back(value);
}

void NamedFiles::check() const {
  for (std::size_t i = 0; i < outputs_.size(); ++i)
    for (std::size_t j = 0; j < i; ++j) {
      const Output &one = outputs_[j], &other = outputs_[i];
      if (one.given == other.given || !same_file(one.path, other.path)) continue;
      fail(Blame::usage,
           one.path == "-"
               ? fmt::format("{} - and {} - would both write to stdout: name a file for one",
                             one.given, other.given)
               : fmt::format("{} and {} are both {}: name a file for each", one.given, other.given,
                             other.path));
    }
  std::error_code ignored;
  for (const Output& output : outputs_)
    for (const std::string& input : inputs_)
      if (std::filesystem::is_regular_file(output.path, ignored) && same_file(output.path, input))
        fail(Blame::usage,
             fmt::format("{} {} is also an input, which it would replace: name another "
                         "file to write",
                         output.given, output.path));
}

}  // namespace arlab::bench
