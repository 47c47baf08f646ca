#include "training/data/dataset.hpp"

#include <algorithm>
#include <atomic>
#include <memory>

#include "algorithms/base/error.hpp"

namespace arlab::training {
namespace {

// The samples made so far. A thread that finds a half-made sample makes it again.
struct Cache {
  enum State : std::uint8_t { absent, filling, ready };

  explicit Cache(const Dataset& d)
      : values(static_cast<std::size_t>(d.samples * d.shape.values())),
        labels(static_cast<std::size_t>(d.samples)),
        states(static_cast<std::size_t>(d.samples)) {}

  std::vector<float> values;
  std::vector<int> labels;
  std::vector<std::atomic<std::uint8_t>> states;
};

}  // namespace

Dataset mapped(Dataset from, std::function<void(std::span<float>)> map) {
  from.sample = [inner = std::move(from.sample), map = std::move(map)](Count index,
                                                                       std::span<float> values) {
    const int label = inner(index, values);
    map(values);
    return label;
  };
  return from;
}

Dataset cached(Dataset from) {
  const auto cache = std::make_shared<Cache>(from);
  const auto size = static_cast<std::size_t>(from.shape.values());
  from.sample = [inner = std::move(from.sample), cache, size](Count index,
                                                              std::span<float> values) {
    const auto i = static_cast<std::size_t>(index);
    float* const kept = cache->values.data() + i * size;
    std::atomic<std::uint8_t>& state = cache->states[i];
    if (state.load(std::memory_order_acquire) == Cache::ready) {
      std::copy_n(kept, size, values.begin());
      return cache->labels[i];
    }
    const int label = inner(index, values);
    std::uint8_t expected = Cache::absent;
    if (state.compare_exchange_strong(expected, Cache::filling)) {
      std::copy(values.begin(), values.end(), kept);
      cache->labels[i] = label;
      state.store(Cache::ready, std::memory_order_release);
    }
    return label;
  };
  return from;
}

Dataset part(Dataset from, Count first, Count count) {
  if (first < 0 || count < 0 || first > from.samples || count > from.samples - first)
    fail(Blame::usage, from.name + " has " + std::to_string(from.samples) + " samples, not " +
                           std::to_string(count) + " starting at number " + std::to_string(first));
  from.samples = count;
  from.files.clear();
  from.sample = [inner = std::move(from.sample), first](Count index, std::span<float> values) {
    return inner(first + index, values);
  };
  if (from.vary)
    from.vary = [inner = std::move(from.vary), first](Count epoch, Count index,
                                                      std::span<float> values) {
      inner(epoch, first + index, values);
    };
  return from;
}

}  // namespace arlab::training
