#include "simulator/sweep/compact_rounds.hpp"

#include <bit>

namespace arlab::simulator {

CompactRounds::CompactRounds(const Algorithm& algorithm, const Problem& problem, Bytes element_size,
                             std::optional<RankSymmetry> symmetry)
    : algorithm_(algorithm),
      problem_(problem),
      symmetry_(std::move(symmetry)),
      limit_(algorithm, problem),
      steps_(index(ranks()) * kWindow),
      cursors_(index(ranks())),
      programs_(index(ranks())),
      sizes_(problem, element_size) {}

bool CompactRounds::root_fits(const Algorithm& algorithm, const Problem& problem) {
  Program program = algorithm.program(problem, problem.root);
  return !program.next() || program.round().size() <= kWindow;
}

// Fills the rank's window with its next rounds. Returns false at the end of its program.
bool CompactRounds::refill(Rank rank) {
  Cursor& cursor = cursors_[index(rank)];
  if (cursor.ended || refused_) return false;
  Program& program = programs_[index(rank)];
  Step* const steps = window(rank);
  const Rank me = named(rank);
  if (!cursor.begun) program = algorithm_.program(problem_, me);
  cursor.begun = true;
  cursor.next = cursor.end = 0;
  for (;;) {
    if (!std::exchange(cursor.held, false) && !program.next()) {
      program = {};
      cursor.ended = true;
      break;
    }
    if (!append(steps, me, cursor, program.round())) {
      cursor.held = true;
      break;
    }
  }
  if (cursor.end > 0) return true;
  return cursor.held ? refuse() : false;
}

static bool same(const Step& a, const Step& b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

// Adds the round of the rank to the window. Returns false if it does not fit.
inline bool CompactRounds::append(Step* steps, Rank me, Cursor& cursor, Round round) {
  constexpr Rank kMostIdle = 1 << 16;  // so that a program of empty rounds without end stops
  const auto ranks = static_cast<std::uint32_t>(problem_.ranks);
  std::size_t end = cursor.end;
  for (const Action& action : round) {
    const std::uint32_t size = sizes_.number_of(action.chunks);
    if (sizes_.has_empty() && sizes()[size] == 0) continue;
    if (static_cast<std::uint32_t>(action.peer) >= ranks || action.peer == me || sizes_.is_full())
      return refuse();
    const Step::Kind kind = action.sends()                      ? Step::send
                            : action.kind == ActionKind::reduce ? Step::reduce
                                                                : Step::replace;
    const Step sent{.peer = action.peer, .kind = Step::send, .last = 0, .size = size & 0xFFFFFFF};
    if (end > cursor.end && kind != Step::send && same(steps[end - 1], sent)) {
      steps[end - 1].kind = static_cast<Step::Kind>(kind | Step::send);
      continue;
    }
    if (end == kWindow) return false;
    steps[end] = sent;
    steps[end++].kind = kind;
  }
  if (end == cursor.end) {
    if (end > 0 && steps[end - 1].kind == Step::idle && steps[end - 1].peer < kMostIdle) {
      ++steps[end - 1].peer;
      return true;
    }
    if (end == kWindow) return false;
    steps[end++] = {.peer = 1, .kind = Step::idle, .last = 0, .size = 0};
  }
  steps[end - 1].last = 1;
  cursor.end = static_cast<std::uint8_t>(end);
  return true;
}

}  // namespace arlab::simulator
