#include "training/data/sampler.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "algorithms/base/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"

using namespace arlab;
using namespace arlab::training;

namespace {

using Indices = std::vector<Count>;

// Returns the samples of all workers in one step, in rank order.
Indices together(Sampling s, Position position) {
  Indices all;
  for (s.rank = 0; s.rank < s.workers; ++s.rank) {
    const Indices mine = Sampler(s).share(position).indices;
    all.insert(all.end(), mine.begin(), mine.end());
  }
  return all;
}

Count steps(const Sampling& s) { return Sampler(s).steps(); }

}  // namespace

TEST_CASE("n workers take the samples of one worker, in the same order") {
  for (const Count samples : {100, 101, 127})
    for (const Count batch : {8, 13})
      for (const bool drop : {true, false}) {
        const Sampling one{.samples = samples, .global_batch = batch, .drop_remainder = drop};
        for (Rank workers = 2; workers <= 8; ++workers) {
          Sampling many = one;
          many.workers = workers;
          REQUIRE(steps(many) == steps(one));
          for (Count epoch = 0; epoch < 2; ++epoch)
            for (Count step = 0; step < steps(one); ++step)
              REQUIRE(together(many, {epoch, step}) == together(one, {epoch, step}));
        }
      }
}

TEST_CASE("workers' shares of a batch differ by at most one sample") {
  Sampling s{.samples = 40, .global_batch = 10, .workers = 4};
  Indices sizes;
  for (s.rank = 0; s.rank < 4; ++s.rank) {
    const Share share = Sampler(s).share({0, 1});
    CHECK(share.global == 10);
    sizes.push_back(static_cast<Count>(share.indices.size()));
  }
  CHECK(sizes == Indices{3, 3, 2, 2});
}

TEST_CASE("an epoch takes every sample once, and a dropped remainder varies") {
  Sampler all({.samples = 50, .global_batch = 8, .drop_remainder = false});
  Sampler whole({.samples = 50, .global_batch = 8});
  CHECK(all.steps() == 7);
  CHECK(whole.steps() == 6);
  std::set<Count> left_out;
  for (Count epoch = 0; epoch < 20; ++epoch) {
    std::set<Count> seen;
    for (Count step = 0; step < 7; ++step)
      for (const Count i : all.share({epoch, step}).indices) seen.insert(i);
    CHECK(seen.size() == 50);
    CHECK((*seen.begin() == 0 && *seen.rbegin() == 49));
    CHECK(all.share({epoch, 6}).global == 2);
    for (const Count i : all.share({epoch, 6}).indices) left_out.insert(i);
  }
  CHECK(left_out.size() > 15);
}

TEST_CASE("each epoch has its own order, and the seed determines all orders") {
  Sampler a({.samples = 1000, .seed = 5}), b({.samples = 1000, .seed = 5}),
      c({.samples = 1000, .seed = 6});
  CHECK(a.share({0, 0}).indices == b.share({0, 0}).indices);
  CHECK(a.share({0, 0}).indices != a.share({1, 0}).indices);
  CHECK(a.share({0, 0}).indices != c.share({0, 0}).indices);
  const Indices late = a.share({7, 3}).indices;
  CHECK(Sampler({.samples = 1000, .seed = 5}).share({7, 3}).indices ==
        late);  // without the steps before
}

TEST_CASE("a shuffle favors no sample") {
  std::map<Count, int> first;
  for (std::uint64_t seed = 0; seed < 6000; ++seed)
    ++first[Sampler({.samples = 6, .global_batch = 1, .seed = seed}).share({0, 0}).indices[0]];
  for (const auto& [sample, times] : first) CHECK(std::abs(times - 1000) < 140);  // 4.8 sigma
}

TEST_CASE("without a shuffle, samples come in order") {
  Sampling s{
      .samples = 10, .global_batch = 4, .workers = 2, .shuffle = false, .drop_remainder = false};
  CHECK(together(s, {0, 0}) == Indices{0, 1, 2, 3});
  CHECK(together(s, {3, 2}) == Indices{8, 9});
  s.samples = 9;
  CHECK(together(s, {0, 2}) == Indices{8});  // one worker's share is empty
  s.rank = 1;
  CHECK(Sampler(s).share({0, 2}).indices.empty());
  CHECK(Sampler(s).share({0, 2}).global == 1);
}

TEST_CASE("sharding by file gives each worker only its files") {
  Sampling s{.samples = 60,
             .files = {10, 20, 30},
             .global_batch = 10,
             .workers = 2,
             .sharding = Sharding::file};
  std::set<Count> first, second;
  CHECK(steps(s) == 4);  // worker 1 has 20 samples and takes 5 per step
  for (Count step = 0; step < 4; ++step) {
    for (const Count i : Sampler(s).share({0, step}).indices) first.insert(i);
    Sampling other = s;
    other.rank = 1;
    for (const Count i : Sampler(other).share({0, step}).indices) second.insert(i);
  }
  CHECK(second.size() == 20);
  CHECK((*second.begin() == 10 && *second.rbegin() == 29));  // file 1
  for (const Count i : first) CHECK((i < 10 || i >= 30));    // files 0 and 2
  CHECK(first.size() == 20);

  s.drop_remainder = false;  // until worker 0 has taken its 40; worker 1 runs out earlier
  CHECK(steps(s) == 8);
  CHECK(Sampler(s).share({0, 5}).global == 5);
  s.rank = 1;
  CHECK(Sampler(s).share({0, 5}).indices.empty());
}

TEST_CASE("files of any sizes: each worker takes whole batches of its own files, once per epoch") {
  for (const std::vector<Count>& files :
       {std::vector<Count>{7, 1, 12, 30, 5}, {40, 3, 3}, {2, 50, 9, 9, 9, 9, 11}})
    for (const bool drop : {true, false}) {
      Sampling s{.files = files,
                 .global_batch = 7,
                 .workers = 3,
                 .sharding = Sharding::file,
                 .drop_remainder = drop};
      std::vector<std::set<Count>> own(3);  // the samples of files r, r + 3, ...
      for (std::size_t f = 0; f < files.size(); ++f)
        for (Count i = 0; i < files[f]; ++i) own[f % 3].insert(s.samples++);
      const Count batch[] = {3, 2, 2};  // 7 samples among 3 workers
      Count wanted = drop ? 1000 : 0;
      for (std::size_t r = 0; r < 3; ++r) {
        const auto pool = static_cast<Count>(own[r].size());
        wanted = drop ? std::min(wanted, pool / batch[r])
                      : std::max(wanted, (pool + batch[r] - 1) / batch[r]);
      }
      INFO(files.size() << " files, drop " << drop);
      if (wanted == 0) {
        CHECK_THROWS_AS(Sampler(s), Error);
        continue;
      }
      CHECK(steps(s) == wanted);
      std::vector<std::set<Count>> seen(3);
      for (Count step = 0; step < wanted; ++step) {
        Count together = 0;
        for (s.rank = 0; s.rank < 3; ++s.rank) {
          const auto r = static_cast<std::size_t>(s.rank);
          const Share share = Sampler(s).share({4, step});
          const auto left = static_cast<Count>(own[r].size() - seen[r].size());
          CHECK(static_cast<Count>(share.indices.size()) == std::min(batch[r], left));
          for (const Count i : share.indices) {
            CHECK(own[r].count(i) == 1);
            CHECK(seen[r].insert(i).second);
          }
          together += static_cast<Count>(share.indices.size());
        }
        for (s.rank = 0; s.rank < 3; ++s.rank)
          CHECK(Sampler(s).share({4, step}).global == together);
        s.rank = 0;
      }
      if (!drop) CHECK(seen == own);
    }
}

TEST_CASE("an order without shards by data depends on the rank, and every epoch differs") {
  for (const Sharding sharding : {Sharding::off, Sharding::file}) {
    Sampling s{.samples = 80,
               .files = {40, 40},
               .global_batch = 80,
               .workers = 2,
               .sharding = sharding,
               .drop_remainder = false};
    const Indices first = Sampler(s).share({0, 0}).indices;
    CHECK(first != Sampler(s).share({1, 0}).indices);
    s.rank = 1;
    Indices second = Sampler(s).share({0, 0}).indices;
    if (sharding == Sharding::file)
      for (Count& i : second) i -= 40;
    CHECK(first != second);
  }
}

TEST_CASE("without sharding, each worker takes all samples in its own order") {
  Sampling s{.samples = 20, .global_batch = 8, .workers = 2, .sharding = Sharding::off};
  CHECK(steps(s) == 5);
  const Sampler any(s);
  std::vector<std::set<Count>> seen(2);
  std::vector<Indices> order(2);
  for (s.rank = 0; s.rank < 2; ++s.rank)
    for (Count step = 0; step < 5; ++step)
      for (const Count i : Sampler(s).share({0, step}).indices) {
        seen[static_cast<std::size_t>(s.rank)].insert(i);
        order[static_cast<std::size_t>(s.rank)].push_back(i);
      }
  CHECK(seen[0].size() == 20);
  CHECK(seen[1].size() == 20);
  CHECK(order[0] != order[1]);
}

TEST_CASE("positions continue from epoch to epoch") {
  const Sampler s({.samples = 10, .global_batch = 4});
  CHECK(s.after({0, 0}) == Position{0, 1});
  CHECK(s.after({0, 1}) == Position{1, 0});
}

TEST_CASE("the text of a sampling differs exactly if the order of samples differs") {
  const Sampling s{.samples = 60, .files = {20, 40}};
  CHECK(to_string(s) ==
        "60 samples, global batch 32, seed 1, shuffled, whole batches only, sharding data");
  Sampling other = s;
  other.workers = 4;
  other.rank = 2;
  CHECK(to_string(other) == to_string(s));
  other.sharding = Sharding::file;
  CHECK(to_string(other).ends_with("sharding file over 4 workers, files of 20 40"));
}

TEST_CASE("rejects samplings without any step") {
  const auto said = [](Sampling s) { return failure([&] { Sampler{s}; }); };
  CHECK(said({.samples = 0}) == "2: there are 0 samples to train on: use a larger data set");
  CHECK(said({.samples = 9, .workers = 0}).find("0 workers") != std::string::npos);
  CHECK(said({.samples = 9, .workers = 2, .rank = 2}) == "2: rank 2 is not one of 2 workers");
  CHECK(
      said({.samples = 31}) ==
      "2: 31 samples are fewer than a batch of 32 for each worker's share: use a smaller batch, or "
      "keep the remainder");
  CHECK(
      said({.samples = 9, .global_batch = 3, .workers = 4}) ==
      "2: a global batch of 3 leaves some of the 4 workers without samples: use a larger batch or "
      "fewer workers");
  CHECK(said({.samples = 60, .files = {30, 30}, .workers = 3, .sharding = Sharding::file}) ==
        "2: there are 2 files for 3 workers: use sharding data, or fewer workers");
  CHECK(said({.samples = 60, .sharding = Sharding::file}) ==
        "2: sharding by file needs data from files: use sharding data");
  CHECK(failure([] { find_sharding("fiel"); }) ==
        "2: unknown sharding 'fiel': use data, file or off");
  for (const Sharding s : {Sharding::data, Sharding::file, Sharding::off})
    CHECK(find_sharding(name(s)) == s);
}
