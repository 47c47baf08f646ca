#include "bench/export/goal.hpp"

#include <fmt/format.h>

#include <iterator>

#include "algorithms/round_limit.hpp"

namespace arlab::bench {
namespace {

// Writes the operations of one rank.
class GoalRank {
 public:
  explicit GoalRank(std::string& text) : out_(text) {}

  void lane(const Config& config, const Lane& lane, int number, Rank me) {
    const Bytes element = config.element_size();
    const Blocks blocks = lane.problem.blocks();
    Count before = 0;  // the label of the end of the last round
    for (LimitedProgram p(*config.algorithm, lane.problem, me); p.next();) {
      const Count first = next_;
      for (const Action& a : p.round())
        if (const Bytes bytes = blocks.size(a.chunks) * element; bytes > 0)
          fmt::format_to(out_, "l{}: {} {}b {} {} tag {}\n", next_++, a.sends() ? "send" : "recv",
                         bytes, a.sends() ? "to" : "from", a.peer, number);
      const Count last = next_;
      for (Count label = first; label < last && before > 0; ++label)
        fmt::format_to(out_, "l{} requires l{}\n", label, before);
      if (last == first) continue;
      before = last;
      if (last - first > 1) {
        fmt::format_to(out_, "l{}: calc 0\n", next_++);
        for (Count label = first; label < last; ++label)
          fmt::format_to(out_, "l{} requires l{}\n", last, label);
      } else {
        before = first;
      }
    }
  }

 private:
  std::back_insert_iterator<std::string> out_;
  Count next_ = 1;  // label
};

}  // namespace

std::string goal_trace(const Config& config) {
  const auto lanes = lanes_of(*config.algorithm, config.problem, config.segments);
  std::string text = fmt::format("num_ranks {}\n", config.problem.ranks);
  for (Rank r = 0; r < config.problem.ranks; ++r) {
    text += fmt::format("rank {} {{\n", r);
    GoalRank rank(text);
    for (std::size_t i = 0; i < lanes.size(); ++i)
      rank.lane(config, lanes[i], static_cast<int>(i), r);
    text += "}\n";
  }
  return text;
}

}  // namespace arlab::bench
