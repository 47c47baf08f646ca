#include "training/data/pipeline.hpp"

#include <atomic>
#include <stdexcept>

#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"
#include "tests/support/samples.hpp"

using namespace arlab;
using namespace arlab::training;
using namespace std::chrono_literals;

namespace {

const Sampling kTwenty{.global_batch = 20};

std::vector<std::vector<float>> batches(Pipeline& pipeline, int count) {
  std::vector<std::vector<float>> all;
  for (int i = 0; i < count; ++i) all.push_back(pipeline.next().values);
  return all;
}

}  // namespace

TEST_CASE("batches do not depend on the number made ahead") {
  Pipeline at_once(numbered(105), kTwenty, 0), one(numbered(105), kTwenty, 1),
      many(numbered(105), kTwenty, 9);
  const auto expected = batches(at_once, 12);
  CHECK(batches(one, 12) == expected);
  CHECK(batches(many, 12) == expected);
  CHECK(at_once.position() == Position{2, 2});
  CHECK(many.position() == Position{2, 2});  // of the batches taken, not of those made
}

TEST_CASE("batches do not depend on the number of threads, whether they augment or not") {
  Dataset varied = numbered(105);
  varied.vary = [](Count epoch, Count index, std::span<float> values) {
    values[1] += static_cast<float>(1000 * epoch + index);
  };
  for (const Dataset& data : {numbered(105), varied})
    for (const bool drops : {true, false}) {
      Sampling sampling = kTwenty;
      sampling.drop_remainder = drops;
      Pipeline alone(data, sampling, 0);
      const auto expected = batches(alone, 13);
      for (const auto& [prefetch, threads] :
           {std::pair{1, MakerThreads{4, 4}}, {3, {2, 2}}, {9, {7, 7}}, {2, {1, 8}}}) {
        INFO(prefetch << " ahead, " << threads.least << " to " << threads.most << " threads");
        Pipeline many(data, sampling, prefetch, threads);
        CHECK(batches(many, 13) == expected);
        CHECK(many.threads() >= threads.least);
        CHECK(many.threads() <= threads.most);
        many.seek({1, 2});
        Pipeline there(data, sampling, 0);
        there.seek({1, 2});
        CHECK(batches(many, 3) == batches(there, 3));
      }
    }
}

TEST_CASE("slow samples get more threads as the run goes, which work at once") {
  std::atomic<int> now = 0, most_at_once = 0;
  const auto slow = mapped(numbered(4000), [&](std::span<float>) {
    const int here = ++now;
    for (int most = most_at_once; most < here && !most_at_once.compare_exchange_weak(most, here);) {
    }
    std::this_thread::sleep_for(1ms);
    --now;
  });
  const Sampling sampling{.global_batch = 8};
  Pipeline pipeline(slow, sampling, 2, {1, 4});
  CHECK(pipeline.threads() == 1);
  int most = 1;
  for (int i = 0; i < 8; ++i) pipeline.next();
  CHECK(most_at_once == 1);
  for (int i = 0; i < 40; ++i) {
    pipeline.next();
    most = std::max(most, pipeline.threads());
  }
  CHECK(most > 1);
  CHECK(most_at_once > 1);
}

TEST_CASE("samples that are there before they are asked for need one thread") {
  std::atomic<int> made = 0;
  const auto counted = mapped(numbered(4000), [&](std::span<float>) { ++made; });
  constexpr int kBatch = 8, kAhead = 2;
  Pipeline pipeline(counted, {.global_batch = kBatch}, kAhead, {1, 4});
  for (int i = 0; i < 60; ++i) {
    do std::this_thread::sleep_for(1ms);  // computes
    while (made < (i + kAhead) * kBatch);
    std::this_thread::sleep_for(5ms);  // the last sample is made before its batch is there
    pipeline.next();
  }
  CHECK(pipeline.threads() == 1);
}

TEST_CASE("a batch holds values and labels of its samples, and the global count") {
  Sampling s = kTwenty;
  s.workers = 3;
  s.rank = 2;
  Pipeline pipeline(numbered(100), s);
  const Batch batch = pipeline.next();
  CHECK(batch.position == Position{0, 0});
  CHECK(batch.global == 20);
  CHECK(batch.samples == 6);
  CHECK(batch.values.size() == 12);
  REQUIRE(batch.labels.size() == 6);
  for (std::size_t i = 0; i < 6; ++i)
    CHECK(batch.labels[i] == static_cast<int>(batch.values[2 * i]) % 10);
}

TEST_CASE("a pipeline resumes from any position") {
  Pipeline through(numbered(105), kTwenty), resumed(numbered(105), kTwenty);
  batches(through, 8);
  resumed.next();
  resumed.seek(through.position());
  CHECK(batches(resumed, 6) == batches(through, 6));
  CHECK(failure([&] {
          resumed.seek({1, 5});
        }) ==
        "2: there is no step 5 in epoch 1: an epoch has 5 steps; resume with the batch size and "
        "the data of the checkpoint");
  CHECK(batches(resumed, 2) == batches(through, 2));  // still where it was
}

TEST_CASE("next() rethrows the errors of the data set") {
  for (const auto& [prefetch, threads] : {std::pair{0, 1}, {2, 1}, {2, 3}}) {
    INFO(prefetch << " ahead by " << threads << " threads");
    Dataset d = numbered(100);
    d.sample = [inner = d.sample](Count i, std::span<float> v) {
      if (i == 77) fail(Blame::environment, "sample 77 cannot be read");
      return inner(i, v);
    };
    Sampling s = kTwenty;
    s.shuffle = false;
    Pipeline pipeline(d, s, prefetch, {threads, threads});
    CHECK(batches(pipeline, 3).size() == 3);
    CHECK(failure([&] { pipeline.next(); }) == "3: sample 77 cannot be read");
    CHECK(failure([&] { pipeline.next(); }) == "3: sample 77 cannot be read");
    CHECK(pipeline.position() == Position{0, 3});
    pipeline.seek({0, 4});
    CHECK(pipeline.next().values[0] == 80);
  }
}

TEST_CASE("a pipeline can be destroyed at any time") {
  for (int i = 0; i < 50; ++i) Pipeline(numbered(1000), kTwenty, i % 4, {1 + i % 3, 4});
}

TEST_CASE("batches are made in advance") {
  std::atomic<int> made = 0, allowed = 20;
  const auto gated = mapped(numbered(100), [&](std::span<float>) {
    while (made >= allowed) std::this_thread::sleep_for(100us);
    ++made;
  });
  Pipeline pipeline(gated, {.global_batch = 10}, 2);
  while (made < 20) std::this_thread::sleep_for(100us);  // nothing was requested
  pipeline.next();
  pipeline.next();  // both return, though no third batch can be made
  CHECK(made == 20);
  allowed = 1'000'000;
  pipeline.next();
  CHECK(made >= 30);
}

TEST_CASE("waiting for input is measured") {
  const auto slow =
      mapped(numbered(100), [](std::span<float>) { std::this_thread::sleep_for(1ms); });
  for (const int prefetch : {0, 1}) {
    Pipeline pipeline(slow, {.global_batch = 10}, prefetch);
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < 3; ++i) pipeline.next();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    const InputTime time = pipeline.time();
    CHECK(time.made >= 0.030);
    CHECK(time.waited <= took.count());
    if (prefetch == 0) CHECK(time.waited >= 0.030);
    if (prefetch == 0) CHECK(time.waited >= time.made);
  }
}
