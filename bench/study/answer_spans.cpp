#include <fmt/format.h>

#include <algorithm>

#include "bench/study/answer_parts.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {

std::vector<AnswerSpan> spans_of(std::span<const std::vector<std::string>> names) {
  std::vector<AnswerSpan> spans;
  for (std::size_t i = 0; i < names.size(); ++i) {
    std::vector<std::string> common;
    if (!spans.empty())
      for (const std::string& name : spans.back().names)
        if (std::find(names[i].begin(), names[i].end(), name) != names[i].end())
          common.push_back(name);
    if (common.empty())
      spans.push_back({i, i, names[i]});
    else
      spans.back() = {spans.back().first, i, std::move(common)};
  }
  return spans;
}

std::string either(const std::vector<std::string>& names, std::string_view conjunction) {
  constexpr std::size_t kMost = 3;
  if (names.empty()) return "";
  if (names.size() == 1) return names.front();
  if (names.size() > kMost)
    return fmt::format("{}, {} and {} others", names[0], names[1], names.size() - 2);
  return fmt::format("{} {} {}", fmt::join(names.begin(), names.end() - 1, ", "), conjunction,
                     names.back());
}

std::string from_to(const std::string& first, const std::string& last) {
  return first == last ? first : first + " to " + last;
}

std::vector<std::string> varying_keys(std::span<const std::string_view> keys,
                                      std::span<const Json* const> records) {
  std::vector<std::string> all;
  for (const std::string_view key : keys)
    if (std::any_of(records.begin(), records.end(), [&](const Json* record) {
          return member(*record, key) != member(*records.front(), key);
        }))
      all.emplace_back(key);
  return all;
}

std::string contender_name(const Json& record) {
  const std::string name = record.value("algorithm", std::string());
  const auto segments = record.value("segments", Json(1));
  if (!segments.is_number_integer() || segments.get<int>() <= 1) return name;
  return fmt::format("{} in {}", name, show_plural(segments.get<int>(), "segment"));
}

}  // namespace arlab::bench
