#include "training/compressors/sparse/sparse_code.hpp"

#include <algorithm>
#include <bit>
#include <functional>

#include "algorithms/base/error.hpp"
#include "collectives/reduce/half.hpp"
#include "training/compressors/codes.hpp"

namespace arlab::training {
namespace {

constexpr std::size_t kRoom = 16;  // the kernel may write this far beyond the end

std::uint32_t key(float x) { return std::bit_cast<std::uint32_t>(x) & kMagnitude; }

}  // namespace

std::span<std::byte> SparseCode::write(std::span<const float> x,
                                       std::span<const std::uint32_t> at) {
  const std::size_t bytes = at.size() * static_cast<std::size_t>(bytes_each());
  if (code_.size() < bytes) code_.resize(bytes);
  const std::span code(code_.data(), bytes);
  if (!at.empty()) std::memcpy(code.data(), at.data(), at.size_bytes());
  const std::span values = code.subspan(at.size_bytes());
  for (std::size_t k = 0; k < at.size(); ++k)
    if (halves_)
      store(values, static_cast<Count>(k), collectives::to_float16(x[at[k]]));
    else
      store(values, static_cast<Count>(k), x[at[k]]);
  return code;
}

void SparseCode::add(std::span<const std::byte> code, std::span<float> into, float weight) const {
  const Count count = static_cast<Count>(code.size()) / bytes_each();
  const std::span values = code.subspan(static_cast<std::size_t>(count) * sizeof(std::uint32_t));
  for (Count k = 0; k < count; ++k) {
    const auto at = load<std::uint32_t>(code, k);
    if (at >= into.size())
      fail(Blame::check, "a sparse code has an element at " + std::to_string(at) + " of " +
                             std::to_string(into.size()) +
                             ", beyond the end of the vector: make the tensors equal on all ranks");
    into[at] += weight * (halves_ ? collectives::to_float(load<collectives::Float16>(values, k))
                                  : load<float>(values, k));
  }
}

void Selector::select(std::span<const float> x, std::uint32_t min, Count expected) {
  const std::size_t room = static_cast<std::size_t>(expected) + kRoom;
  if (at_.size() < room) at_.resize(room);
  found_ = encode_kernels().select(at_.data(), x.data(), length(x), min);
  expects(found_ == expected, "the selection differs in size from the count");
}

std::span<const std::uint32_t> Selector::from(std::span<const float> x, std::uint32_t min,
                                              Count most) {
  select(x, min, encode_kernels().count(x.data(), length(x), min));
  if (found_ > most) return keep_largest(x, most, std::numeric_limits<std::uint32_t>::max());
  return {at_.data(), static_cast<std::size_t>(found_)};
}

std::span<const std::uint32_t> Selector::largest(std::span<const float> x, Count k) {
  k = std::min(k, length(x));
  if (k <= 0) return {};
  bins_.assign(kBins, 0);
  encode_kernels().histogram(bins_.data(), x.data(), length(x));
  std::size_t bin = kBins;
  Count from_bin = 0;  // elements in this bin and above
  while (from_bin < k) from_bin += bins_[--bin];
  const auto border = static_cast<std::uint32_t>(bin << kBinShift);
  select(x, border, from_bin);
  if (found_ == k) return {at_.data(), static_cast<std::size_t>(k)};
  return keep_largest(x, k, border + (1u << kBinShift));  // the last bin has too many
}

// Keeps k of the selected elements, all keys from `next` on among them: finds the smallest key that
// stays, and how many equal keys stay.
std::span<const std::uint32_t> Selector::keep_largest(std::span<const float> x, Count k,
                                                      std::uint32_t next) {
  if (k <= 0) return {};
  keys_.clear();
  for (Count i = 0; i < found_; ++i)
    if (const std::uint32_t its = key(x[at_[static_cast<std::size_t>(i)]]); its < next)
      keys_.push_back(its);
  auto wanted = static_cast<std::ptrdiff_t>(k - (found_ - static_cast<Count>(keys_.size())));
  std::nth_element(keys_.begin(), keys_.begin() + (wanted - 1), keys_.end(), std::greater<>());
  const std::uint32_t min = keys_[static_cast<std::size_t>(wanted - 1)];
  wanted -= std::count_if(keys_.begin(), keys_.begin() + wanted,
                          [min](std::uint32_t its) { return its > min; });
  const auto stays = [&](std::uint32_t i) {
    const std::uint32_t its = key(x[i]);
    return its > min || (its == min && wanted-- > 0);
  };
  auto end = at_.begin();
  for (Count i = 0; i < found_; ++i)
    if (const std::uint32_t position = at_[static_cast<std::size_t>(i)]; stays(position))
      *end++ = position;
  expects(end - at_.begin() == k, "the selection does not have the requested size");
  return {at_.data(), static_cast<std::size_t>(k)};
}

}  // namespace arlab::training
