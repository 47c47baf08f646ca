#include "simulator/sweep/compact_rounds.hpp"

namespace arlab::simulator {

CompactRounds::CompactRounds(const Algorithm& algorithm, const Problem& problem, Bytes element_size,
                             std::optional<RankSymmetry> symmetry)
    : algorithm_(algorithm),
      problem_(problem),
      element_size_(element_size),
      symmetry_(std::move(symmetry)),
      blocks_(problem.blocks()),
      limit_(algorithm, problem),
      steps_(index(ranks()) * kWindow),
      cursors_(index(ranks())),
      programs_(index(ranks())) {}

bool CompactRounds::root_fits(const Algorithm& algorithm, const Problem& problem) {
  Program program = algorithm.program(problem, problem.root);
  return !program.next() || program.round().size() <= kWindow;
}

// Fills the rank's window with its next rounds. Returns false at the end of its program.
bool CompactRounds::refill(Rank rank) {
  Cursor& cursor = cursors_[index(rank)];
  if (cursor.ended || refused_) return false;
  Program& program = programs_[index(rank)];
  if (!cursor.begun) program = algorithm_.program(problem_, named(rank));
  cursor.begun = true;
  cursor.next = cursor.end = 0;
  for (;;) {
    if (!std::exchange(cursor.held, false) && !program.next()) {
      program = {};
      cursor.ended = true;
      break;
    }
    if (!append(rank, cursor, program.round())) {
      cursor.held = true;
      break;
    }
  }
  if (cursor.end > 0) return true;
  return cursor.held ? refuse() : false;
}

// Adds the round to the window. Returns false if it does not fit.
bool CompactRounds::append(Rank rank, Cursor& cursor, Round round) {
  constexpr Rank kMostIdle = 1 << 16;  // so that a program of empty rounds without end stops
  Step* const steps = window(rank);
  std::size_t end = cursor.end;
  for (std::size_t i = 0; i < round.size(); ++i) {
    const Action& action = round[i];
    const Bytes bytes = blocks_.size(action.chunks) * element_size_;
    if (bytes == 0) continue;
    if (action.peer < 0 || action.peer >= problem_.ranks || action.peer == named(rank))
      return refuse();
    Step step{};
    step.peer = action.peer;
    step.size = sizes_.number_of(bytes) & 0xFFFFFFF;
    if (sizes_.is_full()) return refuse();
    step.kind = action.sends()                      ? Step::send
                : action.kind == ActionKind::reduce ? Step::reduce
                                                    : Step::replace;
    if (end > cursor.end && step.receives()) {
      Step& before = steps[end - 1];
      if (before.kind == Step::send && before.peer == step.peer && before.size == step.size) {
        before.kind = step.kind == Step::reduce ? Step::send_and_reduce : Step::send_and_replace;
        continue;
      }
    }
    if (end == kWindow) return false;
    steps[end++] = step;
  }
  if (end == cursor.end) {
    if (end > 0 && steps[end - 1].kind == Step::idle && steps[end - 1].peer < kMostIdle) {
      ++steps[end - 1].peer;
      return true;
    }
    if (end == kWindow) return false;
    Step& idle = steps[end++];
    idle = {};
    idle.peer = 1;
    idle.kind = Step::idle;
  }
  steps[end - 1].last = 1;
  cursor.end = static_cast<std::uint8_t>(end);
  return true;
}

}  // namespace arlab::simulator
