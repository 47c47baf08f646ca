#include "training/data/pipeline.hpp"

#include "algorithms/base/error.hpp"
#include "collectives/start_thread.hpp"

namespace arlab::training {
namespace {

using Steady = std::chrono::steady_clock;

double seconds_since(Steady::time_point begin) {
  return std::chrono::duration<double>(Steady::now() - begin).count();
}

Sampling of(const Dataset& dataset, Sampling sampling) {
  sampling.samples = dataset.samples;
  sampling.files = dataset.files;
  return sampling;
}

}  // namespace

Pipeline::Pipeline(Dataset dataset, Sampling sampling, int prefetch)
    : dataset_(std::move(dataset)),
      sampler_(of(dataset_, std::move(sampling))),
      prefetch_(static_cast<std::size_t>(std::max(prefetch, 0))) {
  start();
}

Pipeline::~Pipeline() { stop(); }

Batch Pipeline::make(Position position) {
  const auto begin = Steady::now();
  const Share share = sampler_.share(position);
  const auto size = static_cast<std::size_t>(dataset_.shape.values());
  Batch batch{position, share.global, static_cast<Count>(share.indices.size()), {}, {}};
  batch.values.resize(share.indices.size() * size);
  batch.labels.reserve(share.indices.size());
  for (std::size_t i = 0; i < share.indices.size(); ++i) {
    const auto values = std::span(batch.values).subspan(i * size, size);
    batch.labels.push_back(dataset_.sample(share.indices[i], values));
    if (dataset_.vary) dataset_.vary(position.epoch, share.indices[i], values);
  }
  const std::lock_guard lock(mutex_);
  made_ += seconds_since(begin);
  return batch;
}

void Pipeline::make_ahead(Position from) {
  try {
    for (Position at = from;; at = sampler_.after(at)) {
      {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return stopping_ || ready_.size() < prefetch_; });
        if (stopping_) return;
      }
      Batch batch = make(at);
      const std::lock_guard lock(mutex_);
      ready_.push_back(std::move(batch));
      changed_.notify_all();
    }
  } catch (...) {
    const std::lock_guard lock(mutex_);
    failure_ = std::current_exception();
    changed_.notify_all();
  }
}

void Pipeline::start() {
  if (prefetch_ > 0) maker_ = collectives::start_thread([this, from = position_] { make_ahead(from); });
}

void Pipeline::stop() {
  if (!maker_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  maker_.join();
  stopping_ = false;
  ready_.clear();
  failure_ = nullptr;
}

Batch Pipeline::next() {
  const auto begin = Steady::now();
  Batch batch;
  if (prefetch_ == 0) {
    batch = make(position_);
  } else {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return !ready_.empty() || failure_; });
    if (ready_.empty()) std::rethrow_exception(failure_);
    batch = std::move(ready_.front());
    ready_.pop_front();
    changed_.notify_all();
  }
  position_ = sampler_.after(position_);
  waited_ += seconds_since(begin);
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
