#include "algorithms/pending_actions.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include "tests/support/catch.hpp"

using namespace arlab;

namespace {

// The same interface as PendingActions, in the simplest way.
class Naive {
 public:
  explicit Naive(const std::vector<Action>& round) : round_(round), taken_(round.size(), false) {}

  int take(Rank peer, bool sends) {
    for (std::size_t i = 0; i < round_.size(); ++i)
      if (!taken_[i] && round_[i].peer == peer && round_[i].sends() == sends) {
        taken_[i] = true;
        return static_cast<int>(i);
      }
    return PendingActions::kNone;
  }
  int first() const {
    const auto found = std::find(taken_.begin(), taken_.end(), false);
    return found == taken_.end() ? PendingActions::kNone : static_cast<int>(found - taken_.begin());
  }
  Count left() const { return std::count(taken_.begin(), taken_.end(), false); }

 private:
  std::vector<Action> round_;
  std::vector<bool> taken_;
};

}  // namespace

TEST_CASE("actions of one peer and direction are taken in listed order") {
  const std::vector<Action> round{send(1, {0, 1}), reduce(1, {1, 1}), send(1, {2, 1}),
                                  send(2, {3, 1})};
  PendingActions pending;
  pending.post(round);
  CHECK(pending.left() == 4);
  CHECK(pending.first() == 0);
  CHECK(pending.take(1, true) == 0);
  CHECK(pending.take(1, true) == 2);
  CHECK(pending.take(1, true) == PendingActions::kNone);
  CHECK(pending.first() == 1);
  CHECK(pending.take(1, false) == 1);
  CHECK(pending.take(3, true) == PendingActions::kNone);
  CHECK(pending.left() == 1);
  CHECK(pending.take(2, true) == 3);
  CHECK(pending.first() == PendingActions::kNone);
}

TEST_CASE("an empty round has nothing pending") {
  PendingActions pending;
  pending.post({});
  CHECK(pending.left() == 0);
  CHECK(pending.first() == PendingActions::kNone);
  CHECK(pending.take(0, true) == PendingActions::kNone);
}

TEST_CASE("short and long rounds agree with a naive list in any order") {
  std::mt19937 random(7);
  const auto below = [&](int bound) { return std::uniform_int_distribution(0, bound - 1)(random); };
  PendingActions pending;  // reused: post() forgets the previous round, long or short
  for (const int actions : {1, 2, 63, 64, 65, 66, 200, 64, 3, 130, 1})
    for (const int peers : {1, 3, 40}) {
      std::vector<Action> round;
      for (int i = 0; i < actions; ++i)
        round.push_back({static_cast<ActionKind>(below(3)), below(peers), {below(100), 1}});
      pending.post(round);
      Naive naive(round);
      for (int taken = 0; taken < 3 * actions; ++taken) {
        const Rank peer = below(peers + 1);  // sometimes one that is not there
        const bool sends = below(2) == 1;
        REQUIRE(pending.take(peer, sends) == naive.take(peer, sends));
        REQUIRE(pending.left() == naive.left());
        if (taken % 7 == 0) REQUIRE(pending.first() == naive.first());
      }
    }
}
