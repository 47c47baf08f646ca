#include "bench/formats/ti_trace.hpp"

#include <fmt/format.h>

#include <iterator>

#include "algorithms/base/error.hpp"
#include "algorithms/base/time.hpp"
#include "algorithms/round_limit.hpp"

namespace arlab::bench {
namespace {

constexpr int kTag = 0, kByte = 6;  // the number of MPI_BYTE in these traces

}  // namespace

std::string ti_trace(const Config& config) {
  const auto lanes = lanes_of(*config.algorithm, config.problem, config.segments);
  if (lanes.size() > 1)
    fail(Blame::usage, fmt::format("{} has {} lanes, but format ti supports one program per rank: "
                                   "leave out --segments, or choose another algorithm",
                                   config.algorithm->name, lanes.size()));
  const Bytes element = config.element_size();
  std::string text;
  const auto out = std::back_inserter(text);
  for (Rank r = 0; r < config.problem.ranks; ++r) {
    fmt::format_to(out, "{} init\n", r);
    for (const Lane& lane : lanes) {  // none for an empty problem
      const Blocks blocks = lane.problem.blocks();
      for (LimitedProgram p(*config.algorithm, lane.problem, r); p.next();) {
        bool waits = false;
        for (const Action& a : p.round()) {
          const Bytes bytes = blocks.size(a.chunks) * element;
          if (bytes == 0) continue;
          fmt::format_to(out, "{} {} {} {} {} {}\n", r, a.sends() ? "isend" : "irecv", a.peer, kTag,
                         bytes, kByte);
          waits = true;
        }
        if (waits) fmt::format_to(out, "{} waitall\n", r);
      }
    }
    fmt::format_to(out, "{} finalize\n", r);
  }
  return text;
}

}  // namespace arlab::bench
