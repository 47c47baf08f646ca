#include "collectives/shm/step_collectives.hpp"

#include <algorithm>
#include <cstring>
#include <functional>
#include <numeric>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/chunks.hpp"
#include "collectives/copy/stream_copy.hpp"

namespace arlab::collectives {
namespace {

// Of a result: stays in the first cache while contributions are added.
constexpr std::size_t kResultBlockBytes = 8 << 10;

// Into memory that others have read: stores around the caches need not take it from them first.
void copy_to_others(std::byte* into, const std::byte* from, std::size_t bytes) {
  constexpr std::size_t kStreamedBytes = 2048;
  if (bytes >= kStreamedBytes)
    stream_copy(into, from, bytes);
  else
    std::memcpy(into, from, bytes);
}

std::size_t of_rank(Rank rank) { return static_cast<std::size_t>(rank); }

}  // namespace

// A vector in pieces of whole elements.
struct StepCollectives::Pieces {
  std::size_t element_bytes, elements, each;
  std::uint64_t first = 0;  // step
  std::size_t count() const { return (elements + each - 1) / each; }
  std::uint64_t step(std::size_t k) const { return first + k; }
  std::size_t at(std::size_t k) const { return k * each * element_bytes; }  // bytes
  std::size_t size(std::size_t k) const { return std::min(each, elements - k * each); }
  std::size_t bytes(std::size_t k) const { return size(k) * element_bytes; }
};

StepCollectives::StepCollectives(SharedSteps steps, StepSizes sizes)
    : steps_(std::move(steps)), sizes_(sizes), sources_(of_rank(steps_.ranks())) {
  expects(sizes.piece_bytes <= SharedSteps::kBufferBytes, "a piece is larger than its buffer");
}

std::size_t StepCollectives::elements_in_piece(std::size_t element_bytes,
                                               std::size_t most_bytes) const {
  return std::max<std::size_t>(std::min(sizes_.piece_bytes, most_bytes) / element_bytes, 1);
}

void StepCollectives::give(std::uint64_t step, const std::byte* data, std::size_t bytes) {
  copy_to_others(steps_.room(Side::given, step, bytes), data, bytes);
  steps_.post(Side::given, step);
  given_ += bytes;
}

// What all ranks have given, from `at` on; this rank's may be elsewhere.
void StepCollectives::await_all(std::uint64_t step, std::size_t bytes, std::size_t at,
                                const std::byte* own) {
  for (Rank rank = 0; rank < ranks(); ++rank)
    sources_[of_rank(rank)] = rank != me() ? steps_.await(rank, Side::given, step, bytes) + at
                              : own        ? own
                                           : steps_.own(Side::given, step, bytes) + at;
}

// Of all sources, of which this rank's may be the result.
void StepCollectives::combine_all(std::byte* into, std::size_t elements,
                                  const StepReduction& reduction) {
  alignas(64) std::byte own[kResultBlockBytes];
  const std::size_t mine = sources_[of_rank(me())] == into ? of_rank(me()) : 0;
  const std::size_t block = kResultBlockBytes / reduction.element_bytes;
  expects(block > 0, "an element is larger than a block");
  for (std::size_t done = 0; done < elements; done += block) {
    const std::size_t part = std::min(block, elements - done);
    const std::size_t at = done * reduction.element_bytes, bytes = part * reduction.element_bytes;
    if (mine > 0) std::memcpy(own, into + at, bytes);  // before the first one overwrites it
    if (sources_[0] != into) std::memcpy(into + at, sources_[0] + at, bytes);
    for (std::size_t i = 1; i < sources_.size(); ++i)
      reduction.combine(reduction.what, into + at, i == mine ? own : sources_[i] + at, part);
  }
}

void StepCollectives::allreduce(const std::byte* from, std::byte* into, std::size_t elements,
                                const StepReduction& reduction) {
  const std::size_t each = elements_in_piece(reduction.element_bytes, SharedSteps::kBufferBytes);
  Pieces pieces{reduction.element_bytes, elements, each};
  pieces.first = steps_.begin(pieces.count());
  if (ranks() <= 2 || elements * reduction.element_bytes <= sizes_.most_whole)
    allreduce_whole(from, into, pieces, reduction);
  else
    by_slices(from ? from : into, into, pieces, reduction);
}

void StepCollectives::allreduce_whole(const std::byte* from, std::byte* into, const Pieces& pieces,
                                      const StepReduction& reduction) {
  const std::byte* const mine = from ? from : into;
  const auto give_piece = [&](std::size_t k) {
    give(pieces.step(k), mine + pieces.at(k), pieces.bytes(k));
  };
  const std::size_t count = pieces.count();
  if (count > 0) give_piece(0);
  for (std::size_t k = 0; k < count; ++k) {
    if (k + 1 < count) give_piece(k + 1);
    std::byte* const result = into + pieces.at(k);
    if (!from && ranks() == 2) {
      const std::byte* const theirs =
          steps_.await(1 - me(), Side::given, pieces.step(k), pieces.bytes(k));
      reduction.combine(reduction.what, result, theirs, pieces.size(k));
    } else {
      // In place, rank 0 begins with its own; the others overwrite theirs, and read the copy.
      const std::byte* const own = from ? from + pieces.at(k) : me() == 0 ? result : nullptr;
      await_all(pieces.step(k), pieces.bytes(k), 0, own);
      combine_all(result, pieces.size(k), reduction);
    }
    steps_.done(pieces.step(k));
  }
}

void StepCollectives::combine_slice(std::uint64_t step, std::size_t elements,
                                    const StepReduction& reduction) {
  const Blocks slices(static_cast<Count>(elements), ranks());
  const auto size = static_cast<std::size_t>(slices.size(me()));
  if (size == 0) return;
  const std::size_t element = reduction.element_bytes;
  await_all(step, elements * element, static_cast<std::size_t>(slices.begin(me())) * element,
            nullptr);
  combine_all(steps_.room(Side::combined, step, size * element), size, reduction);
  steps_.post(Side::combined, step);
  given_ += size * element;
}

void StepCollectives::collect_slices(std::uint64_t step, std::byte* into, std::size_t elements,
                                     const StepReduction& reduction) {
  const Blocks slices(static_cast<Count>(elements), ranks());
  for (Rank turn = 0; turn < ranks(); ++turn) {
    const Rank rank = (me() + turn) % ranks();  // its own first: the others may need time
    const std::size_t bytes = static_cast<std::size_t>(slices.size(rank)) * reduction.element_bytes;
    if (bytes == 0) continue;
    const std::byte* const slice = rank == me() ? steps_.own(Side::combined, step, bytes)
                                                : steps_.await(rank, Side::combined, step, bytes);
    std::memcpy(into + static_cast<std::size_t>(slices.begin(rank)) * reduction.element_bytes,
                slice, bytes);
  }
}

// Null `into`: this rank does not get the result. Three pieces are in progress, so that a rank
// waits for what the others did one piece before: where ranks share a core, each runs once a piece.
void StepCollectives::by_slices(const std::byte* from, std::byte* into, const Pieces& pieces,
                                const StepReduction& reduction) {
  const std::size_t count = pieces.count();
  for (std::size_t k = 0; k < count + 2; ++k) {
    if (k < count) give(pieces.step(k), from + pieces.at(k), pieces.bytes(k));
    if (k >= 1 && k - 1 < count) combine_slice(pieces.step(k - 1), pieces.size(k - 1), reduction);
    if (k < 2) continue;
    if (into)
      collect_slices(pieces.step(k - 2), into + pieces.at(k - 2), pieces.size(k - 2), reduction);
    steps_.done(pieces.step(k - 2));
  }
}

void StepCollectives::reduce(Rank root, const std::byte* from, std::byte* into,
                             std::size_t elements, const StepReduction& reduction) {
  const std::size_t each = elements_in_piece(reduction.element_bytes, SharedSteps::kBufferBytes);
  Pieces pieces{reduction.element_bytes, elements, each};
  pieces.first = steps_.begin(pieces.count());
  if (ranks() <= 2 || elements * reduction.element_bytes <= sizes_.most_whole)
    reduce_whole(root, from, into, pieces, reduction);
  else
    by_slices(from, me() == root ? into : nullptr, pieces, reduction);
}

void StepCollectives::reduce_whole(Rank root, const std::byte* from, std::byte* into,
                                   const Pieces& pieces, const StepReduction& reduction) {
  for (std::size_t k = 0; k < pieces.count(); ++k) {
    const std::uint64_t step = pieces.step(k);
    if (me() != root) {
      give(step, from + pieces.at(k), pieces.bytes(k));
    } else {
      std::byte* const result = into + pieces.at(k);
      await_all(step, pieces.bytes(k), 0, from + pieces.at(k));
      combine_all(result, pieces.size(k), reduction);
    }
    steps_.done(step);
  }
}

void StepCollectives::broadcast(Rank root, std::byte* data, std::size_t bytes) {
  Pieces pieces{1, bytes, sizes_.piece_bytes};
  pieces.first = steps_.begin(pieces.count());
  for (std::size_t k = 0; k < pieces.count(); ++k) {
    const std::uint64_t step = pieces.step(k);
    if (me() == root)
      give(step, data + pieces.at(k), pieces.bytes(k));
    else
      std::memcpy(data + pieces.at(k), steps_.await(root, Side::given, step, pieces.bytes(k)),
                  pieces.bytes(k));
    steps_.done(step);
  }
}

// block_of(rank): where its block begins, and its bytes, at most `most`. Null `mine` means in
// place, null `all` that this rank does not collect.
template <class BlockOf>
void StepCollectives::gather(const std::byte* mine, std::byte* all, std::size_t most,
                             BlockOf block_of) {
  Pieces pieces{1, most, sizes_.piece_bytes};
  pieces.first = steps_.begin(pieces.count());
  const auto [own_begin, own_bytes] = block_of(me());
  std::byte* const own = all ? all + own_begin : nullptr;
  const std::byte* const from = mine ? mine : own;
  const auto size = [&](std::size_t bytes, std::size_t k) {
    return std::min(pieces.each, bytes - std::min(bytes, pieces.at(k)));
  };
  const auto give_piece = [&](std::size_t k) {
    give(pieces.step(k), from + pieces.at(k), size(own_bytes, k));
  };
  if (pieces.count() > 0) give_piece(0);
  for (std::size_t k = 0; k < pieces.count(); ++k) {
    if (k + 1 < pieces.count()) give_piece(k + 1);
    const std::size_t at = pieces.at(k);
    if (mine && all && size(own_bytes, k) > 0) std::memcpy(own + at, mine + at, size(own_bytes, k));
    for (Rank turn = 1; all && turn < ranks(); ++turn) {
      const Rank rank = (me() + turn) % ranks();
      const auto [begin, bytes] = block_of(rank);
      if (const std::size_t its = size(bytes, k); its > 0)
        std::memcpy(all + begin + at, steps_.await(rank, Side::given, pieces.step(k), its), its);
    }
    steps_.done(pieces.step(k));
  }
}

void StepCollectives::allgather(const std::byte* mine, std::byte* all, std::size_t bytes_each) {
  gather(mine, all, bytes_each,
         [&](Rank rank) { return std::pair(of_rank(rank) * bytes_each, bytes_each); });
}

void StepCollectives::allgather_blocks(std::byte* all, std::span<const int> elements,
                                       std::size_t element_bytes) {
  gather_unequal(nullptr, all, elements, element_bytes);
}

void StepCollectives::gather_blocks(Rank root, const std::byte* mine, std::byte* all,
                                    std::span<const int> elements, std::size_t element_bytes) {
  gather_unequal(mine, me() == root ? all : nullptr, elements, element_bytes);
}

void StepCollectives::gather_unequal(const std::byte* mine, std::byte* all,
                                     std::span<const int> elements, std::size_t element_bytes) {
  std::vector<std::size_t> ends(elements.size());  // in bytes
  std::transform_inclusive_scan(
      elements.begin(), elements.end(), ends.begin(), std::plus<>(),
      [&](int count) { return static_cast<std::size_t>(count) * element_bytes; });
  const auto block_of = [&](Rank rank) {
    const std::size_t begin = rank == 0 ? 0 : ends[of_rank(rank - 1)];
    return std::pair(begin, ends[of_rank(rank)] - begin);
  };
  const auto most = static_cast<std::size_t>(*std::max_element(elements.begin(), elements.end()));
  gather(mine, all, most * element_bytes, block_of);
}

// A step has a piece of each rank's block, at equal distances.
void StepCollectives::reduce_scatter(const std::byte* from, std::byte* into,
                                     std::span<const int> elements,
                                     const StepReduction& reduction) {
  const std::size_t element = reduction.element_bytes, all = of_rank(ranks());
  const auto most = static_cast<std::size_t>(*std::max_element(elements.begin(), elements.end()));
  const std::size_t each = std::min(std::max<std::size_t>(most, 1),
                                    elements_in_piece(element, SharedSteps::kBufferBytes / all));
  Pieces pieces{element, most, each};
  pieces.first = steps_.begin(pieces.count());
  std::vector<std::size_t> begins(all);
  std::exclusive_scan(elements.begin(), elements.end(), begins.begin(), std::size_t{0});
  const auto size = [&](std::size_t block, std::size_t k) {
    const auto its = static_cast<std::size_t>(elements[block]);
    return std::min(each, its - std::min(its, k * each));
  };
  const std::byte* const input = from ? from : into;
  // Results overwrite what this rank reads later.
  const bool overwrites =
      !from || (!std::less<>()(into, from) &&
                std::less<>()(into, from + (begins.back() + of_rank(elements.back())) * element));
  const std::size_t bytes = all * each * element, mine = of_rank(me());
  const auto give_pieces = [&](std::size_t k) {
    std::byte* const room = steps_.room(Side::given, pieces.step(k), bytes);
    for (std::size_t block = 0; block < all; ++block)
      if (size(block, k) > 0 && (block != mine || overwrites)) {
        copy_to_others(room + block * each * element,
                       input + begins[block] * element + pieces.at(k), size(block, k) * element);
        given_ += size(block, k) * element;
      }
    steps_.post(Side::given, pieces.step(k));
  };
  if (pieces.count() > 0) give_pieces(0);
  for (std::size_t k = 0; k < pieces.count(); ++k) {
    if (k + 1 < pieces.count()) give_pieces(k + 1);
    if (size(mine, k) > 0) {
      await_all(pieces.step(k), bytes, mine * each * element,
                overwrites ? nullptr : from + begins[mine] * element + pieces.at(k));
      combine_all(into + pieces.at(k), size(mine, k), reduction);
    }
    steps_.done(pieces.step(k));
  }
}

}  // namespace arlab::collectives
