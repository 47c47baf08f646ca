#include "bench/formats/goal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "algorithms/round_limit.hpp"
#include "bench/formats/parse_goal.hpp"

namespace arlab::bench {
namespace {

// Writes the operations of one rank.
class GoalRank {
 public:
  explicit GoalRank(std::string& text) : out_(text) {}

  void lane(const Config& config, const Lane& lane, int number, Rank me) {
    const Bytes element = config.element_size();
    const Blocks blocks = lane.problem.blocks();
    Count begin = 0, end = 0;  // labels of what the round waits for
    for (LimitedProgram p(*config.algorithm, lane.problem, me); p.next();) {
      const Round round = p.round();
      const auto size_of = [&](const Action& a) { return blocks.size(a.chunks) * element; };
      const Count messages = std::count_if(round.begin(), round.end(),
                                           [&](const Action& a) { return size_of(a) > 0; });
      if (messages == 0) continue;
      if (messages * (end - begin) > kMostLines) {
        fmt::format_to(out_, "l{}: calc 0\n", next_);
        require(next_, begin, end);
        begin = next_++;
        end = next_;
      }
      const Count first = next_;
      for (const Action& a : round)
        if (const Bytes bytes = size_of(a); bytes > 0)
          fmt::format_to(out_, "l{}: {} {}b {} {} tag {}\n", next_++, a.sends() ? "send" : "recv",
                         bytes, a.sends() ? "to" : "from", a.peer, number);
      for (Count label = first; label < next_; ++label) require(label, begin, end);
      begin = first;
      end = next_;
    }
  }

 private:
  // LogGOPSim serves what is ready at one time in the order in which it became known, and a calc
  // becomes known first. So only long rounds have one between them, which saves lines.
  static constexpr Count kMostLines = 64;

  void require(Count label, Count begin, Count end) {
    for (Count earlier = begin; earlier < end; ++earlier)
      fmt::format_to(out_, "l{} requires l{}\n", label, earlier);
  }

  std::back_insert_iterator<std::string> out_;
  Count next_ = 1;  // label
};

}  // namespace

std::string goal_trace(const Config& config) {
  const auto lanes = lanes_of(*config.algorithm, config.problem, config.segments);
  std::int32_t channels = 0;  // whose pieces leave one after another
  for (const Lane& lane : lanes) channels = std::max(channels, lane.turn.channel + 1);
  std::string text = channels == 0 ? "" : fmt::format("{}{}\n", kChannelsComment, channels);
  text += fmt::format("num_ranks {}\n", config.problem.ranks);
  for (Rank r = 0; r < config.problem.ranks; ++r) {
    text += fmt::format("rank {} {{\n", r);
    GoalRank rank(text);
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(lanes.size()); ++i) {
      const Turn turn = lanes[index(i)].turn;
      rank.lane(config, lanes[index(i)], turn.waits() ? turn.channel + channels * turn.piece : i,
                r);
    }
    text += "}\n";
  }
  return text;
}

}  // namespace arlab::bench
