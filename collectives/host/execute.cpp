#include "collectives/host/execute.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "algorithms/base/error.hpp"
#include "collectives/patience.hpp"
#include "collectives/reduce/reduce.hpp"
#include "collectives/schedule/lane_rounds.hpp"

namespace arlab::collectives {
namespace {

void check_size(const Problem& problem, std::size_t bytes, DType dtype) {
  const std::size_t needed = static_cast<std::size_t>(problem.elements) * size_of(dtype);
  if (bytes != needed)
    fail(Blame::usage, "the data has " + std::to_string(bytes) + " bytes, but " +
                           std::to_string(problem.elements) + " elements of " +
                           std::string(name(dtype)) + " are " + std::to_string(needed));
}

std::byte* memory_of(const Piece& piece, std::span<std::byte> data, DType dtype) {
  return data.data() + static_cast<std::size_t>(piece.first) * size_of(dtype);
}

// Translates the lane's round into memory addresses.
void place(const LaneRounds& lane, std::span<std::byte> data, DType dtype,
           std::vector<Transfer>& round) {
  round.clear();
  for (const PieceAction& a : lane.round())
    round.push_back({a.kind, a.peer, memory_of(a.piece, data, dtype), a.piece.elements});
}

}  // namespace

std::string description(const Algorithm& algorithm, const Problem& problem, Operand operand) {
  return std::string(algorithm.name) + " " + std::string(name(problem.collective)) + " of " +
         std::to_string(problem.elements) + " " + std::string(name(operand.dtype)) + " on " +
         std::to_string(problem.ranks) + " ranks";
}

Cost execute(Communicator& communicator, const Algorithm& algorithm, const Problem& problem,
             std::span<std::byte> data, Operand operand, int segments, int first_lane) {
  check(algorithm, problem, communicator.ranks());
  check_size(problem, data.size(), operand.dtype);
  const Rank me = communicator.rank();
  const std::vector<Lane> lanes = lanes_of(algorithm, problem, segments);
  std::vector<LaneRounds> running;
  running.reserve(lanes.size());
  for (const Lane& lane : lanes) running.emplace_back(algorithm, lane, me);
  std::vector<std::vector<Transfer>> transfers(lanes.size());

  if (problem.reduces()) divide_before(data.data(), problem.elements, operand, problem.ranks);
  int started = 0;
  const auto start_next_round = [&](int lane) {
    LaneRounds& its = running[static_cast<std::size_t>(lane)];
    if (!its.next()) return;
    std::vector<Transfer>& round = transfers[static_cast<std::size_t>(lane)];
    place(its, data, operand.dtype, round);
    communicator.start(first_lane + lane, round, operand);
    ++started;
  };
  for (std::size_t lane = 0; lane < lanes.size(); ++lane) start_next_round(static_cast<int>(lane));
  const auto doing = [&] {
    Count furthest = 0;
    for (const LaneRounds& lane : running) furthest = std::max(furthest, lane.cost().rounds);
    return description(algorithm, problem, operand) + ", round " + std::to_string(furthest);
  };
  while (started > 0) {
    const int lane = naming([&] { return communicator.wait(); }, doing) - first_lane;
    --started;
    start_next_round(lane);
  }

  if (operand.op == Op::avg && problem.reduces())
    for (const Lane& lane : lanes)
      for (const Piece& piece : needed_at_end(lane, me))
        divide_after(memory_of(piece, data, operand.dtype), piece.elements, operand, problem.ranks);
  return sum_of(running);
}

Cost execute_uneven(Communicator& communicator, const Algorithm& algorithm, const Problem& problem,
                    std::span<const Count> begins, std::span<std::byte> data, Operand operand) {
  check(algorithm, problem, communicator.ranks());
  if (algorithm.lanes != 1)
    fail(Blame::usage, std::string(algorithm.name) + " runs in " + std::to_string(algorithm.lanes) +
                           " lanes: chunks of uneven sizes need an algorithm of one, such as ring");
  expects(operand.op != Op::avg, "an average over uneven chunks");
  if (begins.size() != static_cast<std::size_t>(problem.ranks) + 1 || begins.front() != 0 ||
      !std::is_sorted(begins.begin(), begins.end()) ||
      static_cast<std::size_t>(begins.back()) * size_of(operand.dtype) != data.size())
    fail(Blame::usage, "uneven chunks: give where each of the " + std::to_string(problem.ranks) +
                           " begins, and the end of the data of " + std::to_string(data.size()) +
                           " bytes");
  LaneRounds lane(algorithm, problem, begins, communicator.rank());
  std::vector<Transfer> round;
  while (lane.next()) {
    place(lane, data, operand.dtype, round);
    communicator.start(0, round, operand);
    naming([&] { return communicator.wait(); },
           [&] {
             return description(algorithm, problem, operand) + ", round " +
                    std::to_string(lane.cost().rounds);
           });
  }
  return lane.cost();
}

}  // namespace arlab::collectives
