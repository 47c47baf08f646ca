#include "training/exchange.hpp"

#include <algorithm>
#include <utility>

#include "algorithms/error.hpp"

namespace arlab {
namespace {

double seconds_since(Exchange::Clock::time_point begin) {
  return std::chrono::duration<double>(Exchange::Clock::now() - begin).count();
}

// Backends have so many lanes at least; MPI has 32767.
constexpr int kLanes = 4096;

// Two steps at a time, so that a rank one step ahead is told apart.
int first_lane(const CollectiveId& id, int lanes) {
  const Count each = Count{id.bucket} * 64 + id.slice;
  const Count which = (each * 3 + static_cast<Count>(id.phase)) * 2 + id.step % 2;
  return static_cast<int>(which % std::max(1, kLanes / lanes)) * lanes;
}

}  // namespace

std::string name(const CollectiveId& id) {
  constexpr const char* kPhases[] = {"gradient", "weights", "statistics"};
  return "step " + std::to_string(id.step) + " bucket " + std::to_string(id.bucket) + " slice " +
         std::to_string(id.slice) + " " + kPhases[static_cast<int>(id.phase)];
}

Exchange::Exchange(Communicator& communicator, Route route, bool overlap)
    : communicator_(communicator), route_(route) {
  if (overlap && communicator.ranks() > 1) thread_ = std::thread([this] { serve(); });
}

// A collective under way goes on to its end: the other ranks take part in it, or end it.
Exchange::~Exchange() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

Exchange::Ticket Exchange::start(const CollectiveId& id, std::span<float> data, const Task& task) {
  Ticket ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    if (failure_) std::rethrow_exception(failure_);
    jobs_.push_back({id, data, task});
    ticket = ++started_;
  }
  changed_.notify_all();
  return ticket;
}

void Exchange::wait(Ticket ticket) {
  const auto begin = Clock::now();
  std::unique_lock lock(mutex_);
  if (thread_.joinable()) {
    changed_.wait(lock, [&] { return done_ >= ticket || failure_; });
  } else {
    while (done_ < ticket && !failure_) {
      const Job job = jobs_.front();
      lock.unlock();
      run(job);
      lock.lock();
    }
  }
  usage_.exposed += seconds_since(begin);
  if (failure_) std::rethrow_exception(failure_);
}

void Exchange::serve() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return stop_ || !jobs_.empty(); });
    if (stop_ || failure_) return;
    const Job job = jobs_.front();
    lock.unlock();
    run(job);
    lock.lock();
  }
}

void Exchange::run(const Job& job) {
  const auto begin = Clock::now();
  Cost sent;
  std::exception_ptr failure;
  try {
    if (communicator_.ranks() > 1)
      sent = travel(communicator_, job.task.route, job.task.collective, job.task.root, job.data,
                    first_lane(job.id, job.task.route.lanes()));
    if (observer_) observer_(job.id, begin, Clock::now());
  } catch (...) {
    failure = std::current_exception();
  }
  {
    const std::lock_guard lock(mutex_);
    failure_ = failure;
    jobs_.pop_front();
    ++done_;
    usage_.seconds += seconds_since(begin);
    usage_.bytes += sent.elements * static_cast<Count>(sizeof(float));
    ++usage_.collectives;
  }
  changed_.notify_all();
}

Communicator& Exchange::communicator() {
  const std::lock_guard lock(mutex_);
  expects(jobs_.empty(), "the communicator is used while a collective is under way");
  return communicator_;
}

void Exchange::add_usage(double seconds, Count bytes) {
  const std::lock_guard lock(mutex_);
  usage_.seconds += seconds;
  usage_.exposed += seconds;
  usage_.bytes += bytes;
  ++usage_.collectives;
}

Exchange::Usage Exchange::usage() const {
  const std::lock_guard lock(mutex_);
  return usage_;
}

}  // namespace arlab
