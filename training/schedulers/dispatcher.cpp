#include "training/schedulers/dispatcher.hpp"

#include <algorithm>

namespace arlab {

Dispatcher::Dispatcher(const SchedulerKind& kind, const Profile& profile, const LinkCost& link,
                       const Values& values, Exchange exchange, Role role)
    : profile_(profile),
      exchange_(std::move(exchange)),
      role_(std::move(role)),
      scheduler_(make_scheduler(kind, profile, link, values)),
      missing_(profile.size()),
      thread_([this] { work(); }) {}

Dispatcher::~Dispatcher() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

Time Dispatcher::now() const {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - start_).count() *
         kNanosecond;
}

void Dispatcher::ready(int layer) {
  {
    const std::scoped_lock lock(mutex_);
    rethrow();
    missing_[static_cast<std::size_t>(layer)] = profile_[static_cast<std::size_t>(layer)].elements;
    if (!role_.hear) scheduler_->ready(layer, now());
  }
  changed_.notify_all();
}

void Dispatcher::wait(int layer) {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return error_ || missing_[static_cast<std::size_t>(layer)] == 0; });
  rethrow();
}

void Dispatcher::wait_all() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] {
    return error_ || std::all_of(missing_.begin(), missing_.end(), [](Count c) { return c == 0; });
  });
  rethrow();
}

void Dispatcher::rethrow() {
  if (error_) std::rethrow_exception(error_);
}

// The next bundle to carry out; nothing when the dispatcher stops.
std::optional<Bundle> Dispatcher::next(std::unique_lock<std::mutex>& lock) {
  if (!role_.hear) {
    std::optional<Bundle> mine = choose(lock);
    if (role_.tell) {
      lock.unlock();
      role_.tell(mine.value_or(Bundle{}));
      lock.lock();
    }
    return mine;
  }
  lock.unlock();
  Bundle theirs = role_.hear();
  lock.lock();
  if (theirs.slices.empty()) return {};
  changed_.wait(lock, [&] { return stopping_ || is_ready(theirs); });
  if (stopping_ && !is_ready(theirs)) return {};
  return theirs;
}

// Whether the gradients are ready here, and not exchanged yet.
bool Dispatcher::is_ready(const Bundle& bundle) const {
  return std::all_of(bundle.slices.begin(), bundle.slices.end(), [&](const Slice& slice) {
    return slice.elements == 0 || missing_[static_cast<std::size_t>(slice.layer)] > 0;
  });
}

std::optional<Bundle> Dispatcher::choose(std::unique_lock<std::mutex>& lock) {
  while (!stopping_) {
    const Time time = now();
    if (std::optional<Bundle> bundle = scheduler_->next(time)) return bundle;
    const Time wake = scheduler_->wake(time);
    if (wake == kNever)
      changed_.wait(lock);
    else
      changed_.wait_until(lock, start_ + std::chrono::nanoseconds(wake / kNanosecond + 1));
  }
  return {};
}

void Dispatcher::settle(const Bundle& bundle) {
  if (bundle.collective != Collective::reduce_scatter)
    for (const Slice& slice : bundle.slices)
      missing_[static_cast<std::size_t>(slice.layer)] -= slice.elements;
  if (!role_.hear) scheduler_->done(bundle, now());
}

void Dispatcher::work() {
  std::unique_lock lock(mutex_);
  try {
    while (const std::optional<Bundle> bundle = next(lock)) {
      if (bundle->elements() > 0) {
        lock.unlock();
        exchange_(*bundle);
        lock.lock();
      }
      settle(*bundle);
      changed_.notify_all();
    }
  } catch (...) {
    if (!lock.owns_lock()) lock.lock();
    error_ = std::current_exception();
    changed_.notify_all();
  }
}

}  // namespace arlab
