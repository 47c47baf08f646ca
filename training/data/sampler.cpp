#include "training/data/sampler.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "algorithms/base/error.hpp"
#include "algorithms/base/random.hpp"

namespace arlab::training {
namespace {

std::string text(Count n) { return std::to_string(n); }

void check(const Sampling& s) {
  const auto wrong = [](const std::string& what) { fail(Blame::usage, what); };
  if (s.workers < 1) wrong(text(s.workers) + " workers cannot share data: use at least 1");
  if (s.rank < 0 || s.rank >= s.workers)
    wrong("rank " + text(s.rank) + " is not one of " + text(s.workers) + " workers");
  if (s.samples < 1) wrong("there are 0 samples to train on: use a larger data set");
  if (s.global_batch < s.workers)
    wrong("a global batch of " + text(s.global_batch) + " leaves some of the " + text(s.workers) +
          " workers without samples: use a larger batch or fewer workers");
  if (s.sharding != Sharding::file) return;
  if (std::accumulate(s.files.begin(), s.files.end(), Count{0}) != s.samples)
    wrong("sharding by file needs data from files: use sharding data");
  if (static_cast<Rank>(s.files.size()) < s.workers)
    wrong("there are " + text(static_cast<Count>(s.files.size())) + " files for " +
          text(s.workers) + " workers: use sharding data, or fewer workers");
}

Count ceiling(Count a, Count b) { return (a + b - 1) / b; }

// The samples [first, first + count) that a worker takes from its own pool in a step.
struct Range {
  Count first, count;
};
Range range(Count step, Count batch, Count pool) {
  const Count first = std::min(step * batch, pool);
  return {first, std::min(batch, pool - first)};
}

}  // namespace

std::string_view name(Sharding sharding) {
  return sharding == Sharding::data ? "data" : sharding == Sharding::file ? "file" : "off";
}

Sharding find_sharding(std::string_view text) {
  for (const Sharding s : {Sharding::data, Sharding::file, Sharding::off})
    if (text == name(s)) return s;
  fail(Blame::usage, "unknown sharding '" + std::string(text) + "': use data, file or off");
}

std::string to_string(const Sampling& s) {
  std::string all = text(s.samples) + " samples, global batch " + text(s.global_batch) + ", seed " +
                    std::to_string(s.seed) + (s.shuffle ? ", shuffled" : "") +
                    (s.drop_remainder ? ", whole batches only" : "") + ", sharding " +
                    std::string(name(s.sharding));
  if (s.sharding != Sharding::data) all += " over " + text(s.workers) + " workers";
  for (std::size_t f = 0; s.sharding == Sharding::file && f < s.files.size(); ++f)
    all += (f == 0 ? ", files of " : " ") + text(s.files[f]);
  return all;
}

Sampler::Sampler(Sampling sampling) : sampling_(std::move(sampling)) {
  const Sampling& s = sampling_;
  check(s);
  if (s.sharding == Sharding::file) {
    pools_.assign(static_cast<std::size_t>(s.workers), 0);
    Count first = 0;
    for (std::size_t f = 0; f < s.files.size(); ++f) {
      const auto owner = f % static_cast<std::size_t>(s.workers);
      pools_[owner] += s.files[f];
      for (Count i = 0; i < s.files[f] && owner == static_cast<std::size_t>(s.rank); ++i)
        mine_.push_back(first + i);
      first += s.files[f];
    }
  } else {
    pools_.assign(s.sharding == Sharding::off ? static_cast<std::size_t>(s.workers) : 1, s.samples);
    mine_.resize(static_cast<std::size_t>(s.samples));
    std::iota(mine_.begin(), mine_.end(), Count{0});
  }
  // All workers make the same number of steps: the number of whole batches of the smallest pool,
  // or, with remainders, as many as the largest pool needs.
  const Blocks batches(s.global_batch, static_cast<Count>(pools_.size()));
  steps_ = s.drop_remainder ? std::numeric_limits<Count>::max() : 0;
  for (std::size_t p = 0; p < pools_.size(); ++p) {
    const Count batch = batches.size(static_cast<Count>(p));
    steps_ = s.drop_remainder ? std::min(steps_, pools_[p] / batch)
                              : std::max(steps_, ceiling(pools_[p], batch));
  }
  if (steps_ == 0)
    fail(Blame::usage, text(s.samples) + " samples are fewer than a batch of " +
                           text(s.global_batch) +
                           " for each worker's share: use a smaller batch, or keep the remainder");
}

void Sampler::order_epoch(Count epoch) {
  if (epoch == ordered_epoch_) return;
  order_ = mine_;
  if (sampling_.shuffle) {
    Random random = Random(sampling_.seed).of(static_cast<std::uint64_t>(epoch));
    if (sampling_.sharding != Sharding::data)
      random = random.of(static_cast<std::uint64_t>(sampling_.rank));
    shuffle(order_, random);
  }
  ordered_epoch_ = epoch;
}

Share Sampler::share(Position position) {
  expects(position.epoch >= 0 && position.step >= 0 && position.step < steps_,
          "the step is beyond the epoch");
  order_epoch(position.epoch);
  const Sampling& s = sampling_;
  Share share{position, 0, {}};
  Range mine{};
  if (s.sharding == Sharding::data) {
    const Range all = range(position.step, s.global_batch, s.samples);
    const Blocks blocks(all.count, s.workers);
    share.global = all.count;
    mine = {all.first + blocks.begin(s.rank), blocks.size(s.rank)};
  } else {
    const Blocks batches(s.global_batch, s.workers);
    for (Rank r = 0; r < s.workers; ++r) {
      const Range taken =
          range(position.step, batches.size(r), pools_[static_cast<std::size_t>(r)]);
      share.global += taken.count;
      if (r == s.rank) mine = taken;
    }
  }
  const auto begin = order_.begin() + mine.first;
  share.indices.assign(begin, begin + mine.count);
  return share;
}

Position Sampler::after(Position position) const {
  return position.step + 1 < steps_ ? Position{position.epoch, position.step + 1}
                                    : Position{position.epoch + 1, 0};
}

}  // namespace arlab::training
