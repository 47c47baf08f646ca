#include "algorithms/chunks.hpp"

#include <set>
#include <vector>

#include "tests/support/catch.hpp"

using namespace arlab;

namespace {

// The chunks, by the definition.
std::vector<Rank> listed(const Chunks& c, Rank parts) {
  std::vector<Rank> all;
  for (Count i = 0; i < c.count; ++i) all.push_back(static_cast<Rank>((c.first + i * c.stride) % parts));
  return all;
}

// Every set of up to one turn.
std::vector<Chunks> sets_of(Rank parts) {
  std::vector<Chunks> all;
  for (Rank first = 0; first < parts; ++first)
    for (Rank stride = 1; stride < std::max(2, parts); ++stride)
      for (Rank count = 1; (count - 1) * stride < parts; ++count) all.push_back({first, count, stride});
  return all;
}

}  // namespace

TEST_CASE("runs, chunks and sizes are those of the listed chunks") {
  for (Rank parts = 1; parts <= 9; ++parts)
    for (const Chunks& c : sets_of(parts))
      for (const Count elements : {0, 1, 3, 9, 100}) {
        const Blocks blocks(elements, parts);
        std::vector<Rank> chunks, in_runs;
        for_each_chunk(c, parts, [&](Rank chunk) { chunks.push_back(chunk); });
        REQUIRE(chunks == listed(c, parts));
        Rank runs = 0;
        for_each_run(c, parts, [&](const ChunkRun& run) {
          ++runs;
          for (Rank i = 0; i < run.count; ++i) in_runs.push_back(run.first + i);
        });
        REQUIRE(in_runs == chunks);
        REQUIRE(runs == runs_of(c, parts));
        Count size = 0;
        for (const Rank chunk : chunks) size += blocks.size(Count{chunk});
        REQUIRE(blocks.size(c) == size);
      }
}

TEST_CASE("chunks overlap when one is in both") {
  for (Rank parts = 1; parts <= 8; ++parts)
    for (const Chunks& a : sets_of(parts))
      for (const Chunks& b : sets_of(parts)) {
        const std::vector<Rank> in_a = listed(a, parts), in_b = listed(b, parts);
        std::set<Rank> both(in_a.begin(), in_a.end());
        both.insert(in_b.begin(), in_b.end());
        REQUIRE(overlap(a, b, parts) == (both.size() < in_a.size() + in_b.size()));
      }
}

TEST_CASE("a set around the end of a long vector is not listed to be measured") {
  constexpr Rank kParts = 2'000'000'000;
  const Blocks blocks(3 * Count{kParts} + 5, kParts);
  CHECK(blocks.size(Chunks{kParts - 10, 1'000'000'000, 1}) == 3'000'000'005);
  CHECK(blocks.size(Chunks{1, 1'000'000'000, 2}) == 3'000'000'002);
  CHECK(overlap({0, 1'000'000'000, 2}, {1, 1'000'000'000, 2}, kParts) == false);
  CHECK(overlap({0, 1'000'000'000, 2}, {1, 666'666'666, 3}, kParts));
}
