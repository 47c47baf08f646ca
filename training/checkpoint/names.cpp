#include "training/checkpoint/names.hpp"

#include <algorithm>
#include <string_view>

namespace arlab::training {
namespace {

constexpr std::string_view kStart = "step-", kCheckpoint = ".ckpt", kShard = ".shard", kOf = "-of-";
constexpr std::size_t kDigits = 12;

std::string start(Count step) {
  std::string digits = std::to_string(step);
  if (digits.size() < kDigits) digits.insert(0, kDigits - digits.size(), '0');
  return std::string(kStart) + digits;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.size() <= 18 &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Returns what is between the start and the end of a name, if it has them.
std::optional<std::string_view> middle(std::string_view name, std::string_view end) {
  if (!name.starts_with(kStart) || !name.ends_with(end)) return std::nullopt;
  name.remove_prefix(kStart.size());
  name.remove_suffix(std::min(name.size(), end.size()));
  return name;
}

std::optional<Count> number(std::string_view text) {
  if (!is_number(text)) return std::nullopt;
  return std::stoll(std::string(text));
}

}  // namespace

std::string checkpoint_name(Count step) { return start(step) + std::string(kCheckpoint); }

std::string shard_name(Count step, Rank rank, Rank ranks) {
  return start(step) + '-' + std::to_string(rank) + std::string(kOf) + std::to_string(ranks) +
         std::string(kShard);
}

std::optional<Count> step_of_checkpoint(const std::string& file_name) {
  const auto text = middle(file_name, kCheckpoint);
  return text ? number(*text) : std::nullopt;
}

std::optional<Count> step_of_shard(const std::string& file_name) {
  const auto text = middle(file_name, kShard);
  if (!text) return std::nullopt;
  const std::size_t rank = text->find('-'), of = text->find(kOf);
  if (of == std::string_view::npos || rank >= of ||
      !is_number(text->substr(rank + 1, of - rank - 1)) ||
      !is_number(text->substr(of + kOf.size())))
    return std::nullopt;
  return number(text->substr(0, rank));
}

}  // namespace arlab::training
