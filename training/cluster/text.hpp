// Texts of other programs, such as environment variables: numbers in them, and quoting them.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace arlab::training {

/// The value of an environment variable; none if it is not set. The process's own is
/// process_environment(); tests have others.
using Environment = std::function<std::optional<std::string>(const std::string& variable)>;

std::optional<std::string> process_environment(const std::string& variable);

/// 'text' for a message: shortened, and with its control and foreign characters as ?.
std::string in_quotes(std::string_view text);

/// Digits only, at most `most`. None for anything else.
std::optional<std::int64_t> whole_number(std::string_view text, std::int64_t max = INT64_MAX);

}  // namespace arlab::training
