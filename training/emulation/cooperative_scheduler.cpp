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

CooperativeScheduler::Actor& CooperativeScheduler::enlist(Rank rank) {
  Actor& actor = actors_.emplace_back();
  actor.rank = rank;
  actor.thread = threads_of_[static_cast<std::size_t>(rank)]++;
  return actor;
}

void CooperativeScheduler::begin(Actor& actor, std::thread::id id) {
  {
    const std::lock_guard lock(knowing_);
    known_[id] = &actor;
  }
  ++alive_;
  wake(actor);
}

void CooperativeScheduler::run(Actor& actor, std::function<void()> body) {
  take_turn(actor);
  try {
    leave_if_called_off();
    body();
  } catch (const CalledOff&) {  // the one who failed has said why
    if (actor.away) arrive();
  } catch (...) {
    if (actor.away) arrive();
    call_off(std::current_exception());
  }
  if (actor.away) arrive();
  body = nullptr;  // what it holds may need the baton
  finish(actor);
}

void CooperativeScheduler::finish(Actor& self) {
  self.ended = true;
  --alive_;
  Time& finish = finish_of_[static_cast<std::size_t>(self.rank)];
  finish = std::max(finish, now_);
  if (self.joiner) wake(*self.joiner);
  pass_on();
}

CooperativeScheduler::Actor* CooperativeScheduler::find(std::thread::id id) {
  const std::lock_guard lock(knowing_);
  const auto known = known_.find(id);
  return known == known_.end() ? nullptr : known->second;
}

CooperativeScheduler::Actor& CooperativeScheduler::self() {
  Actor* const actor = find(std::this_thread::get_id());
  expects(actor && !actor->ended, "a thread that no virtual clock has started uses one");
  expects(!actor->away, "between leave() and arrive() a thread uses its clock or communicator");
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
  pass_on();
  take_turn(self);
  self.waits = false;
}

void CooperativeScheduler::wait_for_anything(Actor& self) {
  onlookers_.push_back(&self);
  wait(self, [] { return std::string("polls for a round to end"); });
}

void CooperativeScheduler::leave(Actor& self, Time duration) {
  self.away = true;
  ++self.waits_begun;
  if (failure_)
    wake(self);
  else
    alarms_.push({in_calendar(now_ + duration), &self, self.waits_begun});
  pass_on();
}

void CooperativeScheduler::arrive() {
  Actor* const actor = find(std::this_thread::get_id());
  expects(actor, "a thread that no virtual clock has started uses one");
  if (!actor->away) return;
  {
    const std::lock_guard lock(arriving_);
    actor->back = awaited_ != actor;
    if (!actor->back) awaited_ = nullptr;
  }
  if (actor->back) take_turn(*actor);
  actor->away = actor->back = false;
}

void CooperativeScheduler::join(std::thread& thread) {
  Actor& me = self();
  Actor* const other = find(thread.get_id());
  expects(other, "a thread that this clock has not started is joined by it");
  other->joiner = &me;
  while (!other->ended) wait(me, [other] { return "joins " + name(*other); });
  {
    const std::lock_guard lock(knowing_);
    known_.erase(thread.get_id());
  }
  thread.join();
}

void CooperativeScheduler::call_off(std::exception_ptr why) {
  if (failure_) return;
  failure_ = std::move(why);
  for (Actor& actor : actors_)
    if (actor.waits || actor.away) wake(actor);
}

// To whoever may run next; or the baton lies where one who is away will find it.
void CooperativeScheduler::pass_on() {
  Actor* const next = this->next();
  if (!next) return;
  ++turns_;
  if (next->away) {
    const std::lock_guard lock(arriving_);
    if (!next->back) {
      awaited_ = next;
      return;
    }
  }
  next->turn.ring();
}

CooperativeScheduler::Actor* CooperativeScheduler::next() {
  while (due_.empty()) {
    if (alive_ == 0) return nullptr;
    expects(!failure_, "ranks that were called off wait for one another");
    try {
      go_on();
    } catch (...) {
      call_off(std::current_exception());
    }
  }
  Actor* const actor = due_.front();
  due_.pop_front();
  actor->due = false;
  return actor;
}

// Who polls while nothing is left to happen is told so a while, and then is part of a deadlock.
void CooperativeScheduler::go_on() {
  constexpr int kPatience = 1000;
  const bool any = advance();
  vain_ = any ? 0 : vain_ + 1;
  if (!any && (onlookers_.empty() || vain_ > kPatience)) deadlock();
  for (Actor* onlooker : onlookers_) wake(*onlooker);
  onlookers_.clear();
}

// Alarms come before what the network does at the same time.
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
  if ((actor.waits || actor.away) && actor.waits_begun == rings.wait) wake(actor);
  return true;
}

void CooperativeScheduler::deadlock() const {
  constexpr int kNamed = 8;
  std::string text = "the virtual ranks wait for one another and never end";
  int waiting = 0;
  for (const Actor& actor : actors_)
    if (actor.waits && ++waiting <= kNamed)
      text += (waiting == 1 ? ": " : "; ") + name(actor) + " " + actor.reason();
  if (waiting > kNamed) text += "; and " + std::to_string(waiting - kNamed) + " more";
  fail(Blame::check, text);
}

}  // namespace arlab::training
