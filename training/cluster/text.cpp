#include "training/cluster/text.hpp"

#include <cstdlib>

#include "algorithms/base/read_number.hpp"

namespace arlab::training {

std::optional<std::string> process_environment(const std::string& variable) {
  const char* value = std::getenv(variable.c_str());
  return value ? std::optional<std::string>(value) : std::nullopt;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  std::string all = "'";
  for (const char c : text.substr(0, kLongest)) all += c >= ' ' && c <= '~' ? c : '?';
  return all + (text.size() > kLongest ? "...'" : "'");
}

std::optional<std::int64_t> whole_number(std::string_view text, std::int64_t max) {
  const auto value = read_number<std::int64_t>(text);
  if (text.starts_with('-') || !value || *value > max) return std::nullopt;
  return value;
}

}  // namespace arlab::training
