// Collectives of blocks that differ in size, in memory that threads share: the parts of an
// allreduce by level.
#include "collectives/shm/step_collectives.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <thread>

#include "tests/support/catch.hpp"
#include "tests/support/zero_pages.hpp"

using namespace arlab;
using namespace arlab::collectives;

namespace {

void on_threads(Rank ranks, const std::function<void(StepCollectives&, Rank)>& body) {
  const ZeroPages memory(SharedSteps::bytes_for(ranks));
  const StepWaiting waiting{8, [](void*, unsigned) { std::this_thread::yield(); }};
  std::vector<std::jthread> threads;
  for (Rank me = 0; me < ranks; ++me)
    threads.emplace_back([&, me] {
      StepCollectives steps({memory.data, me, ranks, waiting}, {});
      body(steps, me);
    });
}

void add(const void*, std::byte* into, const std::byte* from, std::size_t elements) {
  std::transform(reinterpret_cast<const int*>(from), reinterpret_cast<const int*>(from) + elements,
                 reinterpret_cast<int*>(into), reinterpret_cast<int*>(into), std::plus<>());
}

const StepReduction kSum{sizeof(int), nullptr, add};

int value(Rank rank, std::size_t i) { return static_cast<int>(i * 7 % 1000) + 10000 * rank; }

std::vector<int> values(Rank rank, std::size_t size) {
  std::vector<int> all(size);
  for (std::size_t i = 0; i < size; ++i) all[i] = value(rank, i);
  return all;
}

std::byte* bytes_of(std::vector<int>& v) { return reinterpret_cast<std::byte*>(v.data()); }

// Elements of blocks by rank: of one owner, of some, of all, in one piece and in several.
std::vector<std::vector<int>> cases(Rank ranks) {
  const auto all = static_cast<std::size_t>(ranks);
  std::vector<std::vector<int>> blocks(4, std::vector<int>(all));
  blocks[0][0] = 5;
  blocks[1].back() = 30'000;
  std::iota(blocks[2].begin(), blocks[2].end(), 0);
  blocks[2][0] = 20'001;
  std::fill(blocks[3].begin(), blocks[3].end(), 9'999);
  return blocks;
}

}  // namespace

TEST_CASE("steps: a sum in blocks, into the owner's block of the input, then collected by all") {
  for (const Rank ranks : {1, 2, 3, 4})
    for (const std::vector<int>& blocks : cases(ranks))
      for (const bool in_place : {true, false}) {
        const auto size =
            static_cast<std::size_t>(std::accumulate(blocks.begin(), blocks.end(), 0));
        std::vector<std::vector<int>> results(static_cast<std::size_t>(ranks));
        std::vector<int> at_root;
        on_threads(ranks, [&](StepCollectives& steps, Rank me) {
          std::vector<int> input = values(me, size), result(size), collected(size);
          std::vector<int>& data = in_place ? input : result;
          const int begin = std::accumulate(blocks.begin(), blocks.begin() + me, 0);
          steps.reduce_scatter(bytes_of(input),
                               bytes_of(data) + static_cast<std::size_t>(begin) * sizeof(int),
                               blocks, kSum);
          steps.gather_blocks(ranks - 1,
                              bytes_of(data) + static_cast<std::size_t>(begin) * sizeof(int),
                              bytes_of(collected), blocks, sizeof(int));
          if (me == ranks - 1) at_root = collected;
          steps.allgather_blocks(bytes_of(data), blocks, sizeof(int));
          results[static_cast<std::size_t>(me)] = data;
        });
        std::vector<int> expected(size);
        for (std::size_t i = 0; i < size; ++i)
          for (Rank rank = 0; rank < ranks; ++rank) expected[i] += value(rank, i);
        INFO(ranks << " ranks, " << size << " elements, in place " << in_place);
        CHECK(std::all_of(results.begin(), results.end(),
                          [&](const auto& result) { return result == expected; }));
        CHECK(at_root == expected);
      }
}

TEST_CASE("steps: a sum in place at any root has the order of ranks, whatever the size") {
  // (1e8 - 1e8) + 1 is 1, but (1 + 1e8) - 1e8 is 0.
  const auto add_floats = [](const void*, std::byte* into, const std::byte* from,
                             std::size_t elements) {
    std::transform(reinterpret_cast<const float*>(from),
                   reinterpret_cast<const float*>(from) + elements, reinterpret_cast<float*>(into),
                   reinterpret_cast<float*>(into), std::plus<>());
  };
  const StepReduction sum{sizeof(float), nullptr, add_floats};
  constexpr float kValues[] = {1e8f, -1e8f, 1};
  for (const Rank root : {0, 1, 2})
    for (const std::size_t size : {1, 2'048, 2'049, 50'000})
      for (const bool in_place : {true, false}) {
        std::vector<float> at_root;
        on_threads(3, [&](StepCollectives& steps, Rank me) {
          std::vector<float> mine(size, kValues[me]), other(size);
          std::vector<float>& result = in_place ? mine : other;
          steps.reduce(root, reinterpret_cast<const std::byte*>(mine.data()),
                       reinterpret_cast<std::byte*>(result.data()), size, sum);
          if (me == root) at_root = result;
        });
        INFO("root " << root << ", " << size << " elements, in place " << in_place);
        CHECK(at_root == std::vector<float>(size, 1));
      }
}
