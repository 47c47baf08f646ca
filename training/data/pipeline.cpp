#include "training/data/pipeline.hpp"

#include <algorithm>
#include <utility>

#include "algorithms/base/error.hpp"
#include "collectives/start_thread.hpp"

namespace arlab::training {
namespace {

using Steady = std::chrono::steady_clock;

double seconds_between(Steady::time_point begin, Steady::time_point end) {
  return std::chrono::duration<double>(end - begin).count();
}

Sampling of(const Dataset& dataset, Sampling sampling) {
  sampling.samples = dataset.samples;
  sampling.files = dataset.files;
  return sampling;
}

}  // namespace

Pipeline::Pipeline(Dataset dataset, Sampling sampling, int prefetch, MakerThreads threads)
    : dataset_(std::move(dataset)),
      sampler_(of(dataset_, std::move(sampling))),
      prefetch_(static_cast<std::size_t>(std::max(prefetch, 0))),
      choice_(threads) {
  start();
}

Pipeline::~Pipeline() { stop(); }

Pipeline::Making Pipeline::begin(Position position) {
  Share share = sampler_.share(position);
  const std::size_t samples = share.indices.size();
  Making m{{position, share.global, static_cast<Count>(samples), {}, {}}, std::move(share.indices)};
  m.batch.values.resize(samples * static_cast<std::size_t>(dataset_.shape.values()));
  m.batch.labels.resize(samples);
  return m;
}

void Pipeline::make(Making& m, std::size_t first, std::size_t last) const {
  const auto size = static_cast<std::size_t>(dataset_.shape.values());
  for (std::size_t i = first; i < last; ++i) {
    const auto values = std::span(m.batch.values).subspan(i * size, size);
    m.batch.labels[i] = dataset_.sample(m.indices[i], values);
    if (dataset_.vary) dataset_.vary(m.batch.position.epoch, m.indices[i], values);
  }
}

Pipeline::Making* Pipeline::unfinished() {
  for (Making& m : ahead_)
    if (!m.failure && m.begun < m.indices.size()) return &m;
  return nullptr;
}

bool Pipeline::may_begin() const {
  return !begins_ && ahead_.size() < prefetch_ && (ahead_.empty() || !ahead_.back().failure);
}

// Begins a batch, or makes samples of one that is begun. Returns false if there is nothing to do.
bool Pipeline::make_some(std::unique_lock<std::mutex>& lock) {
  Making* m = unfinished();
  if (!m && !may_begin()) return false;
  const auto begin_time = Steady::now();
  if (!m) {
    begins_ = true;
    const Position at = std::exchange(next_, sampler_.after(next_));
    lock.unlock();
    Making begun;
    try {
      begun = begin(at);
    } catch (...) {
      begun.failure = std::current_exception();
    }
    lock.lock();
    begins_ = false;
    ahead_.push_back(std::move(begun));
  } else {
    // Small parts let threads end a batch together.
    const auto parts = static_cast<std::size_t>(active_ == 1 ? 1 : 2 * active_);
    const std::size_t first = m->begun, size = m->indices.size();
    m->begun = std::min(size, first + (size + parts - 1) / parts);
    const std::size_t last = m->begun;
    if (last < size) changed_.notify_all();
    lock.unlock();
    std::exception_ptr failure;
    try {
      make(*m, first, last);
    } catch (...) {
      failure = std::current_exception();
    }
    lock.lock();
    m->made += last - first;
    if (failure && !m->failure) m->failure = failure;
  }
  made_ += seconds_between(begin_time, Steady::now());
  changed_.notify_all();
  return true;
}

void Pipeline::make_ahead(int thread) {
  std::unique_lock lock(mutex_);
  while (!stopping_)
    if (thread >= active_ || !make_some(lock)) changed_.wait(lock);
}

void Pipeline::start() {
  measures_from_.reset();
  next_ = position_;
  if (prefetch_ == 0) return;
  try {
    use_threads(choice_.threads());
  } catch (...) {
    stop();
    throw;
  }
}

void Pipeline::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  for (std::thread& maker : makers_) maker.join();
  makers_.clear();
  stopping_ = begins_ = false;
  ahead_.clear();
}

// Decides on the number of threads after some batches of one epoch: between epochs, a worker
// evaluates.
void Pipeline::choose(Count step, Steady::time_point asked, Steady::time_point got) {
  constexpr Count kBatches = 8;
  constexpr double kSeconds = 0.02;
  if (prefetch_ == 0 || !choice_.is_open()) return;
  if (step == 0 || !measures_from_) {
    measured_ = {};
    measures_from_ = got;
    return;
  }
  ++measured_.batches;
  measured_.waited += seconds_between(asked, got);
  measured_.seconds = seconds_between(*measures_from_, got);
  if (measured_.batches < kBatches || measured_.seconds < kSeconds) return;
  choice_.decide(measured_);
  measured_ = {};
  measures_from_ = got;
  try {
    use_threads(choice_.threads());
  } catch (const Error&) {  // the system has no more: go on with those that there are
    const auto all = static_cast<int>(makers_.size());
    choice_ = ThreadChoice({all, all});
    use_threads(all);
  }
}

// Starts those that are missing; others wait.
void Pipeline::use_threads(int number) {
  const std::lock_guard lock(mutex_);
  active_ = number;
  while (static_cast<int>(makers_.size()) < active_)
    makers_.push_back(collectives::start_thread(
        [this, thread = static_cast<int>(makers_.size())] { make_ahead(thread); }));
  changed_.notify_all();
}

Batch Pipeline::next() {
  const auto asked = Steady::now();
  Batch batch;
  if (prefetch_ == 0) {
    Making m = begin(position_);
    make(m, 0, m.indices.size());
    batch = std::move(m.batch);
  } else {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !ahead_.empty() && ahead_.front().is_complete(); });
    if (ahead_.front().failure) std::rethrow_exception(ahead_.front().failure);
    batch = std::move(ahead_.front().batch);
    ahead_.pop_front();
    changed_.notify_all();
  }
  position_ = sampler_.after(position_);
  const auto got = Steady::now();
  const double waited = seconds_between(asked, got);
  waited_ += waited;
  if (prefetch_ == 0) made_ += waited;
  choose(batch.position.step, asked, got);
  return batch;
}

void Pipeline::seek(Position position) {
  if (position.epoch < 0 || position.step < 0 || position.step >= steps())
    fail(Blame::usage, "there is no step " + std::to_string(position.step) + " in epoch " +
                           std::to_string(position.epoch) + ": an epoch has " +
                           std::to_string(steps()) +
                           " steps; resume with the batch size and the data of the checkpoint");
  stop();
  position_ = position;
  start();
}

InputTime Pipeline::time() const {
  const std::lock_guard lock(mutex_);
  return {waited_, made_};
}

}  // namespace arlab::training
