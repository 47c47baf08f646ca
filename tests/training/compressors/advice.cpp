// Advice: the rule c P < 8n in numbers and words, for choices that pay and that do not.
#include "training/compressors/advice.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"

using namespace arlab;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

Advice advise(const char* spec, Count n, Rank ranks) {
  return choose_aggregation(choose_compressor(spec), {flat(n)}, ranks);
}

}  // namespace

TEST_CASE("an all-gather pays only if c P < 8n") {
  CHECK(advise("topk:ratio=0.01", 10000, 8).fewer);
  CHECK(advise("topk:ratio=0.01", 10000, 99).fewer);
  CHECK_FALSE(advise("topk:ratio=0.01", 10000, 100).fewer);
  CHECK(advise("ef_signsgd", 1 << 20, 63).fewer);
  CHECK_FALSE(advise("ef_signsgd", 1 << 20, 64).fewer);
  CHECK_THAT(advise("topk:ratio=0.01", 10000, 100).words,
             contains("topk by all_gather: each rank receives 79200 bytes instead of 79200 "
                      "of a dense ring: 1 times as many, so do not compress, or combine codes by "
                      "doubling or balanced (c P = 80000 is not below 8n = 80000)"));
  for (const char* dense : {"ef_signsgd", "topk:ratio=0.02,halves=1"})
    CHECK_THAT(advise(dense, 1 << 20, 99).words,
               contains(" times as many, so do not compress (c P = "));
  CHECK_THAT(
      advise("topk:ratio=0.01", 10000, 4).words,
      contains("each rank receives 2400 bytes instead of 60000 of a dense ring: 25 times fewer"));
}

TEST_CASE("choose_aggregation() takes the aggregation with the fewest bytes") {
  CHECK(advise("signsgd", 1 << 20, 8).aggregation == Aggregation::all_gather);
  CHECK(advise("signsgd", 1 << 20, 64).aggregation == Aggregation::allreduce);
  CHECK(advise("terngrad", 1 << 20, 8).aggregation == Aggregation::all_gather);
  CHECK(advise("terngrad", 1 << 20, 32).aggregation == Aggregation::allreduce);
  CHECK(advise("qsgd", 1 << 20, 2).aggregation == Aggregation::requantize);
  CHECK(advise("qsgd", 1 << 20, 16).aggregation == Aggregation::requantize);
  // One code in each direction, and fewer header bytes because one bucket holds the whole vector.
  CHECK(advise("int8:bucket=1000000", 1000, 2).aggregation == Aggregation::all_gather);
  CHECK(advise("fp16", 100, 1000).fewer);
}

TEST_CASE("advice uses the size after the warm-up, and mentions unknown sizes and single ranks") {
  CHECK(advise("onebit_adam", 1 << 20, 8).fewer);
  CHECK_THAT(advise("threshold", 1000, 10).words, contains("fewer than 800 bytes"));
  CHECK_FALSE(advise("dgc", 1000, 10).received);
  CHECK_THAT(advise("fp16", 1000, 1).words, contains("one rank receives nothing"));
}
