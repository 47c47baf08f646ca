#include "training/plugins/torch/engine.hpp"

#include <algorithm>
#include <utility>

#include "algorithms/base/text.hpp"
#include "collectives/mpi/subset.hpp"
#include "collectives/patience.hpp"

namespace arlab::training {
namespace {

std::vector<Rank> ranks_of(const std::vector<Member>& members) {
  std::vector<Rank> ranks;
  for (const Member& member : members) ranks.push_back(member.rank);
  return ranks;
}

std::vector<std::string> names_of(const std::vector<Member>& members) {
  std::vector<std::string> names;
  for (const Member& member : members) names.push_back(text(member));
  return names;
}

}  // namespace

Group::Group(collectives::Communicator& world, MpiTurn& turn, const std::vector<Member>& members,
             collectives::SizeRules rules, double seconds)
    : waiter_(turn, seconds, members),
      ranks_(collectives::subset_of(
                 world, ranks_of(members),
                 [this](int polls, std::size_t bytes) { waiter_.rest(polls, bytes); }),
             std::move(rules), names_of(members)),
      roll_call_(*ranks_.link),
      messages_(*ranks_.link, seconds, names_of(members)),
      queue_(turn) {
  waiter_.set_roll_call(roll_call_, ranks_.communicator.rank());
}

// What has stalled is no longer read or written by MPI, as far as MPI can promise that.
void Group::post(const Call& call, Task task, TaskQueue::Done done) {
  queue_.post(
      [this, call, task = std::move(task)] {
        try {
          collectives::naming([&] { task(ranks_); }, [&] { return text(call); });
        } catch (const collectives::Stalled&) {
          ranks_.link->abandon();
          throw;
        }
      },
      std::move(done));
}

Count Group::bytes_sent() {
  Count bytes = 0;
  queue_.run([&] { bytes = ranks_.communicator.sent().bytes; });
  return bytes;
}

Engine::Engine()
    : mpi_(collectives::Mpi::join({.seconds = 0})),
      messenger_(std::make_unique<Messenger>(turn_)) {}

Engine::~Engine() {
  for (const auto& group : groups_) group->end();
  messenger_.reset();
  if (std::none_of(groups_.begin(), groups_.end(), [](const auto& g) { return g->damaged(); }))
    return;
  // A missing rank would hang MPI_Comm_free and MPI_Finalize: the process ends without them.
  for (auto& group : groups_) static_cast<void>(group.release());
  static_cast<void>(mpi_.release());
}

Rank Engine::world_rank() { return mpi_->world().rank(); }
Rank Engine::world_ranks() { return mpi_->world().ranks(); }

Group& Engine::add_group(const std::vector<Member>& members, collectives::SizeRules rules,
                         double seconds) {
  const std::lock_guard turn(turn_);
  Group& group = *groups_.emplace_back(
      std::make_unique<Group>(mpi_->world(), turn_, members, std::move(rules), seconds));
  messenger_->add(group.messages());
  return group;
}

}  // namespace arlab::training
