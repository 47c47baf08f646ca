#include "training/plugins/torch/engine.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include "algorithms/base/text.hpp"
#include "collectives/mpi/subset.hpp"
#include "collectives/patience.hpp"
#include "collectives/shm/local_communicator.hpp"

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

// Of a group's memory, after its roll calls.
std::size_t steps_at(Rank ranks) {
  constexpr std::size_t kPage = 4096;
  return (SharedRollCall::bytes_for(ranks) + kPage - 1) / kPage * kPage;
}

}  // namespace

std::size_t Group::shared_bytes(Rank ranks, bool has_mpi) {
  return steps_at(ranks) + collectives::SharedSteps::bytes_for(ranks) +
         (has_mpi ? 0 : collectives::local_communicator_bytes(ranks));
}

Group::Group(collectives::Communicator* world, MpiTurn& turn, GroupParts parts, bool crowded)
    : parts_(std::move(parts)),
      crowded_(crowded),
      turn_(turn),
      waiter_(turn, parts_.seconds, parts_.members),
      ranks_(make_link(world), parts_.rules, names_of(parts_.members), make_shared()),
      queue_(turn) {
  if (world) messages_.emplace(*ranks_.link, parts_.seconds, names_of(parts_.members));
  make_roll_calls();
}

std::unique_ptr<collectives::Communicator> Group::make_link(
    collectives::Communicator* world) const {
  const auto rest = [this](int polls, std::size_t bytes) { waiter_.rest(polls, bytes); };
  if (world) return collectives::subset_of(*world, ranks_of(parts_.members), rest);
  const std::size_t at = steps_at(size()) + collectives::SharedSteps::bytes_for(size());
  return collectives::local_communicator(parts_.memory->data() + at, parts_.me, size(), rest);
}

// As in collectives/plugins/mpi/shared_ranks.cpp.
std::unique_ptr<SharedGroup> Group::make_shared() const {
  if (!parts_.memory) return nullptr;
  const collectives::StepWaiting waiting{crowded_ ? 8 : 2000, Waiter::rest_in_steps, &waiter_};
  const collectives::StepSizes sizes{crowded_ ? std::size_t{128} << 10 : std::size_t{32} << 10,
                                     crowded_ ? std::size_t{32} << 10 : std::size_t{8} << 10};
  std::byte* const memory = parts_.memory->data() + steps_at(size());
  return std::make_unique<SharedGroup>(
      collectives::StepCollectives({memory, parts_.me, size(), waiting}, sizes),
      names_of(parts_.members));
}

void Group::make_roll_calls() {
  const auto use = [this](auto& called) {
    waiter_.set_roll_calls(
        {.answer = [&called] { called.answer(); },
         .answers = [&called]() -> const std::vector<unsigned>& { return called.answers(); },
         .gone = [this, &called] { return called.left_before(ranks_.number()); }},
        parts_.me);
  };
  if (parts_.memory)
    use(shared_roll_call_.emplace(parts_.memory->data(), parts_.me, size()));
  else
    use(roll_call_.emplace(*ranks_.link));
}

void Group::leave() {
  if (std::exchange(has_left_, true)) return;
  if (shared_roll_call_) shared_roll_call_->leave(ranks_.number());
  if (roll_call_ && !damaged()) {
    const std::lock_guard turn(turn_);
    roll_call_->leave(ranks_.number());
  }
}

void Group::end() {
  queue_.end();
  leave();
}

void Group::retire() {
  if (!queue_.end_if_idle()) return;
  leave();
  parts_.memory.reset();
}

// Where each process has processors to spare, a long allreduce is better left to another thread.
int Group::looks_for(std::size_t bytes) const {
  constexpr std::size_t kShortBytes = 1 << 20;
  constexpr int kLooks = 1000;
  if (crowded_) return 1;
  return bytes <= kShortBytes || processors_of(parts_.members) < 2 * size() ? kLooks : 0;
}

// What has stalled is no longer read or written by MPI, as far as MPI can promise that.
void Group::post(const Call& call, Task task, TaskQueue::Done done, TaskQueue::Needs needs,
                 const Arrive& arrive) {
  const bool here = arrive && queue_.begin_here();
  bool all_are_there = false;
  if (here) {
    waiter_.set_has_turn(false);
    all_are_there = !failed() && arrive(ranks_);
  }
  auto run = [this, call, needs, its = std::move(task)] {
    waiter_.set_has_turn(needs == TaskQueue::Needs::turn);
    try {
      collectives::naming([&] { its(ranks_); }, [&] { return text(call); });
    } catch (const collectives::Stalled&) {
      ranks_.link->abandon();
      throw;
    }
  };
  if (!here)
    queue_.post(std::move(run), std::move(done), needs);
  else if (all_are_there)
    queue_.run_here(std::move(run), std::move(done));
  else
    queue_.hand_over(std::move(run), std::move(done));
}

Count Group::bytes_sent() {
  Count bytes = 0;
  queue_.run([&] { bytes = ranks_.communicator.sent().bytes; });
  return bytes;
}

Engine::Engine(Rank rank, Rank ranks)
    : mpi_(collectives::Mpi::launched() || collectives::Mpi::runs()
               ? collectives::Mpi::join({.seconds = 0})
               : nullptr),
      rank_(mpi_ ? mpi_->world().rank() : rank),
      ranks_(mpi_ ? mpi_->world().ranks() : ranks),
      messenger_(std::make_unique<Messenger>(turn_)) {}

void Engine::end() {
  for (const auto& group : groups_) group->end();
  messenger_->end();
  const bool damaged =
      std::any_of(groups_.begin(), groups_.end(), [](const auto& g) { return g->damaged(); });
  // A missing rank would hang MPI_Finalize: the process ends without it.
  damaged ? static_cast<void>(mpi_.release()) : mpi_.reset();
}

Group& Engine::add_group(GroupParts parts) {
  const std::lock_guard turn(turn_);
  collectives::Communicator* const world = mpi_ ? &mpi_->world() : nullptr;
  const auto size = static_cast<Rank>(parts.members.size());
  const bool crowded = std::max(size, ranks_) > processors_of(parts.members);
  Group& group =
      *groups_.emplace_back(std::make_unique<Group>(world, turn_, std::move(parts), crowded));
  if (group.messages()) messenger_->add(*group.messages());
  return group;
}

}  // namespace arlab::training
