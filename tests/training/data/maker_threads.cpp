#include "training/data/maker_threads.hpp"

#include "tests/support/catch.hpp"

using namespace arlab::training;

namespace {

// A worker that could take 100 batches per second from threads that make `each` per second, of
// which at most `useful` help. Returns the number of threads after so many decisions.
int chosen(ThreadChoice& choice, int decisions, double each, int useful) {
  for (int i = 0; i < decisions; ++i) {
    const double made = each * std::min(choice.threads(), useful), taken = std::min(100.0, made);
    const double seconds = 1000 / taken;
    choice.decide({1000, seconds, taken < 100 ? seconds - 10 : 0});
  }
  return choice.threads();
}

}  // namespace

TEST_CASE("maker threads: as many as a worker needs, helped by each, and no more") {
  for (const auto& [each, most, expected] :
       {std::tuple{200.0, 8, 1}, {60.0, 8, 2}, {30.0, 8, 4}, {30.0, 3, 3}, {1.0, 8, 8}}) {
    INFO(each << " batches per second and thread, at most " << most);
    ThreadChoice choice({1, most});
    CHECK(chosen(choice, 20, each, 100) == expected);
  }
}

TEST_CASE("maker threads: one that does not help is taken away, and tried again after a while") {
  ThreadChoice choice({1, 8});
  CHECK(chosen(choice, 20, 30, 2) == 2);
  int most = 0;
  for (int i = 0; i < 100; ++i) most = std::max(most, chosen(choice, 1, 30, 2));
  CHECK(most == 3);
  CHECK(chosen(choice, 100, 30, 100) == 4);  // now they help
}

TEST_CASE("maker threads: a range of one number leaves no choice") {
  ThreadChoice choice({3, 3});
  CHECK_FALSE(choice.is_open());
  CHECK(chosen(choice, 20, 1, 100) == 3);
  CHECK(ThreadChoice({0, 0}).threads() == 1);
  CHECK(ThreadChoice({1, 2}).is_open());
}
