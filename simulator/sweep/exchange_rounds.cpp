#include "simulator/sweep/exchange_rounds.hpp"

#include <algorithm>
#include <utility>

namespace arlab::simulator {
namespace {

// Rows begin in different sets of the caches, also if the number of ranks is a power of two.
std::size_t padded(Rank ranks) { return index(ranks) + 16; }

}  // namespace

ExchangeRounds::ExchangeRounds(const Algorithm& algorithm, const Problem& problem,
                               Bytes element_size, std::optional<RankSymmetry> symmetry)
    : algorithm_(algorithm),
      problem_(problem),
      symmetry_(std::move(symmetry)),
      limit_(algorithm, problem),
      named_(symmetry_ ? index(ranks()) * kWindow : 0),
      sizes_(problem, element_size) {}

std::optional<int> ExchangeRounds::advance() {
  if (begun_ && programs_.empty()) return 0;
  before_ += rounds_;
  has_sizes_ = false;
  if (!begun_) {
    begun_ = true;
    for (Rank r = 0; r < ranks(); ++r) {
      Program program = algorithm_.program(problem_, symmetry_ ? symmetry_->representative(r) : r);
      if (!run(r, program)) return {};
      if (program) programs_.push_back(std::move(program));
    }
  } else {
    for (Rank r = 0; r < ranks(); ++r)
      if (!run(r, programs_[index(r)])) return {};
    if (!programs_.front()) programs_.clear();
  }
  if (symmetry_ && !classes_match()) return {};
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
  const Rank me = symmetry_ ? symmetry_->representative(rank) : rank;
  const auto is_peer = [&](Rank peer) { return peer >= 0 && peer < problem_.ranks && peer != me; };
  if (!is_peer(out.peer) || !is_peer(in.peer)) return false;
  const Rank target = symmetry_ ? symmetry_->class_of(out.peer) : out.peer,
             source = symmetry_ ? symmetry_->class_of(in.peer) : in.peer;
  if (symmetry_) named_[index(rank) * kWindow + static_cast<std::size_t>(k)] = {out.peer, in.peer};
  const std::uint32_t sent = sizes_.number_of(out.chunks);
  const std::uint32_t received = sizes_.number_of(in.chunks);
  const bool reduces = in.kind == ActionKind::reduce;
  Shared& shared = shared_[static_cast<std::size_t>(k)];
  if (rank == 0)
    shared = {.sent = sent,
              .received = received,
              .reduces = reduces,
              .flips = true,
              .shifts = true,
              .by = target};
  if (reduces != shared.reduces || (rank > 0 && k >= rounds_)) return false;
  shared.reach |=
      static_cast<std::uint32_t>(rank ^ target) | static_cast<std::uint32_t>(rank ^ source);
  if (!is_pattern(shared, rank, target, source)) keep_peers(rank, k, target, source);
  if ((sent != shared.sent || received != shared.received) && !has_sizes_) keep_sizes(rank, k);
  if (has_sizes_) {
    sent_.row(k)[rank] = sent;
    received_.row(k)[rank] = received;
  }
  return true;
}

// Whether the peers of all ranks up to this one follow from their distance.
inline bool ExchangeRounds::is_pattern(Shared& shared, Rank rank, Rank target, Rank source) {
  const bool flips = shared.flips && target == (rank ^ shared.by) && source == target;
  const bool shifts = shared.shifts &&
                      target - rank == (target > rank ? shared.by : shared.by - ranks()) &&
                      rank - source == (rank > source ? shared.by : shared.by - ranks());
  if (!flips && !shifts) return false;
  shared.flips = flips;
  shared.shifts = shifts;
  return true;
}

// Whether the source of each class sends to it, as seen from the rank that represents the source.
bool ExchangeRounds::classes_match() const {
  for (Rank r = 0; r < ranks(); ++r)
    for (int k = 0; k < rounds_; ++k) {
      const auto named = [&](Rank of_class) {
        return named_[index(of_class) * kWindow + static_cast<std::size_t>(k)];
      };
      const Rank source = named(r).source;
      if (named(symmetry_->class_of(source)).target !=
          symmetry_->seen_from(source, symmetry_->representative(r)))
        return false;
    }
  return true;
}

void ExchangeRounds::keep_peers(Rank rank, int round, Rank target, Rank source) {
  Shared& shared = shared_[static_cast<std::size_t>(round)];
  if (shared.flips || shared.shifts) {  // of the ranks before this one
    const Peers before = peers(round);
    shared.mutual = shared.flips || rank == 0;
    shared.flips = shared.shifts = false;
    targets_.allocate(ranks());
    if (!shared.mutual) sources_.allocate(ranks());
    for (Rank r = 0; r < rank; ++r) targets_.row(round)[r] = before.target(r);
    for (Rank r = 0; r < rank && !shared.mutual; ++r) sources_.row(round)[r] = before.source(r);
  }
  if (source != target && shared.mutual) {
    shared.mutual = false;
    sources_.allocate(ranks());
    std::copy_n(targets_.row(round), rank, sources_.row(round));
  }
  targets_.row(round)[rank] = target;
  if (!shared.mutual) sources_.row(round)[rank] = source;
}

template <class T>
void ExchangeRounds::Table<T>::allocate(Rank ranks) {
  if (!cells.empty()) return;
  stride = padded(ranks);
  cells = LargeArray<T>(stride * kWindow);
}

// Up to this round of this rank, all ranks had the sizes of rank 0.
void ExchangeRounds::keep_sizes(Rank rank, int round) {
  has_sizes_ = true;
  sent_.allocate(ranks());
  received_.allocate(ranks());
  for (int k = 0; k < rounds_; ++k) {
    const Shared& shared = shared_[static_cast<std::size_t>(k)];
    std::fill_n(sent_.row(k), rank + (k < round ? 1 : 0), shared.sent);
    std::fill_n(received_.row(k), rank + (k < round ? 1 : 0), shared.received);
  }
}

Peers ExchangeRounds::peers(int round) const {
  const Shared& shared = shared_[static_cast<std::size_t>(round)];
  if (shared.flips) return {.kind = Peers::Kind::flip, .by = shared.by, .ranks = ranks()};
  if (shared.shifts) return {.kind = Peers::Kind::shift, .by = shared.by, .ranks = ranks()};
  const Rank* const targets = targets_.row(round);
  return {.kind = Peers::Kind::table,
          .ranks = ranks(),
          .targets = targets,
          .sources = shared.mutual ? targets : sources_.row(round)};
}

ExchangeRounds::Row ExchangeRounds::row(int k) const {
  const Shared& shared = shared_[static_cast<std::size_t>(k)];
  return {.peers = peers(k),
          .sent = has_sizes_ ? sent_.row(k) : nullptr,
          .received = has_sizes_ ? received_.row(k) : nullptr,
          .all_sent = shared.sent,
          .all_received = shared.received,
          .reduces = shared.reduces,
          .reach = shared.reach};
}

}  // namespace arlab::simulator
