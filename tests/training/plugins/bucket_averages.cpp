// Averages of gradient buckets, over threads: what the PyTorch backend runs, sanitized.
#include "training/plugins/torch/bucket_averages.hpp"

#include <numeric>

#include "collectives/threads/threads.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"

using namespace arlab;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

constexpr Count kRows = 20, kColumns = 30, kElements = kRows * kColumns + 8;

std::vector<float> gradient(Rank rank, Count bucket) {
  std::vector<float> x(static_cast<std::size_t>(kElements));
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<float>((static_cast<Count>(i) * 7 + rank * 5 + bucket) % 11) - 4;
  return x;
}

GradientBucket bucket_of(std::vector<float>& x, Count index, Count buckets) {
  return {index, index + 1 == buckets, x, {{kRows, kColumns}, {1, 8}}};
}

// What rank 0 sent in each step, and the averages of each step, by bucket and rank.
struct Trained {
  std::vector<Count> bytes;
  std::vector<std::vector<std::vector<std::vector<float>>>> averages;  // [step][bucket][rank]
};

Trained train(const char* spec, Rank ranks, int steps, Count buckets, const char* rules = "ring") {
  Trained result;
  result.averages.assign(static_cast<std::size_t>(steps),
                         {static_cast<std::size_t>(buckets),
                          std::vector<std::vector<float>>(static_cast<std::size_t>(ranks))});
  on_threads(ranks, [&](Communicator& communicator) {
    GroupRanks group(std::make_unique<CountingCommunicator>(communicator),
                     parse_size_rules(rules, "rules"));
    BucketAverages averages(spec, 1);
    const Rank me = communicator.rank();
    for (auto& step : result.averages) {
      const Count before = group.communicator.sent().bytes;
      for (Count b = 0; b < buckets; ++b) {
        std::vector<float> x = gradient(me, b);
        averages.run(group, bucket_of(x, b, buckets));
        step[static_cast<std::size_t>(b)][static_cast<std::size_t>(me)] = std::move(x);
      }
      if (me == 0) result.bytes.push_back(group.communicator.sent().bytes - before);
    }
  });
  return result;
}

std::vector<float> mean(Rank ranks, Count bucket) {
  std::vector<float> sum(static_cast<std::size_t>(kElements));
  for (Rank r = 0; r < ranks; ++r) {
    const auto x = gradient(r, bucket);
    for (std::size_t i = 0; i < x.size(); ++i) sum[i] += x[i] / static_cast<float>(ranks);
  }
  return sum;
}

}  // namespace

TEST_CASE("bucket averages refuse what the catalog refuses") {
  CHECK_THROWS_WITH(BucketAverages("powersdg", 1), contains("did you mean 'powersgd'?"));
  CHECK_THROWS_WITH(BucketAverages("", 1), contains("compressor"));
  CHECK_THROWS_WITH(BucketAverages("none:rank=1", 1), contains("unknown compressor 'none'"));
  CHECK_THROWS_WITH(BucketAverages("powersgd:rank=0", 1), contains("rank"));
  CHECK(BucketAverages("powersgd", 1).spec() == "powersgd:rank=4,warm=1,feedback=on");
  CHECK(BucketAverages("none", 1).spec() == "none");
}

TEST_CASE("a bucket of other tensors than before is refused") {
  on_threads(1, [](Communicator& communicator) {
    GroupRanks group(std::make_unique<CountingCommunicator>(communicator),
                     parse_size_rules("ring", "rules"));
    BucketAverages averages("topk", 1);
    std::vector<float> x = gradient(0, 0), other(3);
    averages.run(group, {0, true, other, {{1, 3}}});  // dense: its tensors may change
    averages.run(group, bucket_of(x, 0, 1));
    CHECK_THROWS_WITH(averages.run(group, {0, true, other, {{1, 3}}}),
                      contains("bucket 0 has other tensors") && contains("of its own"));
  });
}

TEST_CASE("the first step of a compressor is dense, and all steps without one") {
  for (const Rank ranks : {1, 2, 3}) {
    const Trained none = train("none", ranks, 3, 2), topk = train("topk:ratio=0.1", ranks, 3, 2);
    CHECK(topk.averages[0] == none.averages[0]);
    CHECK(none.averages[1] == none.averages[0]);
    if (ranks > 1) CHECK(topk.averages[1] != none.averages[1]);
    for (Count b = 0; b < 2; ++b) {
      const auto expected = mean(ranks, b);
      const auto& got = none.averages[2][static_cast<std::size_t>(b)][0];
      for (std::size_t i = 0; i < expected.size(); ++i)
        REQUIRE(got[i] == Approx(expected[i]).margin(1e-5));
    }
  }
}

TEST_CASE("every rank gets the same bits from compressed buckets") {
  for (const char* spec : {"powersgd:rank=2", "fp16", "topk", "threshold", "int8", "onebit_adam"})
    for (const char* rules : {"ring", "all_to_all"}) {  // which adds in another order on each rank
      INFO(spec << " by " << rules);
      const Trained trained = train(spec, 3, 4, 2, rules);
      for (std::size_t step = 1; step < trained.averages.size(); ++step)
        for (const auto& by_rank : trained.averages[step]) {
          CHECK(by_rank[1] == by_rank[0]);
          CHECK(by_rank[2] == by_rank[0]);
        }
    }
}

TEST_CASE("each bucket keeps what a step left out for later steps") {
  constexpr int kSteps = 60;
  for (const char* spec : {"topk:ratio=0.1", "powersgd:rank=1"}) {
    const Trained trained = train(spec, 2, kSteps, 3);
    for (Count b = 0; b < 3; ++b) {
      const auto expected = mean(2, b);
      std::vector<float> sum(expected.size());
      for (int step = 1; step < kSteps; ++step) {
        const auto& x =
            trained.averages[static_cast<std::size_t>(step)][static_cast<std::size_t>(b)][0];
        for (std::size_t i = 0; i < x.size(); ++i) sum[i] += x[i] / (kSteps - 1);
      }
      double off = 0, all = 0;
      for (std::size_t i = 0; i < sum.size(); ++i) {
        off += std::abs(sum[i] - expected[i]);
        all += std::abs(expected[i]);
      }
      CAPTURE(spec, b, off, all);
      CHECK(off < 0.2 * all);
    }
  }
}

TEST_CASE("PowerSGD's buckets cost the bytes of their factors") {
  const Trained trained = train("powersgd:rank=2", 2, 3, 2);
  // A ring of two ranks sends a vector's bytes from each rank.
  CHECK(trained.bytes[0] == 2 * 4 * kElements);
  CHECK(trained.bytes[1] == 2 * 4 * (2 * (kRows + kColumns) + 8));
  CHECK(trained.bytes[2] == trained.bytes[1]);
}
