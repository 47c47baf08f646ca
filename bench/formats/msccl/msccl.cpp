#include "bench/formats/msccl/msccl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

#include "algorithms/base/error.hpp"
#include "algorithms/round_limit.hpp"

namespace arlab::bench {
namespace {

constexpr Count kMostExported = 1 << 16;

// MSCCL's name of a collective.
std::string_view collective_name(Collective collective) {
  return collective == Collective::all_gather ? "allgather" : name(collective);
}

struct StepAt {
  int block = -1, step = -1;
};

// One GPU: its blocks, and which steps used each chunk last.
class GpuWriter {
 public:
  GpuWriter(Count chunks, char buffer)
      : cells_(static_cast<std::size_t>(chunks)), buffer_(buffer) {}

  // `lane`: a channel of its own. `run`: chunks of the whole program.
  void add(const Action& action, int lane, const ChunkRun& run) {
    const auto key = std::tuple(action.peer, action.sends(), lane);
    const auto [found, is_new] = block_of_.emplace(key, static_cast<int>(gpu_.blocks.size()));
    const int block = found->second;
    if (is_new) {
      gpu_.blocks.push_back({.send = action.sends() ? action.peer : -1,
                             .receive = action.sends() ? -1 : action.peer,
                             .channel = lane});
      known_.emplace_back();
    }
    std::map<int, int> awaited;  // the last step to await of each other block
    const auto await = [&](const StepAt& other) {
      if (other.block < 0 || other.block == block || knows(block, other)) return;
      int& last = awaited.try_emplace(other.block, -1).first->second;
      last = std::max(last, other.step);
    };
    for (Rank c = run.first; c < run.first + run.count; ++c) {
      Cell& cell = cells_[index(c)];
      await(cell.writer);
      if (action.sends()) continue;
      for (const StepAt& reader : cell.readers) await(reader);
    }
    MscclStep step{.kind = action.sends()                      ? MscclStep::Kind::s
                           : action.kind == ActionKind::reduce ? MscclStep::Kind::rrc
                                                               : MscclStep::Kind::r,
                   .source = buffer_,
                   .target = buffer_,
                   .source_at = run.first,
                   .target_at = run.first,
                   .count = run.count};
    for (const auto& [other, last] : awaited) {
      MscclStep waits{.source = buffer_, .target = buffer_};
      MscclStep& one = other == awaited.rbegin()->first ? step : waits;
      one.awaited_block = other;
      one.awaited_step = last;
      gpu_.blocks[static_cast<std::size_t>(other)]
          .steps[static_cast<std::size_t>(last)]
          .is_awaited = true;
      known_[static_cast<std::size_t>(block)][other] = last;
      if (&one == &waits) steps(block).push_back(waits);
    }
    steps(block).push_back(step);
    const StepAt here{block, static_cast<int>(steps(block).size()) - 1};
    for (Rank c = run.first; c < run.first + run.count; ++c) {
      Cell& cell = cells_[index(c)];
      if (action.sends()) {
        cell.readers.push_back(here);
      } else {
        cell = {here, {}};
      }
    }
  }

  MscclGpu take() && { return std::move(gpu_); }

 private:
  struct Cell {
    StepAt writer;
    std::vector<StepAt> readers;
  };
  std::vector<MscclStep>& steps(int block) {
    return gpu_.blocks[static_cast<std::size_t>(block)].steps;
  }
  bool knows(int block, const StepAt& other) const {
    const auto& known = known_[static_cast<std::size_t>(block)];
    const auto found = known.find(other.block);
    return found != known.end() && found->second >= other.step;
  }

  MscclGpu gpu_;
  std::vector<Cell> cells_;
  char buffer_;
  std::map<std::tuple<Rank, bool, int>, int> block_of_;
  std::vector<std::map<int, int>> known_;  // of each block: which steps of others it has awaited
};

// A lane whose chunks are each this weight of so many in the vector, in lowest terms.
struct SharedLane {
  Problem problem;
  Count weight = 1, chunks = 1;
};

[[noreturn]] void fail_shares(const Config& config, Count chunks) {
  fail(Blame::usage,
       fmt::format(
           "the lanes of {} have shares that need {} chunks of the vector or more: MSCCL "
           "needs chunks of equal size and takes up to {}, give fewer segments or pieces, or "
           "another algorithm",
           config.algorithm->name, chunks, kMostExported));
}

// The lanes by their exact shares: their elements are rounded.
std::vector<SharedLane> shared_lanes(const Config& config) {
  const Algorithm& algorithm = *config.algorithm;
  Problem problem = config.problem;
  std::vector<Count> weights = algorithm.lane_weights
                                   ? algorithm.lane_weights(problem)
                                   : std::vector<Count>(index(algorithm.lanes), 1);
  const Count divisor = std::accumulate(weights.begin(), weights.end(), Count{0},
                                        [](Count a, Count b) { return std::gcd(a, b); });
  for (Count& weight : weights) weight /= divisor;
  const Count cuts = (algorithm.pipelined ? 1 : config.segments) *
                     std::accumulate(weights.begin(), weights.end(), Count{0});
  if (cuts > kMostExported / problem.ranks) fail_shares(config, cuts * problem.ranks);
  problem.elements = std::max(problem.elements, cuts * problem.ranks);  // no lane is empty
  std::vector<SharedLane> lanes;
  for (const Lane& lane : lanes_of(algorithm, problem, config.segments)) {
    const Count weight = weights[index(lane.problem.lane)], chunks = cuts * lane.problem.parts();
    const Count common = std::gcd(weight, chunks);
    lanes.push_back({lane.problem, weight / common, chunks / common});
  }
  return lanes;
}

// The chunks of equal size of which those of every lane are whole numbers.
Count chunks_of_all(const std::vector<SharedLane>& lanes, const Config& config) {
  Count chunks = 1;
  for (const SharedLane& lane : lanes) {
    chunks = std::lcm(chunks, lane.chunks);
    if (chunks > kMostExported) fail_shares(config, chunks);
  }
  return chunks;
}

}  // namespace

MscclProgram msccl_program(const Config& config) {
  const Algorithm& algorithm = *config.algorithm;
  const Rank ranks = config.problem.ranks;
  const std::vector<SharedLane> lanes = shared_lanes(config);
  const Count chunks = chunks_of_all(lanes, config);
  const bool gathers = config.problem.collective == Collective::all_gather;
  const bool scatters = config.problem.collective == Collective::reduce_scatter;
  const bool parted = gathers || scatters;  // each GPU's own chunks are consecutive
  const Count own = chunks / ranks;
  MscclProgram program{.name = std::string(algorithm.name),
                       .collective = std::string(collective_name(config.problem.collective)),
                       .root = config.problem.root,
                       .chunks = static_cast<int>(chunks)};
  for (Rank r = 0; r < ranks; ++r) {
    GpuWriter gpu(chunks, gathers ? 'o' : 'i');
    Count begin = 0;  // of the lane's chunks, in the vector or in each GPU's part
    for (std::size_t l = 0; l < lanes.size(); ++l) {
      const Problem& problem = lanes[l].problem;
      const auto width = static_cast<Rank>(chunks / lanes[l].chunks * lanes[l].weight);
      const auto add = [&](const Action& a, const ChunkRun& run) {
        const auto lane = static_cast<int>(l);
        if (!parted)
          return gpu.add(a, lane,
                         {static_cast<Rank>(begin + Count{run.first} * width), run.count * width});
        for (Rank c = run.first; c < run.first + run.count;) {
          const Rank joined = own == width ? run.count : 1;
          gpu.add(a, lane, {static_cast<Rank>(c * own + begin), joined * width});
          c += joined;
        }
      };
      for (LimitedProgram p(algorithm, problem, r); p.next();)
        for (const bool sends : {true, false})  // sends read before anything is overwritten
          for (const Action& a : p.round())
            if (a.sends() == sends)
              for_each_run(a.chunks, problem.parts(), [&](const ChunkRun& run) { add(a, run); });
      begin += parted ? Count{width} : Count{width} * problem.parts();
    }
    MscclGpu made = std::move(gpu).take();
    made.input = static_cast<int>(gathers ? own : chunks);
    made.output = static_cast<int>(scatters ? own : chunks);
    program.gpus.push_back(std::move(made));
  }
  return program;
}

std::vector<std::string> runtime_limits(const MscclProgram& program) {
  struct Limit {
    std::string_view what;
    std::size_t most = 0;  // in the program
    std::size_t msccl, rccl;
  };
  std::map<int, std::size_t> on_channel;
  Limit steps{"steps in a thread block", 0, 256, 64}, blocks{"thread blocks on a GPU", 0, 216, 64},
      channel{"thread blocks on a channel", 0, 32, 32}, count{"chunks in a step", 0, 71, 71};
  for (const MscclGpu& gpu : program.gpus) {
    blocks.most = std::max(blocks.most, gpu.blocks.size());
    on_channel.clear();
    for (const MscclBlock& block : gpu.blocks) {
      steps.most = std::max(steps.most, block.steps.size());
      channel.most = std::max(channel.most, ++on_channel[block.channel]);
      for (const MscclStep& step : block.steps)
        count.most = std::max(count.most, static_cast<std::size_t>(step.count));
    }
  }
  std::vector<std::string> all;
  for (const Limit& limit : {steps, blocks, channel, count}) {
    if (limit.most > limit.msccl)
      all.push_back(fmt::format("{} {}: msccl takes {}, RCCL {}", limit.most, limit.what,
                                limit.msccl, limit.rccl));
    else if (limit.most > limit.rccl)
      all.push_back(fmt::format("{} {}: RCCL takes {}", limit.most, limit.what, limit.rccl));
  }
  if (program.root != 0)
    all.push_back(
        fmt::format("root {}: the runtimes know no root, only arlab reads it", program.root));
  all.push_back(fmt::format(
      "the runtimes silently ignore the program unless there are {} ranks, the call is {}, the "
      "number of elements is a multiple of {}, and the operation is sum, prod, min or max",
      program.gpus.size(), program.in_place ? "in place" : "out of place", program.chunks));
  return all;
}

}  // namespace arlab::bench
