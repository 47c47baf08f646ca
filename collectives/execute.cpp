#include "collectives/execute.hpp"

#include <string>
#include <vector>

#include "algorithms/error.hpp"
#include "collectives/pieces.hpp"
#include "collectives/reduce.hpp"

namespace arlab {
namespace {

void check_size(const Problem& problem, std::size_t bytes, DType dtype) {
  const std::size_t needed = static_cast<std::size_t>(problem.elements) * size_of(dtype);
  if (bytes != needed)
    fail(Blame::usage, "the data has " + std::to_string(bytes) + " bytes, but " +
                           std::to_string(problem.elements) + " elements of " +
                           std::string(name(dtype)) + " are " + std::to_string(needed));
}

}  // namespace

Cost execute(Communicator& communicator, const Algorithm& algorithm, const Problem& problem,
             std::span<std::byte> data, Operand operand, int segments) {
  check(algorithm, problem, communicator.ranks());
  check_size(problem, data.size(), operand.dtype);
  const Rank me = communicator.rank();
  const auto memory_of = [&](const Piece& piece) {
    return data.data() + static_cast<std::size_t>(piece.first) * size_of(operand.dtype);
  };

  const std::vector<Lane> lanes = lanes_of(algorithm, problem, segments);
  std::vector<LaneRounds> running;
  running.reserve(lanes.size());
  for (const Lane& lane : lanes) running.emplace_back(algorithm, lane, me);
  std::vector<std::vector<Transfer>> transfers(lanes.size());

  int started = 0;
  const auto start_next_round = [&](int lane) {
    LaneRounds& its = running[static_cast<std::size_t>(lane)];
    if (!its.next()) return;
    std::vector<Transfer>& round = transfers[static_cast<std::size_t>(lane)];
    round.clear();
    for (const PieceAction& a : its.round())
      round.push_back({a.verb, a.peer, memory_of(a.piece), a.piece.elements});
    communicator.start(lane, round, operand);
    ++started;
  };
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) start_next_round(static_cast<int>(lane));
  while (started > 0) {
    const int lane = communicator.wait();
    --started;
    start_next_round(lane);
  }

  if (operand.op == Op::avg && problem.reduces())
    for (const Lane& lane : lanes)
      for (const Piece& piece : needed_at_end(lane, me))
        scale(memory_of(piece), piece.elements, operand.dtype, problem.ranks);
  return sum_of(running);
}

}  // namespace arlab
