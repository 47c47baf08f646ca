#include "training/plugins/torch/engine.hpp"

#include <future>
#include <utility>

#include "collectives/mpi/subset.hpp"
#include "collectives/patience.hpp"
#include "collectives/start_thread.hpp"

namespace arlab::training {

using collectives::Mpi;

Engine::Engine(double patience)
    : mpi_(Mpi::join({.seconds = patience})),
      thread_(collectives::start_thread([this] { run(); })) {}

Engine::~Engine() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  posted_.notify_all();
  thread_.join();
  if (!failed_) return;
  // A missing rank would hang MPI_Comm_free and MPI_Finalize: the process ends without them.
  for (auto& group : groups_) static_cast<void>(group.release());
  static_cast<void>(mpi_.release());
}

Rank Engine::world_rank() { return mpi_->world().rank(); }
Rank Engine::world_ranks() { return mpi_->world().ranks(); }

// MPI allows one thread at a time. The communicator is made in this one, while the engine's thread waits:
// a communicator lets any other thread than its maker's rest between polls.
GroupRanks& Engine::add_group(const std::vector<Rank>& members, collectives::SizeRules rules) {
  GroupRanks* added = nullptr;
  run_alone([&] {
    groups_.push_back(std::make_unique<GroupRanks>(collectives::subset_of(mpi_->world(), members),
                                                   std::move(rules)));
    added = groups_.back().get();
  });
  return *added;
}

void Engine::run_alone(const Task& task) {
  if (on_its_thread()) return task();
  std::promise<void> ended;
  const auto waits = std::make_shared<std::promise<void>>();
  std::future<void> waiting = waits->get_future();
  post(
      [waits, end = ended.get_future().share()] {
        waits->set_value();
        end.wait();
      },
      [waits](std::exception_ptr error) {
        if (error) waits->set_exception(error);  // the engine had failed
      });
  waiting.get();
  struct Ended {
    std::promise<void>& promise;
    ~Ended() { promise.set_value(); }
  } const at_end{ended};
  task();
}

bool Engine::on_its_thread() const { return std::this_thread::get_id() == thread_.get_id(); }

// A future's continuation runs in the engine's thread, and may wait for a collective that it calls, as
// PyTorch's PowerSGD hook does: that one runs at once. All ranks call it there, before what is queued.
void Engine::post(Task task, Done done) {
  if (on_its_thread()) return run_one({std::move(task), std::move(done)});
  {
    const std::lock_guard lock(mutex_);
    queue_.push_back({std::move(task), std::move(done)});
  }
  posted_.notify_all();
}

void Engine::run() {
  for (;;) {
    Posted next;
    {
      std::unique_lock lock(mutex_);
      posted_.wait(lock, [&] { return ends_ || !queue_.empty(); });
      if (queue_.empty()) return;
      next = std::move(queue_.front());
      queue_.pop_front();
    }
    run_one(next);
  }
}

void Engine::run_one(const Posted& posted) {
  std::exception_ptr error = failure_;
  if (!error) {
    try {
      posted.task();
    } catch (const collectives::Stalled&) {
      error = failure_ = std::current_exception();
      failed_ = true;
    } catch (...) {
      error = std::current_exception();
    }
  }
  posted.done(error);
}

}  // namespace arlab::training
