#include "training/data/dataset.hpp"

#include <atomic>
#include <memory>
#include <thread>

#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"
#include "tests/support/samples.hpp"

using namespace arlab;
using namespace arlab::training;

TEST_CASE("mapped() applies to every sample and keeps labels") {
  const Dataset d = mapped(numbered(20), [](std::span<float> v) { v[0] *= 2; });
  CHECK(values_of(d, 7) == std::vector<float>{14, -7});
  std::vector<float> values(2);
  CHECK(d.sample(17, values) == 7);
}

TEST_CASE("a cache makes each sample once") {
  const auto made = std::make_shared<std::atomic<int>>(0);
  const Dataset d = cached(mapped(numbered(5), [made](std::span<float>) { ++*made; }));
  for (int again = 0; again < 3; ++again)
    for (Count i = 0; i < 5; ++i) CHECK(values_of(d, i)[0] == static_cast<float>(i));
  CHECK(*made == 5);
  std::vector<float> values(2);
  CHECK(d.sample(3, values) == 3);
}

TEST_CASE("several threads may use a cache at once") {
  const Dataset d = cached(numbered(2000));
  std::atomic<int> wrong = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([&] {
      std::vector<float> values(2);
      for (Count i = 0; i < d.samples; ++i)
        wrong += d.sample(i, values) != i % 10 || values[1] != static_cast<float>(-i);
    });
  for (std::thread& t : threads) t.join();
  CHECK(wrong == 0);
}

TEST_CASE("a part counts from its first sample") {
  const Dataset d = part(numbered(100, {50, 50}), 40, 20);
  CHECK(d.samples == 20);
  CHECK(values_of(d, 0)[0] == 40);
  CHECK(d.files.empty());
  CHECK(part(numbered(3), 3, 0).samples == 0);
  CHECK(failure([] { part(numbered(10), 8, 3); }) ==
        "2: numbered has 10 samples, not 3 starting at number 8");
  CHECK(failure([] { part(numbered(10), -1, 3); }).find("starting at number -1") !=
        std::string::npos);
}
