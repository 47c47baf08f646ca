#include "training/plugins/torch/waiter.hpp"

#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "algorithms/base/text.hpp"
#include "collectives/clock.hpp"
#include "collectives/patience.hpp"

namespace arlab::training {
namespace {

constexpr double kLookSeconds = 0.05;   // between two looks for calls of others
constexpr double kAnswerSeconds = 2.0;  // in which a rank that waits answers

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

void Waiter::rest(int polls, std::size_t bytes) {
  if (polls <= collectives::kPollsBeforeRest) began_ = looked_ = now();
  if (has_turn_)
    turn_.rest(polls);
  else
    rest_longer(polls, now() - began_);
  const double time = now();
  if (!roll_calls_.heard || time - looked_ < kLookSeconds) return;
  looked_ = time;
  look(time, seconds_ + static_cast<double>(bytes >> 20));
}

void Waiter::rest_in_steps(void* waiter, unsigned rests) {
  constexpr unsigned kMany = 1U << 20;
  static_cast<Waiter*>(waiter)->rest(
      collectives::kPollsBeforeRest + static_cast<int>(std::min(rests, kMany)), 0);
}

// A rank that hears others call the roll can wait no longer: they have given up.
void Waiter::look(double time, double patience) {
  const auto& heard = roll_calls_.heard();
  const auto others = std::count(heard.begin(), heard.end(), true);
  if (!has_answered_) {
    if (others == 0 && time - began_ < patience) return;
    roll_calls_.answer();
    has_answered_ = true;
    answered_ = time;
  }
  if (others + 1 == static_cast<std::ptrdiff_t>(members_.size()) ||
      time - answered_ > kAnswerSeconds)
    give_up(heard);
}

void Waiter::give_up(const std::vector<bool>& heard) {
  std::string missing;
  int count = 0;
  for (std::size_t r = 0; r < members_.size(); ++r) {
    if (heard[r] || static_cast<Rank>(r) == me_) continue;
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
