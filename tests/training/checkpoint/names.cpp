#include "training/checkpoint/names.hpp"

#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::training;

TEST_CASE("names of checkpoints and shards hold the step") {
  CHECK(checkpoint_name(1000) == "step-000000001000.ckpt");
  CHECK(shard_name(7, 3, 16) == "step-000000000007-3-of-16.shard");
  for (const Count step : {Count{0}, Count{999'999'999'999}, Count{1'000'000'000'000}}) {
    CHECK(step_of_checkpoint(checkpoint_name(step)) == step);
    CHECK(step_of_shard(shard_name(step, 0, 1)) == step);
    CHECK_FALSE(step_of_checkpoint(shard_name(step, 0, 1)));
    CHECK_FALSE(step_of_shard(checkpoint_name(step)));
  }
}

TEST_CASE("other names are those of other files") {
  for (const char* name : {"", "step-.shard", "step-1.shard", "step-1-0.shard", "step-1-of-2.shard",
                           "step-1--of-2.shard", "step-1-x-of-2.shard", "step-1-0-of-.shard",
                           "step-1-0-of-2.shard.1", "step--0-of-2.shard", "step-x-0-of-2.shard",
                           "-of-", "shard", "step-9999999999999999999-0-of-2.shard"}) {
    INFO(name);
    CHECK_FALSE(step_of_shard(name));
  }
}
