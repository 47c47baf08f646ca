// Gathers of byte strings: every text arrives unchanged, also empty texts and zero bytes.
#include "collectives/host/gatherv.hpp"

#include <atomic>

#include "collectives/threads/threads.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::collectives;

namespace {

// Rank 1 has an empty text; the others have different lengths and a zero byte.
std::string text_of(Rank rank) {
  if (rank == 1) return "";
  return std::string(static_cast<std::size_t>(rank) + 3, static_cast<char>('a' + rank)) + '\0';
}

}  // namespace

TEST_CASE("gather() collects all texts on rank 0, and scatter() returns them") {
  for (const Rank ranks : {1, 2, 3, 5}) {
    std::atomic<int> wrong = 0;
    on_threads(ranks, [&](Communicator& c) {
      const std::vector<std::string> all = gather(c, text_of(c.rank()));
      if (all.size() != (c.rank() == 0 ? static_cast<std::size_t>(ranks) : 0)) ++wrong;
      for (std::size_t r = 0; r < all.size(); ++r)
        if (all[r] != text_of(static_cast<Rank>(r))) ++wrong;
      if (scatter(c, all) != text_of(c.rank())) ++wrong;
    });
    CHECK(wrong == 0);
  }
}

TEST_CASE("share_all() gives every rank all texts") {
  for (const Rank ranks : {1, 2, 5}) {
    std::atomic<int> good = 0;
    on_threads(ranks, [&](Communicator& communicator) {
      std::vector<std::string> expected;
      for (Rank r = 0; r < ranks; ++r)
        expected.push_back(
            std::string(static_cast<std::size_t>(1000 * r * r), static_cast<char>('a' + r)));
      const Rank me = communicator.rank();
      if (share_all(communicator, expected[static_cast<std::size_t>(me)]) == expected) ++good;
    });
    CHECK(good == ranks);
  }
}

TEST_CASE("gather_parts() gathers parts of different sizes on every rank") {
  const Algorithm& ring = find_algorithm("ring");
  for (const Rank ranks : {1, 2, 3, 5}) {
    std::atomic<int> wrong = 0;
    on_threads(ranks, [&](Communicator& c) {
      const std::string mine = text_of(c.rank());
      const std::vector<Count> begins =
          offsets(gather_counts(c, ring, static_cast<Count>(mine.size())));
      std::string all(static_cast<std::size_t>(begins.back()), '\0'), expected;
      mine.copy(all.data() + begins[static_cast<std::size_t>(c.rank())], mine.size());
      gather_parts(c, ring, begins, std::as_writable_bytes(std::span(all)));
      for (Rank r = 0; r < ranks; ++r) expected += text_of(r);
      if (all != expected) ++wrong;
    });
    CHECK(wrong == 0);
  }
}
