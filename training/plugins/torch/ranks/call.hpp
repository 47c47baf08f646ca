// Call: what a rank asks its group to do. All ranks of the group must ask for the same.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/base/types.hpp"

namespace arlab::training {

/// A short text without memory of its own: longer ones are cut.
template <std::size_t N>
struct ShortText {
  std::array<char, N> letters{};
  ShortText() = default;
  ShortText(std::string_view text) { text.copy(letters.data(), N - 1); }
  std::string_view view() const { return letters.data(); }
  bool operator==(const ShortText&) const = default;
};

struct Call {
  ShortText<24> what;        ///< "allreduce"
  ShortText<16> type;        ///< of the elements, or empty
  ShortText<8> op;           ///< "sum", or empty
  Count elements = 0;        ///< of this rank's tensor, or of the root's
  Rank root = -1;            ///< or -1
  Rank rank = 0;             ///< who asks
  std::uint64_t detail = 0;  ///< what else must be equal: the algorithm, sizes of several tensors

  bool same(const Call& other) const {
    Call its = other;
    its.rank = rank;
    return its == *this;
  }
  bool operator==(const Call&) const = default;
};

/// Of a vector that may travel with its call.
inline constexpr std::size_t kMostBytesWithCall = 3800;
inline bool travels_with_its_call(std::size_t bytes) { return bytes <= kMostBytesWithCall; }

/// Returns "broadcast of 4 Float from rank 1".
std::string text(const Call& call);

/// Returns the root. Throws Error(usage) unless it is one of the ranks.
Rank checked_root(std::int64_t root, Rank ranks);

/// Throws Error(usage): two ranks of a group ask for different things. `names`: of the ranks; by
/// default their numbers.
[[noreturn]] void fail_for_different(const Call& first, const Call& other,
                                     const std::vector<std::string>& names);

/// Adds a number, a text, or another call, to what must be equal.
std::uint64_t with(std::uint64_t detail, std::uint64_t value);
std::uint64_t with(std::uint64_t detail, std::string_view text);
std::uint64_t with(std::uint64_t detail, const Call& call);

}  // namespace arlab::training
