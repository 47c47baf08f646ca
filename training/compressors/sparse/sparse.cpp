#include "training/compressors/sparse/sparse.hpp"

#include <cstddef>
#include <cstring>
#include <string>

#include "algorithms/base/error.hpp"

namespace arlab::training {

SparseVector entries_of(std::span<const std::byte> code) {
  const std::size_t count = code.size() / sizeof(Entry);
  SparseVector entries(count);
  for (std::size_t k = 0; k < count; ++k) {
    std::memcpy(&entries[k].at, code.data() + 4 * k, 4);
    std::memcpy(&entries[k].value, code.data() + 4 * (count + k), 4);
  }
  return entries;
}

void merge(std::span<const Entry> a, std::span<const Entry> b, SparseVector& sum) {
  sum.clear();
  sum.reserve(a.size() + b.size());
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size())
    if (a[i].at < b[j].at)
      sum.push_back(a[i++]);
    else if (b[j].at < a[i].at)
      sum.push_back(b[j++]);
    else {
      sum.push_back({a[i].at, a[i].value + b[j].value});
      ++i, ++j;
    }
  sum.insert(sum.end(), a.begin() + static_cast<std::ptrdiff_t>(i), a.end());
  sum.insert(sum.end(), b.begin() + static_cast<std::ptrdiff_t>(j), b.end());
}

void add_to(std::span<float> dense, std::span<const Entry> entries) {
  for (const Entry& e : entries) {
    if (e.at >= dense.size())
      fail(Blame::check, "a sparse vector has an entry at " + std::to_string(e.at) + " of " +
                             std::to_string(dense.size()) +
                             ", beyond the end of the vector: make the tensors equal on all ranks");
    dense[e.at] += e.value;
  }
}

}  // namespace arlab::training
