#include "training/buckets.hpp"

#include <string>
#include <utility>

#include "algorithms/error.hpp"

namespace arlab {

std::vector<Bucket> buckets_of(std::span<const Variable> variables, const BucketSizes& sizes) {
  for (const Count size : {sizes.first, sizes.cap})
    if (size < 1)
      fail(Blame::usage,
           "a bucket of " + std::to_string(size) + " bytes: give at least 1, such as 25M");
  std::vector<Bucket> buckets;
  bool open = false;
  for (std::size_t i = variables.size(); i-- > 0;) {
    if (!open) buckets.push_back({i, i, 0, 0});
    Bucket& bucket = buckets.back();
    bucket.first = i;
    bucket.offset = variables[i].offset;
    bucket.elements += variables[i].elements;
    const Count closes = buckets.size() == 1 ? sizes.first : sizes.cap;
    open = bucket.elements * static_cast<Count>(sizeof(float)) < closes;
  }
  return buckets;
}

BucketCounter::BucketCounter(std::vector<Bucket> buckets) : buckets_(std::move(buckets)) {
  for (std::size_t b = 0; b < buckets_.size(); ++b) {
    if (bucket_of_.size() <= buckets_[b].last) bucket_of_.resize(buckets_[b].last + 1);
    for (std::size_t v = buckets_[b].first; v <= buckets_[b].last; ++v) bucket_of_[v] = b;
  }
  start_step();
}

void BucketCounter::start_step() {
  missing_.clear();
  for (const Bucket& b : buckets_) missing_.push_back(b.last - b.first + 1);
  next_ = 0;
}

void BucketCounter::ready(std::size_t variable) {
  std::size_t& missing = missing_[bucket_of_.at(variable)];
  expects(missing > 0, "a gradient is ready twice in one step");
  --missing;
}

int BucketCounter::next() {
  if (next_ == buckets_.size() || missing_[next_] > 0) return -1;
  return static_cast<int>(next_++);
}

}  // namespace arlab
