// Parses and quotes text of other programs, such as environment variables.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace arlab::training {

/// Returns the value of an environment variable, or nothing if it is not set. Programs use
/// process_environment(); tests use others.
using Environment = std::function<std::optional<std::string>(const std::string& variable)>;

std::optional<std::string> process_environment(const std::string& variable);

/// Returns 'text' for a message: shortened, with ? for control and non-ASCII characters.
std::string in_quotes(std::string_view text);

/// Parses a number of digits only, at most `max`. Returns nothing for anything else.
std::optional<std::int64_t> whole_number(std::string_view text, std::int64_t max = INT64_MAX);

}  // namespace arlab::training
