// What Open MPI's algorithms send, against counts of the catalog and hand-written ones.
#include "bench/tune/match.hpp"

#include "bench/tune/identify.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

PairTraffic traffic_of_model(std::string_view name, const LibraryProblem& problem) {
  for (const LibraryModel& model : open_mpi_models())
    if (model.name == name) return model.traffic(problem);
  FAIL("no model " << name);
  return PairTraffic(1);
}

PairTraffic traffic_of_ours(const char* name, const LibraryProblem& p) {
  return traffic_of(find_algorithm(name), {.ranks = p.ranks, .elements = p.elements},
                    p.element_bytes);
}

std::string all_of(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : " ") + name;
  return text;
}

std::string matched(std::string_view model, const LibraryProblem& p) {
  return all_of(match({p, traffic_of_model(model, p)}).library);
}

}  // namespace

TEST_CASE("models of Open MPI send what the same algorithms of the catalog do") {
  for (const Rank ranks : {2, 4, 8, 16}) {
    const LibraryProblem p{.ranks = ranks, .elements = 1024};
    CHECK(traffic_of_model("basic_linear", p) == traffic_of_ours("master_worker", p));
    CHECK(traffic_of_model("recursive_doubling", p) == traffic_of_ours("butterfly", p));
    CHECK(traffic_of_model("ring", p) == traffic_of_ours("ring", p));
    CHECK(traffic_of_model("rabenseifner", p).sum() == traffic_of_ours("rabenseifner", p).sum());
  }
  for (const Rank ranks : {3, 5, 7}) {
    const LibraryProblem p{.ranks = ranks, .elements = Count{100} * ranks};
    CHECK(traffic_of_model("basic_linear", p) == traffic_of_ours("master_worker", p));
    CHECK(traffic_of_model("ring", p) == traffic_of_ours("ring", p));
  }
}

TEST_CASE("models of Open MPI on 4 ranks, counted by hand") {
  const LibraryProblem p{.ranks = 4, .elements = 1024, .element_bytes = 4};
  CHECK(traffic_of_model("basic_linear", p).sum() == PairTraffic::Sent{6, 6 * 4096});
  CHECK(traffic_of_model("recursive_doubling", p).sum() == PairTraffic::Sent{8, 8 * 4096});
  CHECK(traffic_of_model("ring", p).sum() == PairTraffic::Sent{24, 24 * 1024});
  CHECK(traffic_of_model("rabenseifner", p).sum() == PairTraffic::Sent{16, 8 * 2048 + 8 * 1024});
  CHECK(traffic_of_model("rabenseifner", p).of(0, 1) == PairTraffic::Sent{2, 2 * 2048});
  CHECK(traffic_of_model("rabenseifner", p).of(0, 2) == PairTraffic::Sent{2, 2 * 1024});
  // 16 KiB in segments of 512 bytes: 8 phases of 3 messages, and 3 to distribute, per rank.
  const LibraryProblem segmented{.ranks = 4, .elements = 4096, .segment_bytes = 512};
  CHECK(traffic_of_model("segmented_ring", segmented).sum().messages == 4 * 27);
  // 1100 elements in turns of 4 x 100: the rest of 300 is more than half a turn, a third phase.
  const LibraryProblem uneven{.ranks = 4, .elements = 1100, .segment_bytes = 400};
  CHECK(traffic_of_model("segmented_ring", uneven).sum().messages == 4 * 12);
}

TEST_CASE("ranks beyond a power of two, counted by hand") {
  const LibraryProblem p{.ranks = 3, .elements = 10, .element_bytes = 4};
  // Ranks 0 and 1 are a pair; 1 and 2 exchange.
  const PairTraffic doubling = traffic_of_model("recursive_doubling", p);
  CHECK(doubling.of(0, 1) == PairTraffic::Sent{1, 40});
  CHECK(doubling.of(1, 0) == PairTraffic::Sent{1, 40});
  CHECK(doubling.of(1, 2) == PairTraffic::Sent{1, 40});
  CHECK(doubling.of(2, 1) == PairTraffic::Sent{1, 40});
  CHECK(doubling.sum().messages == 4);
  // 0 and 1 exchange halves, 1 gives its half to 0; 0 and 2 exchange halves twice; 0 gives all to
  // 1.
  const PairTraffic halving = traffic_of_model("rabenseifner", p);
  CHECK(halving.of(0, 1) == PairTraffic::Sent{2, 20 + 40});
  CHECK(halving.of(1, 0) == PairTraffic::Sent{2, 20 + 20});
  CHECK(halving.of(0, 2) == PairTraffic::Sent{2, 20 + 20});
  CHECK(halving.of(2, 0) == PairTraffic::Sent{2, 20 + 20});
}

TEST_CASE("four algorithms are told apart on 4 and 8 ranks") {
  for (const Rank ranks : {4, 8})
    for (const Count elements : {Count{1024}, Count{1000}, Count{1003}}) {
      const LibraryProblem p{.ranks = ranks, .elements = elements};
      for (const std::string_view name : {"basic_linear", "recursive_doubling", "rabenseifner"}) {
        CHECK(matched(name, p) == name);
      }
      CHECK(matched("ring", p) == "ring segmented_ring");  // without segments
    }
}

TEST_CASE("on two ranks some algorithms send the same, and all are named") {
  CHECK(matched("ring", {.ranks = 2, .elements = 100}) == "ring segmented_ring rabenseifner");
  CHECK(matched("basic_linear", {.ranks = 2, .elements = 100}) ==
        "basic_linear recursive_doubling");
}

TEST_CASE("the segment of a segmented ring is found") {
  const LibraryProblem cut{.ranks = 4, .elements = 65536, .segment_bytes = 4096};
  CountedTraffic counted{{.ranks = 4, .elements = 65536}, traffic_of_model("segmented_ring", cut)};
  CHECK(all_of(match(counted).library) == "segmented_ring:segment=4096");
  CHECK(why_not("segmented_ring:segment=4K", counted, match(counted)).empty());
}

TEST_CASE("reduce and broadcast make nonoverlapping") {
  const LibraryProblem p{.ranks = 4, .elements = 1024};
  CountedTraffic counted{p, traffic_of_ours("tree", p), traffic_of_ours("tree", p)};
  CHECK(all_of(match(counted).library) == "nonoverlapping");
}

TEST_CASE("a fallback below as many elements as ranks is named") {
  const LibraryProblem p{.ranks = 4, .elements = 3};
  const CountedTraffic doubling{p, traffic_of_model("recursive_doubling", p)};
  const Match found = match(doubling);
  CHECK(all_of(found.library) == "recursive_doubling");
  CHECK(why_not("ring", doubling, found) == "fell back: 3 elements are fewer than 4 ranks");
  CHECK(why_not("rabenseifner", doubling, found) == "fell back: 3 elements are fewer than 4 ranks");
  CHECK(why_not("recursive_doubling", doubling, found).empty());
  CHECK(why_not("", doubling, found).empty());
  CHECK(why_not("basic_linear", doubling, found) ==
        "not basic_linear: another component decides, or the choice was not taken");
}

TEST_CASE("an unknown pattern is unknown, or like one of the catalog") {
  const LibraryProblem p{.ranks = 4, .elements = 1000};
  PairTraffic odd(4);
  odd.add(0, 3, 5);
  CHECK(ran(identified("", {}, {p, odd}, true)) == "unknown");
  CHECK(ran(identified("", {}, {p, traffic_of_ours("tree", p)}, false)).starts_with("like "));
}
