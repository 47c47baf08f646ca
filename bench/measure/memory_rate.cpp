#include "bench/measure/memory_rate.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <memory>

namespace arlab::bench {

double memory_rate(collectives::Communicator& ranks) {
  constexpr std::size_t kAll = std::size_t{512} << 20, kLeast = std::size_t{4} << 20;
  const std::size_t bytes =
      std::max(kLeast, kAll / 2 / static_cast<std::size_t>(std::max(ranks.ranks(), 1)));
  const auto from = std::make_unique<std::byte[]>(bytes),
             into = std::make_unique<std::byte[]>(bytes);
  std::array<double, 5> rates{};
  for (std::size_t i = 0; i < rates.size(); ++i) {
    std::memset(from.get(), static_cast<int>(i), 64);  // no pass can be left out
    ranks.barrier();
    const double start = ranks.clock().now();
    std::memcpy(into.get(), from.get(), bytes);
    const double seconds = ranks.max(ranks.clock().now() - start);
    rates[i] = 2e-9 * static_cast<double>(bytes) * ranks.ranks() / seconds;
  }
  std::sort(rates.begin(), rates.end());
  return rates[rates.size() / 2];
}

}  // namespace arlab::bench
