#include "training/plugins/torch/waiter.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>
#include <utility>

#include "algorithms/base/text.hpp"
#include "collectives/clock.hpp"
#include "collectives/patience.hpp"

namespace arlab::training {
namespace {

constexpr double kLookSeconds = 0.05;   // between two looks for calls of others
constexpr double kAnswerSeconds = 2.0;  // in which a rank that waits answers
constexpr double kAgainSeconds = 0.25;  // between its answers
constexpr double kMostAtOnce = 0.5;     // of what counts as waited between two looks at the clock

double now() { return collectives::machine_clock().now(); }

// The launcher ends the job, but leaves stopped processes behind: they end once they run.
void resume(const Member& member) {
  char machine[256] = "";
  if (gethostname(machine, sizeof machine - 1) == 0 && member.machine == machine &&
      member.process > 0)
    kill(member.process, SIGCONT);
}

// A long wait may end a sixteenth later: where processes share cores, the others need them.
void rest_longer(int polls, double waited) {
  constexpr double kShort = 1e-3, kMostSeconds = 2e-3;
  if (waited < kShort) return collectives::rest_after(polls);
  std::this_thread::sleep_for(std::chrono::duration<double>(std::min(waited / 16, kMostSeconds)));
}

}  // namespace

void Waiter::begin(double time) {
  clock_ = time;
  waited_ = looked_ = 0;
  has_looked_ = has_answered_ = false;
}

void Waiter::rest(int polls, std::size_t bytes) {
  if (polls <= collectives::kPollsBeforeRest) begin(now());
  if (has_turn_)
    turn_.rest(polls);
  else
    rest_longer(polls, waited_);
  // A process that was stopped, with its machine perhaps, has not waited meanwhile.
  const double time = now();
  waited_ += std::min(time - std::exchange(clock_, time), kMostAtOnce);
  if (!roll_calls_.answers || waited_ - looked_ < kLookSeconds) return;
  looked_ = waited_;
  look(seconds_ + static_cast<double>(bytes >> 20));
}

void Waiter::rest_in_steps(void* waiter, unsigned rests) {
  constexpr unsigned kMany = 1U << 20;
  static_cast<Waiter*>(waiter)->rest(
      collectives::kPollsBeforeRest + static_cast<int>(std::min(rests, kMany)), 0);
}

// A rank answers when it has waited for too long, or hears others that have: they will give up. It
// gives up, too, unless all go on before.
void Waiter::look(double patience) {
  if (const Rank gone = roll_calls_.gone(); gone >= 0)
    throw collectives::Stalled(concat(text(members_[static_cast<std::size_t>(gone)]),
                                      " has left the group: its program has ended, or has called "
                                      "destroy_process_group(); see what it says"));
  const std::vector<unsigned>& answers = roll_calls_.answers();
  if (!std::exchange(has_looked_, true)) before_ = answers;
  const bool hears_others = answers != before_;
  if (!has_answered_ && !hears_others && waited_ < patience) return;
  if (!has_answered_) {
    before_ = answers;
    asked_ = waited_;
  } else if (waited_ - asked_ > kAnswerSeconds) {
    if (hears_others || waited_ >= patience) give_up(answers);
    has_answered_ = false;  // those that were heard wait no longer
    return;
  } else if (waited_ - answered_ < kAgainSeconds) {
    return;
  }
  roll_calls_.answer();
  answered_ = waited_;
  has_answered_ = true;
}

void Waiter::give_up(const std::vector<unsigned>& answers) {
  std::string missing;
  int count = 0;
  for (std::size_t r = 0; r < members_.size(); ++r) {
    if (answers[r] != before_[r] || static_cast<Rank>(r) == me_) continue;
    missing += (count++ > 0 ? " and " : "") + text(members_[r]);
    resume(members_[r]);
  }
  throw collectives::Stalled(concat(
      "timeout after ", collectives::seconds_text(seconds_), ": ",
      count == 0 ? "all ranks wait for one another"
                 : concat(missing, count == 1 ? " does" : " do",
                          " not take part: such a rank computes, calls something else, or was "
                          "stopped; see what it does, or allow a longer timeout")));
}

}  // namespace arlab::training
