#include "training/emulation/cooperative_scheduler.hpp"

#include <algorithm>
#include <utility>

#include "algorithms/base/error.hpp"

namespace arlab::training {
namespace {

std::string name(const CooperativeScheduler::Actor& actor) {
  const std::string rank = "rank " + std::to_string(actor.rank);
  return actor.thread == 0 ? rank : rank + " (thread " + std::to_string(actor.thread) + ")";
}

}  // namespace

CooperativeScheduler::Actor& CooperativeScheduler::add_actor(Rank rank) {
  Actor& actor = actors_.emplace_back();
  actor.rank = rank;
  actor.thread = threads_of_[static_cast<std::size_t>(rank)]++;
  return actor;
}

void CooperativeScheduler::begin(Actor& actor, std::thread::id id) {
  {
    const std::lock_guard lock(known_mutex_);
    known_[id] = &actor;
  }
  ++alive_;
  wake(actor);
}

void CooperativeScheduler::run(Actor& actor, std::function<void()> body) {
  wait_for_token(actor);
  try {
    throw_if_canceled();
    body();
  } catch (const collectives::Canceled&) {  // the rank that failed has reported the reason
    if (actor.computing) end_compute();
  } catch (...) {
    if (actor.computing) end_compute();
    cancel(std::current_exception());
  }
  if (actor.computing) end_compute();
  body = nullptr;  // its captures may need the run token when destroyed
  finish(actor);
}

void CooperativeScheduler::finish(Actor& self) {
  self.ended = true;
  --alive_;
  Time& finish = finish_of_[static_cast<std::size_t>(self.rank)];
  finish = std::max(finish, now_);
  if (self.joiner) wake(*self.joiner);
  hand_over();
}

CooperativeScheduler::Actor* CooperativeScheduler::find(std::thread::id id) {
  const std::lock_guard lock(known_mutex_);
  const auto known = known_.find(id);
  return known == known_.end() ? nullptr : known->second;
}

CooperativeScheduler::Actor& CooperativeScheduler::self() {
  Actor* const actor = find(std::this_thread::get_id());
  expects(actor && !actor->ended, "a thread that no emulated clock has started uses one");
  expects(!actor->computing,
          "a thread uses its clock or communicator between begin_compute() and end_compute()");
  return *actor;
}

void CooperativeScheduler::wake(Actor& actor) {
  if (std::exchange(actor.due, true)) return;
  due_.push_back(&actor);
}

void CooperativeScheduler::wait(Actor& self, Reason reason, Time until) {
  self.reason = std::move(reason);
  self.waits = true;
  ++self.waits_begun;
  if (until != simulator::kNever) alarms_.push({std::max(now_, until), &self, self.waits_begun});
  hand_over();
  wait_for_token(self);
  self.waits = false;
}

void CooperativeScheduler::wait_for_anything(Actor& self) {
  pollers_.push_back(&self);
  wait(self, [] { return std::string("polls for a round to end"); });
}

void CooperativeScheduler::begin_compute(Actor& self, Time duration) {
  self.computing = true;
  ++self.waits_begun;
  if (failure_)
    wake(self);
  else
    alarms_.push({in_calendar(now_ + duration), &self, self.waits_begun});
  hand_over();
}

void CooperativeScheduler::end_compute() {
  Actor* const actor = find(std::this_thread::get_id());
  expects(actor, "a thread that no emulated clock has started uses one");
  if (!actor->computing) return;
  {
    const std::lock_guard lock(returning_);
    actor->returned = awaited_ != actor;
    if (!actor->returned) awaited_ = nullptr;
  }
  if (actor->returned) wait_for_token(*actor);
  actor->computing = actor->returned = false;
}

void CooperativeScheduler::join(std::thread& thread) {
  Actor& me = self();
  Actor* const other = find(thread.get_id());
  expects(other, "a clock joins a thread that it has not started");
  other->joiner = &me;
  while (!other->ended) wait(me, [other] { return "joins " + name(*other); });
  {
    const std::lock_guard lock(known_mutex_);
    known_.erase(thread.get_id());
  }
  thread.join();
}

void CooperativeScheduler::cancel(std::exception_ptr why) {
  if (failure_) return;
  failure_ = std::move(why);
  for (Actor& actor : actors_)
    if (actor.waits || actor.computing) wake(actor);
}

// Gives the run token to the next thread. A thread that still computes takes it in end_compute().
void CooperativeScheduler::hand_over() {
  Actor* const next = this->next();
  if (!next) return;
  ++turns_;
  if (next->computing) {
    const std::lock_guard lock(returning_);
    if (!next->returned) {
      awaited_ = next;
      return;
    }
  }
  next->turn.notify();
}

CooperativeScheduler::Actor* CooperativeScheduler::next() {
  while (due_.empty()) {
    if (alive_ == 0) return nullptr;
    expects(!failure_, "canceled ranks wait for one another");
    try {
      run_simulation();
    } catch (...) {
      cancel(std::current_exception());
    }
  }
  Actor* const actor = due_.front();
  due_.pop_front();
  actor->due = false;
  return actor;
}

// Lets threads that poll repeat for a while when no event is left; then reports the deadlock.
void CooperativeScheduler::run_simulation() {
  constexpr int kMaxIdleSteps = 1000;
  const bool any = advance();
  idle_steps_ = any ? 0 : idle_steps_ + 1;
  if (!any && (pollers_.empty() || idle_steps_ > kMaxIdleSteps)) deadlock();
  for (Actor* poller : pollers_) wake(*poller);
  pollers_.clear();
}

// Alarms precede network events of the same time.
bool CooperativeScheduler::advance() {
  const Time alarm = alarms_.empty() ? simulator::kNever : alarms_.next_time();
  if (const auto step =
          simulation_.step(alarm == simulator::kNever ? simulator::kNever : alarm - Time{1})) {
    ++events_;
    now_ = step->now;
    if (step->ended) round_ended(*step->ended);
    return true;
  }
  if (alarm == simulator::kNever) return false;
  const Alarm rings = alarms_.pop();
  now_ = rings.time;
  Actor& actor = *rings.actor;
  if ((actor.waits || actor.computing) && actor.waits_begun == rings.wait) wake(actor);
  return true;
}

void CooperativeScheduler::deadlock() const {
  constexpr int kNamed = 8;
  std::string text = "the emulated ranks wait for one another in a deadlock";
  int waiting = 0;
  for (const Actor& actor : actors_)
    if (actor.waits && ++waiting <= kNamed)
      text += (waiting == 1 ? ": " : "; ") + name(actor) + " " + actor.reason();
  if (waiting > kNamed) text += "; and " + std::to_string(waiting - kNamed) + " more";
  fail(Blame::check, text);
}

}  // namespace arlab::training
