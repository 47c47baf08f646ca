#include "bench/tune/open_mpi.hpp"

#include <fmt/format.h>

#include <bit>
#include <cstdint>

namespace arlab::bench {
namespace {

std::string never(const LibraryProblem&) { return ""; }

std::string too_few(const LibraryProblem& p) {
  return p.elements < p.ranks
             ? fmt::format("{} elements are fewer than {} ranks", p.elements, p.ranks)
             : "";
}

std::string too_few_halves(const LibraryProblem& p) {
  const auto whole = std::bit_floor(static_cast<std::uint32_t>(p.ranks));
  return p.elements < Count{whole}
             ? fmt::format("{} elements are fewer than {} ranks", p.elements, whole)
             : "";
}

// All send to rank 0, which sends the result to all.
PairTraffic linear(const LibraryProblem& p) {
  PairTraffic traffic(p.ranks);
  for (Rank r = 1; r < p.ranks; ++r) {
    traffic.add(r, 0, p.elements * p.element_bytes);
    traffic.add(0, r, p.elements * p.element_bytes);
  }
  return traffic;
}

// The ranks beyond a power of two lie among the first ones, in pairs: one of each pair rests. Calls
// step(rank, partner, mask) for the ranks that exchange, with the mask that separates them.
template <class Step>
void for_each_exchange(Rank ranks, bool odd_stays, Step step) {
  const auto whole = static_cast<Rank>(std::bit_floor(static_cast<std::uint32_t>(ranks)));
  const Rank extra = ranks - whole;
  const auto real = [&](Rank virtual_rank) {
    return virtual_rank < extra ? 2 * virtual_rank + (odd_stays ? 1 : 0) : virtual_rank + extra;
  };
  for (Rank v = 0; v < whole; ++v)
    for (Rank mask = 1; mask < whole; mask *= 2) step(real(v), real(v ^ mask), mask);
}

PairTraffic recursive_doubling(const LibraryProblem& p) {
  PairTraffic traffic(p.ranks);
  const Count bytes = p.elements * p.element_bytes;
  const Rank extra =
      p.ranks - static_cast<Rank>(std::bit_floor(static_cast<std::uint32_t>(p.ranks)));
  for (Rank pair = 0; pair < extra; ++pair) {
    traffic.add(2 * pair, 2 * pair + 1, bytes);
    traffic.add(2 * pair + 1, 2 * pair, bytes);
  }
  for_each_exchange(p.ranks, true, [&](Rank from, Rank to, Rank) { traffic.add(from, to, bytes); });
  return traffic;
}

// In both halves each rank sends all blocks but one to its right neighbor.
PairTraffic ring(const LibraryProblem& p) {
  PairTraffic traffic(p.ranks);
  const Blocks blocks(p.elements, p.ranks);
  for (Rank r = 0; r < p.ranks; ++r)
    for (Rank k = 0; k < p.ranks - 1; ++k) {
      const Rank reduced = (r - k + p.ranks) % p.ranks, shared = (r + 1 - k + p.ranks) % p.ranks;
      traffic.add(r, (r + 1) % p.ranks, blocks.size(Count{reduced}) * p.element_bytes);
      traffic.add(r, (r + 1) % p.ranks, blocks.size(Count{shared}) * p.element_bytes);
    }
  return traffic;
}

// Each block of the reducing half travels in as many phases as it has segments.
PairTraffic segmented_ring(const LibraryProblem& p) {
  Count segment = p.elements;  // elements
  if (p.segment_bytes >= p.element_bytes && p.segment_bytes < p.elements * p.element_bytes) {
    segment = p.segment_bytes / p.element_bytes;
    if (p.segment_bytes % p.element_bytes > p.element_bytes / 2) ++segment;
  }
  const Count turn = p.ranks * segment;
  if (p.elements < turn || segment == 0) return ring(p);
  Count phases = p.elements / turn;
  if (const Count rest = p.elements % turn; rest >= p.ranks && rest > turn / 2) ++phases;
  PairTraffic traffic(p.ranks);
  const Blocks blocks(p.elements, p.ranks);
  for (Rank r = 0; r < p.ranks; ++r)
    for (Rank k = 0; k < p.ranks - 1; ++k) {
      const Rank reduced = (r - k + p.ranks) % p.ranks, shared = (r + 1 - k + p.ranks) % p.ranks;
      const Rank right = (r + 1) % p.ranks;
      traffic.add(r, right, blocks.size(Count{reduced}) * p.element_bytes, phases);
      traffic.add(r, right, blocks.size(Count{shared}) * p.element_bytes);
    }
  return traffic;
}

// Recursive halving with doubling distances, and back.
PairTraffic rabenseifner(const LibraryProblem& p) {
  PairTraffic traffic(p.ranks);
  const auto whole = static_cast<Rank>(std::bit_floor(static_cast<std::uint32_t>(p.ranks)));
  const Count left = p.elements / 2, right = p.elements - left;
  for (Rank pair = 0; pair < p.ranks - whole; ++pair) {
    const Rank even = 2 * pair, odd = even + 1;
    traffic.add(even, odd, right * p.element_bytes);
    traffic.add(odd, even, left * p.element_bytes);
    traffic.add(odd, even, right * p.element_bytes);
    traffic.add(even, odd, p.elements * p.element_bytes);  // the result, at the end
  }
  Rank rank = -1;
  Count window = 0;
  for_each_exchange(p.ranks, false, [&](Rank from, Rank to, Rank) {
    if (from != rank) rank = from, window = p.elements;
    const Count lower = window / 2, upper = window - lower;
    const Count kept = from < to ? lower : upper;
    traffic.add(from, to, (window - kept) * p.element_bytes);
    traffic.add(from, to, kept * p.element_bytes);  // on the way back
    window = kept;
  });
  return traffic;
}

}  // namespace

const std::vector<LibraryModel>& open_mpi_models() {
  static const std::vector<LibraryModel> kAll{
      {"basic_linear", linear, never},
      {"recursive_doubling", recursive_doubling, never},
      {"ring", ring, too_few},
      {"segmented_ring", segmented_ring, too_few},
      {"rabenseifner", rabenseifner, too_few_halves},
  };
  return kAll;
}

}  // namespace arlab::bench
