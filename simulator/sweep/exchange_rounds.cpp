#include "simulator/sweep/exchange_rounds.hpp"

#include <algorithm>
#include <utility>

namespace arlab::simulator {
namespace {

// Rows begin in different sets of the caches, also if the number of ranks is a power of two.
std::size_t padded(Rank ranks) { return index(ranks) + 16; }

}  // namespace

ExchangeRounds::ExchangeRounds(const Algorithm& algorithm, const Problem& problem,
                               Bytes element_size)
    : algorithm_(algorithm),
      problem_(problem),
      element_size_(element_size),
      blocks_(problem.blocks()),
      limit_(algorithm, problem) {}

std::optional<int> ExchangeRounds::advance() {
  if (begun_ && programs_.empty()) return 0;
  before_ += rounds_;
  has_sources_ = has_sizes_ = false;
  if (!begun_) {
    begun_ = true;
    for (Rank r = 0; r < ranks(); ++r) {
      Program program = algorithm_.program(problem_, r);
      if (!run(r, program)) return {};
      if (program) programs_.push_back(std::move(program));
    }
  } else {
    for (Rank r = 0; r < ranks(); ++r)
      if (!run(r, programs_[index(r)])) return {};
    if (!programs_.front()) programs_.clear();
  }
  return rounds_;
}

// Adds the next rounds of the rank. Deletes its program at its end.
bool ExchangeRounds::run(Rank rank, Program& program) {
  for (int k = 0; k < kWindow; ++k) {
    if (!program.next()) {
      program = {};
      return end(rank, k);
    }
    const Round round = program.round();
    if (round.size() != 2 || round[0].sends() == round[1].sends()) return false;
    const bool sends_first = round[0].sends();
    if (!add(rank, k, round[sends_first ? 0 : 1], round[sends_first ? 1 : 0])) return false;
  }
  return end(rank, kWindow);
}

bool ExchangeRounds::end(Rank rank, int rounds) {
  if (rank == 0) {
    rounds_ = rounds;
    limit_.check(rank, before_ + rounds);
  }
  return rounds == rounds_;
}

inline bool ExchangeRounds::add(Rank rank, int k, const Action& out, const Action& in) {
  const auto is_peer = [&](Rank peer) { return peer >= 0 && peer < ranks() && peer != rank; };
  if (!is_peer(out.peer) || !is_peer(in.peer)) return false;
  const std::uint32_t sent = size_of(out.chunks);
  const std::uint32_t received = in.chunks == out.chunks ? sent : size_of(in.chunks);
  if (sizes_.sizes()[sent] == 0 || sizes_.sizes()[received] == 0) return false;
  const bool reduces = in.kind == ActionKind::reduce;
  Shared& shared = shared_[static_cast<std::size_t>(k)];
  if (rank == 0) {
    if (targets_.cells.empty()) {
      targets_.stride = padded(ranks());
      targets_.cells = LargeArray<Rank>(targets_.stride * kWindow);
    }
    shared = {sent, received, reduces, 0};
  }
  if (reduces != shared.reduces || (rank > 0 && k >= rounds_)) return false;
  shared.reach |=
      static_cast<std::uint32_t>(rank ^ out.peer) | static_cast<std::uint32_t>(rank ^ in.peer);
  targets_.row(k)[rank] = out.peer;
  if (in.peer != out.peer && !has_sources_) keep_sources(rank, k);
  if (has_sources_) sources_.row(k)[rank] = in.peer;
  if ((sent != shared.sent || received != shared.received) && !has_sizes_) keep_sizes(rank, k);
  if (has_sizes_) {
    sent_.row(k)[rank] = sent;
    received_.row(k)[rank] = received;
  }
  return true;
}

std::uint32_t ExchangeRounds::size_of(const Chunks& chunks) {
  const bool is_same = blocks_.remainder == 0 ? chunks.count == latest_.count : chunks == latest_;
  if (is_same) return size_of_latest_;
  latest_ = chunks;
  return size_of_latest_ = sizes_.number_of(blocks_.size(chunks) * element_size_);
}

// Up to this round of this rank, each source was the target.
void ExchangeRounds::keep_sources(Rank rank, int round) {
  has_sources_ = true;
  if (sources_.cells.empty()) {
    sources_.stride = padded(ranks());
    sources_.cells = LargeArray<Rank>(sources_.stride * kWindow);
  }
  for (int k = 0; k < (rank > 0 ? rounds_ : round); ++k)
    std::copy_n(targets_.row(k), rank + (k < round ? 1 : 0), sources_.row(k));
}

// Up to this round of this rank, all ranks had the sizes of rank 0.
void ExchangeRounds::keep_sizes(Rank rank, int round) {
  has_sizes_ = true;
  if (sent_.cells.empty()) {
    sent_.stride = received_.stride = padded(ranks());
    sent_.cells = LargeArray<std::uint32_t>(sent_.stride * kWindow);
    received_.cells = LargeArray<std::uint32_t>(received_.stride * kWindow);
  }
  for (int k = 0; k < rounds_; ++k) {
    const Shared& shared = shared_[static_cast<std::size_t>(k)];
    std::fill_n(sent_.row(k), rank + (k < round ? 1 : 0), shared.sent);
    std::fill_n(received_.row(k), rank + (k < round ? 1 : 0), shared.received);
  }
}

ExchangeRounds::Row ExchangeRounds::row(int k) const {
  const Shared& shared = shared_[static_cast<std::size_t>(k)];
  return {.targets = targets_.row(k),
          .sources = has_sources_ ? sources_.row(k) : targets_.row(k),
          .sent = has_sizes_ ? sent_.row(k) : nullptr,
          .received = has_sizes_ ? received_.row(k) : nullptr,
          .all_sent = shared.sent,
          .all_received = shared.received,
          .reduces = shared.reduces,
          .reach = shared.reach};
}

}  // namespace arlab::simulator
