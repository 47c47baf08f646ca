#include "training/plugins/torch/engine.hpp"

#include <future>
#include <utility>

#include "collectives/mpi/subset.hpp"
#include "collectives/patience.hpp"
#include "collectives/start_thread.hpp"

namespace arlab::training {

using collectives::Communicator;
using collectives::Mpi;

GroupRanks::GroupRanks(std::unique_ptr<Communicator> its)
    : communicator(std::move(its)),
      machines(groups_by_machine(*communicator)),
      plans(communicator->rank()) {}

Problem GroupRanks::problem(Collective collective, Count elements, Rank root) const {
  return {.collective = collective,
          .ranks = communicator->ranks(),
          .elements = elements,
          .root = root,
          .groups = machines.get()};
}

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
GroupRanks& Engine::add_group(const std::vector<Rank>& members) {
  GroupRanks* added = nullptr;
  run_alone([&] {
    groups_.push_back(std::make_unique<GroupRanks>(collectives::subset_of(mpi_->world(), members)));
    added = groups_.back().get();
  });
  return *added;
}

void Engine::run_alone(const Task& task) {
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

void Engine::post(Task task, std::function<void(std::exception_ptr)> done) {
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
    std::exception_ptr error = failure_;
    if (!error) {
      try {
        next.task();
      } catch (const collectives::Stalled&) {
        error = failure_ = std::current_exception();
        failed_ = true;
      } catch (...) {
        error = std::current_exception();
      }
    }
    next.done(error);
  }
}

}  // namespace arlab::training
