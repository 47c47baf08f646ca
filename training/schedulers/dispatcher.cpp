#include "training/schedulers/dispatcher.hpp"

#include <algorithm>
#include <utility>

#include "algorithms/base/error.hpp"

namespace arlab::training {

Dispatcher::Dispatcher(collectives::Clock& clock, bool own_thread)
    : clock_(clock), begin_(clock.now()), has_thread_(own_thread), changed_(clock.condition()) {
  if (own_thread) thread_ = clock_.start([this] { serve(); });
}

void Dispatcher::stop() {
  {
    const std::scoped_lock lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) clock_.join(thread_);
}

Time Dispatcher::now() const { return to_time((clock_.now() - begin_) * kPicosecondsPerSecond); }

Dispatcher::Ticket Dispatcher::start(Job job) {
  Ticket ticket = 0;
  {
    const std::scoped_lock lock(mutex_);
    if (error_) std::rethrow_exception(error_);
    queue_.push_back({std::move(job), {}});
    ticket = ++queued_;
  }
  changed_.notify_all();
  return ticket;
}

void Dispatcher::wait(Ticket ticket) {
  wait_until([&] { return done_ >= ticket; });
}

void Dispatcher::schedule(const SchedulerKind& kind, const Profile& profile, const LinkCost& link,
                          const Values& values, Transmit transmit, Role role) {
  auto made = make_scheduler(kind, profile, link, values);
  const std::scoped_lock lock(mutex_);
  expects(queue_.empty() && open_ == 0, "the schedule changes while gradients are in progress");
  scheduler_ = std::move(made);
  at_once_ = kind.same_everywhere;
  profile_ = profile;
  transmit_ = std::move(transmit);
  role_ = at_once_ ? Role{} : std::move(role);
  missing_.assign(profile.size(), 0);
}

void Dispatcher::ready(int layer) {
  {
    const std::scoped_lock lock(mutex_);
    if (error_) std::rethrow_exception(error_);
    Count& missing = missing_[static_cast<std::size_t>(layer)];
    expects(missing == 0, "a gradient is ready twice before its exchange");
    missing = profile_[static_cast<std::size_t>(layer)].elements;
    if (missing > 0) ++open_;
    if (!role_.receive_next) scheduler_->ready(layer, now());
    if (at_once_)
      while (std::optional<Bundle> bundle = next_bundle()) {
        queue_.push_back({{}, std::move(*bundle)});
        ++queued_;
      }
  }
  changed_.notify_all();
}

void Dispatcher::wait_for(int layer) {
  wait_until([&] { return is_exchanged(layer); });
}

void Dispatcher::wait_for_all() {
  wait_until([&] { return open_ == 0; });
}

bool Dispatcher::is_idle() const {
  const std::scoped_lock lock(mutex_);
  return queue_.empty() && open_ == 0 && !under_way_;
}

// Without a separate thread, the waiting thread does the work.
template <class Done>
void Dispatcher::wait_until(Done done) {
  Lock lock(mutex_);
  while (!done()) {
    if (error_) std::rethrow_exception(error_);
    if (has_thread_)
      changed_.wait(lock);
    else if (!act(lock))
      pause(lock);
  }
  if (error_) std::rethrow_exception(error_);
}

void Dispatcher::serve() {
  Lock lock(mutex_);
  while (!stopping_ && !error_)
    if (!act(lock)) pause(lock);
}

// Does one task. Returns whether there was one.
bool Dispatcher::act(Lock& lock) {
  try {
    under_way_ = true;
    const std::optional<Task> task = choose(lock);
    if (task) carry_out(*task, lock);
    under_way_ = false;
    return task.has_value();
  } catch (...) {
    if (!lock.owns_lock()) lock.lock();
    under_way_ = false;
    error_ = std::current_exception();
    changed_.notify_all();
    return true;
  }
}

// Waits until something has changed, or until the scheduler may answer differently.
void Dispatcher::pause(Lock& lock) {
  if (stopping_) return;
  Time wake = simulator::kNever;
  if (scheduler_ && !at_once_ && !role_.receive_next) wake = scheduler_->wake(now());
  if (wake != simulator::kNever)
    changed_.wait_until(lock, begin_ + picoseconds(wake) / kPicosecondsPerSecond);
  else if (has_thread_)
    changed_.wait(lock);
  else
    expects(false, "no scheduler sends the gradient that the worker waits for");
}

std::optional<Dispatcher::Task> Dispatcher::choose(Lock& lock) {
  if (role_.receive_next) return listen(lock);
  std::optional<Task> task = front();
  if (!task && scheduler_ && !at_once_)
    if (std::optional<Bundle> bundle = next_bundle()) task = Task{{}, std::move(*bundle)};
  if (task && role_.broadcast_next) {
    lock.unlock();
    role_.broadcast_next(task->job ? nullptr : &task->bundle);
    lock.lock();
  }
  return task;
}

// Returns the scheduler's next bundle. Layers without elements are done at once.
std::optional<Bundle> Dispatcher::next_bundle() {
  while (std::optional<Bundle> bundle = scheduler_->next(now())) {
    if (bundle->elements() > 0) return bundle;
    settle(*bundle);
  }
  return {};
}

// Returns the leader's next task, once it can run here.
std::optional<Dispatcher::Task> Dispatcher::listen(Lock& lock) {
  if (queue_.empty() && open_ == 0) return {};
  lock.unlock();
  std::optional<Bundle> theirs = role_.receive_next();
  lock.lock();
  const auto can = [&] { return theirs ? is_ready(*theirs) : !queue_.empty(); };
  while (!can()) {
    if (stopping_) return {};
    expects(has_thread_, "the leader runs another part of the program");
    changed_.wait(lock);
  }
  return theirs ? Task{{}, std::move(*theirs)} : front();
}

std::optional<Dispatcher::Task> Dispatcher::front() {
  if (queue_.empty()) return {};
  return queue_.front();
}

// Returns whether the gradients are ready here and not exchanged yet.
bool Dispatcher::is_ready(const Bundle& bundle) const {
  return std::all_of(bundle.slices.begin(), bundle.slices.end(), [&](const Slice& slice) {
    return slice.elements == 0 || !is_exchanged(slice.layer);
  });
}

void Dispatcher::carry_out(const Task& task, Lock& lock) {
  lock.unlock();
  if (task.job)
    task.job();
  else
    transmit_(task.bundle);
  lock.lock();
  if (!task.job) settle(task.bundle);
  if (task.job || at_once_) {
    queue_.pop_front();
    ++done_;
  }
  changed_.notify_all();
}

void Dispatcher::settle(const Bundle& bundle) {
  if (bundle.collective != Collective::reduce_scatter)
    for (const Slice& slice : bundle.slices) {
      if (slice.elements == 0) continue;
      missing_[static_cast<std::size_t>(slice.layer)] -= slice.elements;
      if (is_exchanged(slice.layer)) --open_;
    }
  if (!role_.receive_next) scheduler_->done(bundle, now());
}

}  // namespace arlab::training
