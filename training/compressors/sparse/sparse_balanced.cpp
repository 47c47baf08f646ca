#include "training/compressors/sparse/sparse_balanced.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "collectives/host/execute.hpp"
#include "collectives/host/gatherv.hpp"
#include "training/compressors/kernels/kernels.hpp"

namespace arlab::training {
namespace {

std::uint32_t bin_of(const Entry& e) {
  return (std::bit_cast<std::uint32_t>(e.value) & kMagnitude) >> kBinShift;
}

template <class T>
std::span<std::byte> bytes_of(std::span<T> values) {
  return std::as_writable_bytes(values);
}

/// Sums numbers over the ranks in place.
template <class T>
void sum_over_ranks(collectives::Communicator& communicator, const Algorithm& allreduce,
                    std::vector<T>& numbers, collectives::DType dtype) {
  const Problem problem{.ranks = communicator.ranks(),
                        .elements = static_cast<Count>(numbers.size())};
  collectives::execute(communicator, allreduce, problem, bytes_of(std::span(numbers)),
                       {dtype, collectives::Op::sum});
}

/// All-to-all of parts of any sizes: part r of `out` goes to rank r. Returns what arrives, by rank.
std::vector<SparseVector> swap_parts(collectives::Communicator& communicator,
                                     std::span<const std::span<Entry>> out) {
  const Rank ranks = communicator.ranks(), me = communicator.rank();
  std::vector<Count> sizes_out, sizes_in(out.size());
  for (const auto& part : out) sizes_out.push_back(static_cast<Count>(part.size()));
  std::vector<SparseVector> in(out.size());
  std::vector<collectives::ByteMessage> messages;
  const auto with_all_others = [&](auto sent, auto received) {
    messages.clear();
    for (Rank s = 1; s < ranks; ++s) {
      const Rank to = (me + s) % ranks, from = (me - s + ranks) % ranks;
      messages.push_back({ActionKind::send, to, sent(static_cast<std::size_t>(to))});
      messages.push_back({ActionKind::replace, from, received(static_cast<std::size_t>(from))});
    }
    collectives::transmit(communicator, messages);
  };
  with_all_others([&](std::size_t r) { return bytes_of(std::span(&sizes_out[r], 1)); },
                  [&](std::size_t r) { return bytes_of(std::span(&sizes_in[r], 1)); });
  for (std::size_t r = 0; r < in.size(); ++r) in[r].resize(static_cast<std::size_t>(sizes_in[r]));
  in[static_cast<std::size_t>(me)].assign(out[static_cast<std::size_t>(me)].begin(),
                                          out[static_cast<std::size_t>(me)].end());
  with_all_others([&](std::size_t r) { return bytes_of(out[r]); },
                  [&](std::size_t r) { return bytes_of(std::span(in[r])); });
  return in;
}

}  // namespace

SparseVector BalancedSum::run(collectives::Communicator& communicator, std::span<const Entry> mine,
                              Count keep) {
  if (runs_++ % std::max(options_.period, 1) == 0) choose_regions(communicator, mine);
  SparseVector region = reduce_region(communicator, mine);
  if (keep > 0) keep_largest(communicator, keep, region);
  return gather(communicator, region);
}

// The mean over the ranks of the cuts that would split each rank's own entries into equal parts.
void BalancedSum::choose_regions(collectives::Communicator& communicator,
                                 std::span<const Entry> mine) {
  const Rank ranks = communicator.ranks();
  const Blocks parts(static_cast<Count>(mine.size()), ranks);
  const Blocks blocks(n_, ranks);  // for ranks without entries
  std::vector<Count> cuts;
  for (Rank r = 1; r < ranks; ++r)
    cuts.push_back(mine.empty()
                       ? blocks.begin(r)
                       : Count{mine[static_cast<std::size_t>(std::min(
                                        parts.begin(r), static_cast<Count>(mine.size()) - 1))]
                                   .at});
  sum_over_ranks(communicator, *options_.allreduce, cuts, collectives::DType::int64);
  begins_.assign(1, 0);
  for (const Count cut : cuts) begins_.push_back(cut / ranks);
  begins_.push_back(n_);
}

SparseVector BalancedSum::reduce_region(collectives::Communicator& communicator,
                                        std::span<const Entry> mine) const {
  SparseVector copy(mine.begin(), mine.end());  // a message needs writable memory
  std::vector<std::span<Entry>> parts;
  auto from = copy.begin();
  for (std::size_t r = 1; r < begins_.size(); ++r) {
    const auto to =
        std::partition_point(from, copy.end(), [&](const Entry& e) { return e.at < begins_[r]; });
    parts.emplace_back(from, to);
    from = to;
  }
  SparseVector sum, merged;
  for (const SparseVector& part : swap_parts(communicator, parts)) {
    merge(sum, part, merged);
    std::swap(sum, merged);
  }
  return sum;
}

void BalancedSum::keep_largest(collectives::Communicator& communicator, Count keep,
                               SparseVector& region) const {
  std::vector<std::int32_t> bins(kBins);
  for (const Entry& e : region) ++bins[bin_of(e)];
  sum_over_ranks(communicator, *options_.allreduce, bins, collectives::DType::int32);
  std::uint32_t min = kBins;
  for (Count kept = 0; min > 0 && kept < keep;) kept += bins[--min];
  std::erase_if(region, [min](const Entry& e) { return bin_of(e) < min; });
}

// Rebalances the entries until every rank has an equal share, then all-gathers the shares.
SparseVector BalancedSum::gather(collectives::Communicator& communicator,
                                 std::span<Entry> region) const {
  const Rank ranks = communicator.ranks(), me = communicator.rank();
  const auto begins = collectives::offsets(collectives::gather_counts(
      communicator, *options_.all_gather, static_cast<Count>(region.size())));
  const Blocks shares(begins.back(), ranks);
  const Count first = begins[static_cast<std::size_t>(me)];
  const auto within = [&](Count at) {  // index into my region of a place among all entries
    return static_cast<std::size_t>(
        std::clamp(at - first, Count{0}, static_cast<Count>(region.size())));
  };
  std::vector<std::span<Entry>> parts;
  for (Rank r = 0; r < ranks; ++r) {
    const std::size_t from = within(shares.begin(r)), to = within(shares.begin(r + 1));
    parts.push_back(region.subspan(from, to - from));
  }
  SparseVector all(static_cast<std::size_t>(begins.back()));
  auto next = all.begin() + shares.begin(me);
  for (const SparseVector& part : swap_parts(communicator, parts))
    next = std::copy(part.begin(), part.end(), next);
  const Problem problem{.collective = Collective::all_gather,
                        .ranks = ranks,
                        .elements = static_cast<Count>(all.size())};
  collectives::execute(communicator, *options_.all_gather, problem, bytes_of(std::span(all)),
                       {collectives::DType::int64, collectives::Op::sum});
  return all;
}

}  // namespace arlab::training
