// The decisions of a Watch, tick by tick, without MPI.
#include "collectives/mpi/stall_detector.hpp"

#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::collectives;

namespace {

using Kind = StallDetector::Kind;
constexpr int kLimit = 10, kHold = 30;

/// Ranks of one machine; rank 0's view of them.
struct Machine {
  explicit Machine(std::size_t ranks, Rank job_ranks = 0, std::size_t own = 0)
      : seen(ranks),
        detector(kLimit, kHold, own, job_ranks > 0 ? job_ranks : static_cast<Rank>(ranks)) {
    for (std::size_t i = 0; i < ranks; ++i) seen[i].rank = static_cast<Rank>(i);
    runs.assign(ranks, true);
  }

  void all_wait() {
    for (auto& rank : seen) rank.activity = Activity::waiting;
  }

  /// Ticks until there is a verdict; returns it and the number of ticks, at most `most`.
  std::pair<StallDetector::Verdict, int> until_verdict(int most = 1000, int extra = 0) {
    for (int n = 1; n <= most; ++n) {
      for (std::size_t i = 0; i < seen.size(); ++i) seen[i].beats += runs[i] ? 1 : 0;
      const auto verdict = detector.tick(seen, extra);
      if (verdict.kind != Kind::none) return {verdict, n};
    }
    return {{}, most};
  }

  std::vector<StallDetector::Seen> seen;
  std::vector<bool> runs;
  StallDetector detector;
};

}  // namespace

TEST_CASE("a rank that does not beat is missing after the limit, and is named") {
  Machine machine(3);
  machine.until_verdict(5);
  machine.all_wait();
  machine.runs[2] = false;
  const auto [verdict, ticks] = machine.until_verdict();
  CHECK(verdict.kind == Kind::missing);
  CHECK(verdict.ranks == std::vector<Rank>{2});
  CHECK(ticks >= kLimit);
  CHECK(ticks <= kLimit + 1);
}

TEST_CASE("ranks that rest are neither missed nor waited for") {
  Machine machine(3);
  machine.all_wait();
  machine.seen[2].activity = Activity::resting;
  CHECK(machine.until_verdict(kLimit - 1).first.kind == Kind::none);
  for (int step = 0; step < 5 * kLimit; ++step) {  // the others work
    for (std::size_t i : {0, 1}) ++machine.seen[i].progress;
    CHECK(machine.until_verdict(1).first.kind == Kind::none);
  }
  const auto [verdict, ticks] = machine.until_verdict();
  CHECK(verdict.kind == Kind::deadlock);
  CHECK(ticks == kLimit);
}

TEST_CASE("a rank that stops for less than the limit, again and again, is not missing") {
  Machine machine(2);
  machine.seen[0].activity = Activity::waiting;
  for (int repeat = 0; repeat < 20; ++repeat) {
    machine.runs[1] = false;
    CHECK(machine.until_verdict(kLimit - 1).first.kind == Kind::none);
    machine.runs[1] = true;
    ++machine.seen[0].progress;
    CHECK(machine.until_verdict(1).first.kind == Kind::none);
  }
}

TEST_CASE(
    "a rank that computes forever is slow, which is not an error, and is noted less and less "
    "often") {
  Machine machine(2);
  machine.seen[0].activity = Activity::waiting;
  int last = 0;
  for (const int at : {kLimit, 2 * kLimit, 4 * kLimit, 8 * kLimit}) {
    const auto [verdict, ticks] = machine.until_verdict();
    CHECK(verdict.kind == Kind::slow);
    CHECK(verdict.ranks == std::vector<Rank>{1});
    CHECK(last + ticks >= at);
    last += ticks;
  }
}

TEST_CASE("ranks that all wait without progress wait for one another") {
  Machine machine(3);
  machine.all_wait();
  const auto [verdict, ticks] = machine.until_verdict();
  CHECK(verdict.kind == Kind::deadlock);
  CHECK(ticks <= kLimit + 2);
}

TEST_CASE("progress of any rank is progress") {
  Machine machine(2);
  machine.all_wait();
  for (int repeat = 0; repeat < 50; ++repeat) {
    ++machine.seen[1].progress;
    CHECK(machine.until_verdict(kLimit - 1).first.kind != Kind::deadlock);
  }
}

TEST_CASE("large messages may take longer") {
  Machine machine(2);
  machine.all_wait();
  CHECK(machine.until_verdict(kLimit + 90, 100).first.kind == Kind::none);
  CHECK(machine.until_verdict(20, 100).first.kind == Kind::deadlock);
}

TEST_CASE("a rank that has ended is not missing, but can no longer be waited for") {
  Machine machine(2);
  machine.seen[0].activity = Activity::waiting;
  machine.seen[1].activity = Activity::ended;
  machine.runs[1] = false;
  CHECK(machine.until_verdict().first.kind == Kind::deadlock);
}

TEST_CASE("the first rank that waits reports, and the others hold while it does") {
  Machine second(3, 3, 1);
  second.all_wait();
  second.runs[2] = false;
  const auto [before, ticks] = second.until_verdict(kLimit + 1);
  CHECK(before.kind == Kind::none);
  second.seen[0].activity = Activity::failing;
  const auto [verdict, held] = second.until_verdict();
  CHECK(verdict.kind == Kind::missing);  // rank 0 has not ended the job in that time
  CHECK(held >= kHold - 1);
}

TEST_CASE("if the first rank is the missing one, the next reports at once") {
  Machine second(3, 3, 1);
  second.all_wait();
  second.runs[0] = false;
  const auto [verdict, ticks] = second.until_verdict();
  CHECK(verdict.ranks == std::vector<Rank>{0});
  CHECK(ticks <= kLimit + 1);
}

TEST_CASE("ranks of other machines cannot be seen: silence, after the limit or the longest wait") {
  Machine machine(2, 4);
  machine.all_wait();
  CHECK(machine.until_verdict().first.kind == Kind::silence);

  Machine slow(1, 2);  // four times the 30 ticks that a wait has taken before
  slow.seen[0].activity = Activity::waiting;
  CHECK(slow.until_verdict(kLimit - 1).first.kind == Kind::none);
  ++slow.seen[0].progress;
  slow.until_verdict(1);
  const auto [verdict, ticks] = slow.until_verdict();
  CHECK(verdict.kind == Kind::silence);
  CHECK(ticks >= 4 * (kLimit - 1) - 1);
}

TEST_CASE("while another rank of this machine computes, other machines may be waiting for it") {
  Machine machine(2, 4);
  machine.seen[0].activity = Activity::waiting;
  CHECK(machine.until_verdict().first.kind == Kind::slow);
}
