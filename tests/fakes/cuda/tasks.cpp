#include "tests/fakes/cuda/tasks.hpp"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <set>

#include "tests/fakes/cuda/machine.hpp"
#include "tests/fakes/cuda/resident.hpp"

namespace arlab::fake_cuda {
namespace {

constexpr std::chrono::seconds kPatience{10};

struct Pending {
  Tasks ready;
  std::map<int, long> unfinished;                                   // by device
  std::set<TaskPtr> held;                                           // messages in progress
  std::map<std::thread::id, const std::function<bool()>*> waiting;  // threads of the host, for what
  std::condition_variable changed;
  std::set<std::thread::id> processes;
  std::chrono::steady_clock::time_point last_change = std::chrono::steady_clock::now();
};

Pending& pending() {
  static Pending* const only = new Pending;
  return *only;
}

/// Whether all messages in progress lack a thread that waits itself.
bool is_deadlock() {
  const Pending& all = pending();
  if (all.held.empty()) return false;
  return std::all_of(all.held.begin(), all.held.end(), [&](const TaskPtr& task) {
    const auto awaited = task->awaited();
    return std::any_of(awaited.begin(), awaited.end(), [&](std::thread::id thread) {
      const auto waits = all.waiting.find(thread);
      return waits != all.waiting.end() && !(*waits->second)();
    });
  });
}

}  // namespace

TaskPtr add_task(int device, const Tasks& after, Work work) {
  auto task = std::make_shared<Task>();
  task->device = device;
  task->work_ = std::move(work);
  for (const TaskPtr& earlier : after) {
    if (earlier->done) continue;
    ++task->missing_;
    earlier->next_.push_back(task);
  }
  ++pending().unfinished[device];
  if (task->missing_ == 0) pending().ready.push_back(task);
  changed();
  return task;
}

void finish(Task& task) {
  task.done = true;
  --pending().unfinished[task.device];
  for (const TaskPtr& later : std::exchange(task.next_, {}))
    if (--later->missing_ == 0) pending().ready.push_back(later);
  task.work_ = nullptr;
  task.awaited = nullptr;
  std::erase_if(pending().held, [&](const TaskPtr& held) { return held.get() == &task; });
  changed();
}

bool run_any(bool host_waits) {
  Tasks& ready = pending().ready;
  auto& random = machine().random;
  if (any_resident() && (ready.empty() || random() % 4 == 0)) {
    const bool only_they_run = ready.empty();
    run_residents(only_they_run && host_waits);
    return !only_they_run || host_waits;
  }
  if (ready.empty()) return false;
  // Often the newest, sometimes any: some streams get far ahead of others.
  const std::size_t pick = random() % 3 == 0 ? random() % ready.size() : ready.size() - 1;
  const TaskPtr task = ready[pick];
  ready.erase(ready.begin() + static_cast<std::ptrdiff_t>(pick));
  const Work work = std::exchange(task->work_, nullptr);
  const bool ended = work(task);
  if (task->done) return true;  // it was the last that others had waited for
  if (ended)
    finish(*task);
  else
    pending().held.insert(task);
  return true;
}

// A third of the seeds does everything at once, a third as late as possible.
void run_some() {
  Machine& m = machine();
  if (m.options.seed % 3 == 0) return;
  if (m.options.seed % 3 == 1) {
    while (run_any()) {
    }
  } else if (m.one_in(4)) {
    for (auto count = 1 + m.random() % 8; count > 0 && run_any(); --count) {
    }
  }
}

bool is_idle(int device) { return pending().unfinished[device] == 0; }

bool all_done(Tasks& tasks) {
  std::erase_if(tasks, [](const TaskPtr& task) { return task->done; });
  return tasks.empty();
}

void changed() {
  pending().last_change = std::chrono::steady_clock::now();
  pending().changed.notify_all();
}

bool is_still() {
  const std::chrono::duration<double> still =
      std::chrono::steady_clock::now() - pending().last_change;
  return still.count() > machine().options.still_seconds;
}

void add_process() { pending().processes.insert(std::this_thread::get_id()); }
void remove_process() { pending().processes.erase(std::this_thread::get_id()); }

bool wait_until(std::unique_lock<std::mutex>& lock, const std::function<bool()>& condition,
                const std::string& doing) {
  Machine& m = machine();
  const auto me = std::this_thread::get_id();
  const auto start = std::chrono::steady_clock::now();
  while (!m.broken && !condition()) {
    // Another process may be about to start what a kernel waits for.
    const bool several = pending().processes.size() > 1;
    if (run_any(!several || is_still())) continue;
    pending().waiting[me] = &condition;
    if (is_deadlock() ||
        std::chrono::steady_clock::now() - start > (several ? 20 : 1) * kPatience) {
      m.broken = true;
      m.complain(doing + " never ends: " + std::to_string(pending().held.size()) +
                 " messages wait for a rank that waits, too");
      changed();
    } else {
      pending().changed.wait_for(lock, std::chrono::milliseconds(200));
    }
    pending().waiting.erase(me);
  }
  return !m.broken;
}

void forget_tasks() {
  forget_residents();
  pending().ready.clear();
  pending().held.clear();
  pending().unfinished.clear();
}

}  // namespace arlab::fake_cuda
