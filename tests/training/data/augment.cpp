#include "training/data/augment.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"
#include "tests/support/samples.hpp"
#include "training/data/pipeline.hpp"
#include "training/data/synthetic.hpp"

using namespace arlab;
using namespace arlab::training;

namespace {

using Values = std::vector<float>;

// Sample i is the image with i * 100 added to every value.
Dataset images(const Shape& shape, const Values& image, Count samples = 40) {
  Dataset d;
  d.name = "images";
  d.shape = shape;
  d.samples = samples;
  d.sample = [image](Count index, std::span<float> values) {
    for (std::size_t v = 0; v < values.size(); ++v)
      values[v] = image[v] + 100 * static_cast<float>(index);
    return static_cast<int>(index % 10);
  };
  return d;
}

Values seen(const Dataset& d, Count epoch, Count index) {
  Values values = values_of(d, index);
  d.vary(epoch, index, values);
  return values;
}

// Returns the global batches of the given number of steps; each has rank 0's samples, then rank
// 1's...
std::vector<Values> batches(const Dataset& d, Rank workers, Position from, int steps) {
  std::vector<std::unique_ptr<Pipeline>> pipelines;
  for (Rank r = 0; r < workers; ++r) {
    pipelines.push_back(
        std::make_unique<Pipeline>(d, Sampling{.global_batch = 8, .workers = workers, .rank = r}));
    pipelines.back()->seek(from);
  }
  std::vector<Values> all;
  for (int s = 0; s < steps; ++s) {
    all.emplace_back();
    for (const auto& pipeline : pipelines) {
      const Batch batch = pipeline->next();
      all.back().insert(all.back().end(), batch.values.begin(), batch.values.end());
    }
  }
  return all;
}

}  // namespace

TEST_CASE("a small image is moved and mirrored in exactly the expected ways") {
  const Values image{1, 2, 3,  //
                     4, 5, 6};
  const Dataset d = augmented(images({1, 2, 3}, image), {.shift = 1, .mirror = true});
  std::set<Values> expected;
  for (const Values& moved : {
           image, Values{2, 3, 0, 5, 6, 0},  // one to the left
           Values{0, 1, 2, 0, 4, 5},         // right
           Values{4, 5, 6, 0, 0, 0},         // up
           Values{0, 0, 0, 1, 2, 3},         // down
           Values{5, 6, 0, 0, 0, 0},         // up and left
           Values{0, 4, 5, 0, 0, 0},         // up and right
           Values{0, 0, 0, 2, 3, 0},         // down and left
           Values{0, 0, 0, 0, 1, 2},         // down and right
       }) {
    expected.insert(moved);
    expected.insert({moved[2], moved[1], moved[0], moved[5], moved[4], moved[3]});
  }
  std::set<Values> found;
  for (Count epoch = 0; epoch < 400; ++epoch) found.insert(seen(d, epoch, 0));
  CHECK(expected.size() == 18);
  CHECK(found == expected);
}

TEST_CASE("all channels of an image are moved and mirrored together") {
  const Dataset d =
      augmented(images({2, 2, 2}, {1, 2, 3, 4, 11, 12, 13, 14}), {.shift = 1, .mirror = true});
  for (Count epoch = 0; epoch < 50; ++epoch) {
    const Values v = seen(d, epoch, 0);
    for (std::size_t i = 0; i < 4; ++i) CHECK(v[i + 4] == (v[i] == 0 ? 0 : v[i] + 10));
  }
}

TEST_CASE("all shifts are equally frequent, and half of the images are mirrored") {
  constexpr int kShift = 2, kAll = 25'000;
  const Shape shape{1, 5, 7};
  Values image(35);
  image[2 * 7 + 3] = 1;  // in the middle, so that it stays inside
  image[2 * 7 + 4] = 2;  // next to it: the side shows whether the image is mirrored
  const Dataset d = augmented(images(shape, image, 1), {.shift = kShift, .mirror = true});
  std::map<std::ptrdiff_t, int> places;
  int mirrored = 0;
  for (Count epoch = 0; epoch < kAll; ++epoch) {
    const Values v = seen(d, epoch, 0);
    const auto at = std::find(v.begin(), v.end(), 1.0F) - v.begin();
    const bool flipped = at % 7 > 0 && v[static_cast<std::size_t>(at - 1)] == 2;
    mirrored += flipped;
    ++places[flipped ? at / 7 * 7 + 6 - at % 7 : at];
  }
  CHECK(std::abs(mirrored - kAll / 2) < 400);  // 5 standard deviations
  REQUIRE(places.size() == 25);
  for (const auto& [place, times] : places) CHECK(std::abs(times - kAll / 25) < 155);
}

TEST_CASE("a sample's variation depends on seed, epoch and number") {
  const Dataset d = images({3, 8, 8}, Values(192, 1), 40);
  const Augmentation a{.shift = 4, .mirror = true, .seed = 3};
  Augmentation other = a;
  other.seed = 4;
  const Dataset one = augmented(d, a), again = augmented(d, a), reseeded = augmented(d, other);
  int by_epoch = 0, by_seed = 0;
  std::set<Values> shapes;
  for (Count i = 0; i < 40; ++i) {
    CHECK(seen(one, 5, i) == seen(again, 5, i));
    by_epoch += seen(one, 5, i) != seen(one, 6, i);
    by_seed += seen(one, 5, i) != seen(reseeded, 5, i);
    Values holes = seen(one, 5, i);
    for (float& v : holes) v = v == 0 ? 0 : 1;
    shapes.insert(holes);
  }
  CHECK(by_epoch > 30);
  CHECK(by_seed > 30);
  CHECK(shapes.size() > 20);
}

TEST_CASE("any number of workers sees the same images, also after a resume within an epoch") {
  const Dataset plain = cached(synthetic({.shape = {3, 8, 8}, .samples = 44}));
  const Dataset d = augmented(plain, usual_augmentation({3, 8, 8}, 1));
  const auto alone = batches(d, 1, {}, 12);  // 5 steps per epoch
  CHECK(batches(d, 2, {}, 12) == alone);
  CHECK(batches(d, 4, {}, 12) == alone);
  CHECK(batches(d, 2, {1, 2}, 5) == std::vector<Values>(alone.begin() + 7, alone.end()));
  CHECK(batches(plain, 1, {}, 12) != alone);
}

TEST_CASE("caches and maps see the original images, in any order of composition") {
  const Dataset d = images({1, 2, 3}, {1, 2, 3, 4, 5, 6});
  const Augmentation a{.shift = 1};
  const auto doubled = [](std::span<float> values) {
    for (float& v : values) v = 2 * v + 1;
  };
  const Dataset after = augmented(cached(mapped(d, doubled)), a);
  const Dataset before = cached(mapped(augmented(d, a), doubled));
  const Dataset last = part(augmented(d, a), 30, 10);
  for (Count epoch = 0; epoch < 9; ++epoch)
    for (const Count i : {0, 7, 9}) {
      CHECK(seen(after, epoch, i) == seen(before, epoch, i));
      CHECK(seen(last, epoch, i) == seen(augmented(d, a), epoch, 30 + i));
    }
  CHECK(values_of(after, 0) == Values{3, 5, 7, 9, 11, 13});
}

TEST_CASE("color images are moved further and mirrored, digits are not mirrored") {
  CHECK(usual_augmentation({3, 32, 32}, 1).shift == 4);
  CHECK(usual_augmentation({3, 32, 32}, 1).mirror);
  CHECK(usual_augmentation({1, 28, 28}, 9).shift == 2);
  CHECK_FALSE(usual_augmentation({1, 28, 28}, 9).mirror);
  CHECK(usual_augmentation({1, 28, 28}, 9).seed == 9);
}

TEST_CASE("rejects shifts as large as the image, a shift of 0 changes nothing") {
  const Dataset d = images({1, 2, 3}, {1, 2, 3, 4, 5, 6});
  CHECK(seen(augmented(d, {}), 3, 0) == Values{1, 2, 3, 4, 5, 6});
  CHECK(failure([&] { augmented(d, {.shift = 2}); }) ==
        "2: images has images of 2 x 3 pixels, which cannot be moved by 2: use a shift of 0 "
        "or more that is below both");
  CHECK(failure([&] { augmented(d, {.shift = -1}); }).find("moved by -1") != std::string::npos);
  CHECK(augmented(d, {.shift = 1, .mirror = true}).name == "images, moved by 1 and mirrored");
}

TEST_CASE("a batch holds the variation of its epoch, whatever the step") {
  const Dataset d = augmented(images({1, 6, 6}, Values(36, 1), 32), {.shift = 2, .seed = 9});
  Dataset plain = d;
  plain.vary = {};
  for (const int prefetch : {0, 2}) {
    Pipeline varied(d, {.global_batch = 8}, prefetch),
        unvaried(plain, {.global_batch = 8}, prefetch);
    for (const Position at : {Position{0, 3}, Position{2, 1}, Position{5, 0}}) {
      varied.seek(at);
      unvaried.seek(at);
      const Batch batch = varied.next();
      const Values before = unvaried.next().values;
      Values wanted;
      for (std::size_t i = 0; i < 8; ++i) {
        const auto index = static_cast<Count>((before[i * 36] - 1) / 100);
        const Values one = seen(d, at.epoch, index);
        wanted.insert(wanted.end(), one.begin(), one.end());
      }
      CHECK(batch.values == wanted);
    }
  }
}
