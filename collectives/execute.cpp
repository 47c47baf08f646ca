#include "collectives/execute.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "algorithms/error.hpp"
#include "algorithms/spec.hpp"
#include "collectives/reduce.hpp"

namespace arlab {
namespace {

void check_ranks(const Communicator& communicator, const Problem& problem) {
  if (problem.ranks != communicator.ranks())
    fail(Blame::usage, "the problem is for " + std::to_string(problem.ranks) +
                           " ranks, but the backend runs " + std::to_string(communicator.ranks()));
}

void check(const Communicator& communicator, const Algorithm& algorithm, const Problem& problem,
           std::size_t bytes, DType dtype) {
  arlab::check(problem);
  check_ranks(communicator, problem);
  const std::size_t needed = static_cast<std::size_t>(problem.elements) * size_of(dtype);
  if (bytes != needed)
    fail(Blame::usage, "the data has " + std::to_string(bytes) + " bytes, but " +
                           std::to_string(problem.elements) + " elements of " +
                           std::string(name(dtype)) + " are " + std::to_string(needed));
  if (const std::string reason = unsupported(algorithm, problem); !reason.empty())
    fail(Blame::usage, reason);
}

/// Where chunks begin that are no balanced blocks.
struct Begins {
  Count begin(Rank chunk) const { return at[static_cast<std::size_t>(chunk)]; }
  Count size(const Chunks& c) const { return begin(c.end()) - begin(c.first); }

  std::span<const Count> at;
};

/// One lane of this rank: its program, and its current round on memory.
template <class Cut>
class RunningLane {
 public:
  RunningLane(const Algorithm& algorithm, const Problem& problem, const Cut& cut, Rank me,
              std::byte* data, std::size_t element_bytes)
      : program_(algorithm.program(problem, me)),
        cut_(cut),
        data_(data),
        element_bytes_(element_bytes) {}

  /// Goes on to the next round that moves any elements; false at the end of the program.
  bool next() {
    while (program_.next()) {
      ++cost_.rounds;
      transfers_.clear();
      for (const Action& action : program_.round()) add(action);
      if (!transfers_.empty()) return true;
    }
    return false;
  }
  std::span<const Transfer> transfers() const { return transfers_; }
  Cost cost() const { return cost_; }

 private:
  void add(const Action& action) {
    const Count elements = cut_.size(action.chunks);
    if (elements == 0) return;
    const auto begin = static_cast<std::size_t>(cut_.begin(action.chunks.first));
    transfers_.push_back({action.verb, action.peer, data_ + begin * element_bytes_, elements});
    if (!action.sends()) return;
    ++cost_.messages;
    cost_.elements += elements;
  }

  Program program_;
  Cut cut_;
  std::byte* data_;
  std::size_t element_bytes_;
  std::vector<Transfer> transfers_;
  Cost cost_;
};

/// avg: divides what rank `me` must hold at the end.
void divide(const Problem& problem, Rank me, std::byte* data, DType dtype) {
  const Spec spec(problem);
  const Blocks blocks = problem.blocks();
  for (Rank chunk = 0; chunk < problem.ranks; ++chunk)
    if (spec.needs_at_end(me, chunk))
      scale(data + static_cast<std::size_t>(blocks.begin(chunk)) * size_of(dtype),
            blocks.size(chunk), dtype, problem.ranks);
}

}  // namespace

Cost execute(Communicator& communicator, const Algorithm& algorithm, const Problem& problem,
             std::span<std::byte> data, Operand operand, int segments) {
  check(communicator, algorithm, problem, data.size(), operand.dtype);
  const std::size_t element_bytes = size_of(operand.dtype);
  const Rank me = communicator.rank();
  const auto memory_of = [&](const Lane& lane) {
    return data.data() + static_cast<std::size_t>(lane.offset) * element_bytes;
  };

  const std::vector<Lane> lanes = lanes_of(algorithm, problem, segments);
  std::vector<RunningLane<Blocks>> running;
  running.reserve(lanes.size());
  for (const Lane& lane : lanes)
    running.emplace_back(algorithm, lane.problem, lane.problem.blocks(), me, memory_of(lane),
                         element_bytes);

  int started = 0;
  const auto start_next_round = [&](int lane) {
    auto& its = running[static_cast<std::size_t>(lane)];
    if (!its.next()) return;
    communicator.start(lane, its.transfers(), operand);
    ++started;
  };
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) start_next_round(static_cast<int>(lane));
  while (started > 0) {
    const int lane = communicator.wait();
    --started;
    start_next_round(lane);
  }

  if (operand.op == Op::avg && problem.reduces())
    for (const Lane& lane : lanes) divide(lane.problem, me, memory_of(lane), operand.dtype);

  Cost sent;
  for (const auto& lane : running) {
    sent.messages += lane.cost().messages;
    sent.elements += lane.cost().elements;
    sent.rounds = std::max(sent.rounds, lane.cost().rounds);
  }
  return sent;
}

Cost execute_uneven(Communicator& communicator, const Algorithm& algorithm, const Problem& problem,
                    std::span<const Count> begins, std::span<std::byte> data, Operand operand) {
  arlab::check(problem);
  check_ranks(communicator, problem);
  if (const std::string reason = unsupported(algorithm, problem); !reason.empty())
    fail(Blame::usage, reason);
  if (algorithm.lanes != 1)
    fail(Blame::usage, std::string(algorithm.name) + " runs in " + std::to_string(algorithm.lanes) +
                           " lanes: chunks of uneven sizes need an algorithm of one, such as ring");
  expects(operand.op != Op::avg, "an average over uneven chunks");
  const std::size_t element_bytes = size_of(operand.dtype);
  if (begins.size() != static_cast<std::size_t>(problem.ranks) + 1 || begins.front() != 0 ||
      !std::is_sorted(begins.begin(), begins.end()) ||
      static_cast<std::size_t>(begins.back()) * element_bytes != data.size())
    fail(Blame::usage, "uneven chunks: give where each of the " + std::to_string(problem.ranks) +
                           " begins, and the end of the data of " + std::to_string(data.size()) +
                           " bytes");
  RunningLane<Begins> lane(algorithm, problem, {begins}, communicator.rank(), data.data(),
                           element_bytes);
  while (lane.next()) {
    communicator.start(0, lane.transfers(), operand);
    communicator.wait();
  }
  return lane.cost();
}

}  // namespace arlab
