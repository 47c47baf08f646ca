#include "bench/formats/parse_goal.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <unordered_map>

#include "algorithms/base/error.hpp"
#include "algorithms/base/read_number.hpp"

namespace arlab::bench {
namespace {

using simulator::Dependency;
using simulator::Operation;
using simulator::RankGraph;
using simulator::TraceGraph;

constexpr Rank kMostTraceRanks = 1 << 20;
constexpr Count kMostProcessors = 1 << 16;
constexpr std::string_view kAnyRank = "4294967295";  // as LogGOPSim writes it

// Splits the content into words; '{', '}' and ':' are words of their own.
class GoalWords {
 public:
  GoalWords(std::string_view content, const std::string& path) : rest_(content), path_(path) {
    advance();
  }

  std::string_view word() const { return word_; }  // empty at the end
  Count line() const { return line_; }

  std::string_view take() {
    const std::string_view taken = word_;
    advance();
    return taken;
  }
  bool take_if(std::string_view expected) {
    if (word_ != expected) return false;
    advance();
    return true;
  }
  void expect(std::string_view expected, std::string_view after) {
    if (!take_if(expected))
      wrong(fmt::format("{} after {}: write '{}'", shown(word_), after, expected));
  }

  Count number(std::string_view what, Count most, std::string_view suffix = "") {
    std::string_view digits = word_;
    if (!suffix.empty() && digits.ends_with(suffix)) digits.remove_suffix(suffix.size());
    const auto value = read_number<Count>(digits);
    if (!value || *value < 0 || *value > most)
      wrong(fmt::format("{} is {}: give a whole number from 0 to {}", what, shown(word_), most));
    advance();
    return *value;
  }

  [[noreturn]] void wrong(const std::string& what) const {
    fail(Blame::usage, fmt::format("{}: line {}: {}", path_, line_, what));
  }
  static std::string shown(std::string_view word) {
    if (word.empty()) return "the end of the file";
    return fmt::format("'{}{}'", word.substr(0, 40), word.size() > 40 ? "..." : "");
  }

 private:
  void advance() {
    skip_space();
    std::size_t size = 0;
    while (size < rest_.size() && !is_space(rest_[size]) && !is_mark(rest_[size])) ++size;
    if (size == 0 && !rest_.empty()) size = 1;
    word_ = rest_.substr(0, size);
    rest_.remove_prefix(size);
  }

  void skip_space() {
    for (;;) {
      while (!rest_.empty() && is_space(rest_.front())) {
        line_ += rest_.front() == '\n' ? 1 : 0;
        rest_.remove_prefix(1);
      }
      if (rest_.starts_with("//")) {
        rest_.remove_prefix(std::min(rest_.find('\n'), rest_.size()));
      } else if (rest_.starts_with("/*")) {
        const std::size_t end = rest_.find("*/", 2);
        if (end == std::string_view::npos) wrong("a comment that does not end: write '*/'");
        for (const char c : rest_.substr(0, end)) line_ += c == '\n' ? 1 : 0;
        rest_.remove_prefix(end + 2);
      } else {
        return;
      }
    }
  }

  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
  static bool is_mark(char c) { return c == '{' || c == '}' || c == ':'; }

  std::string_view rest_, word_;
  const std::string& path_;
  Count line_ = 1;
};

class GoalParser {
 public:
  GoalParser(std::string_view content, const std::string& path)
      : words_(content, path), channels_(channels_of(content)) {}

  TraceGraph parse() {
    if (!words_.take_if("num_ranks"))
      words_.wrong(
          fmt::format("a trace begins with 'num_ranks' and a number, not with {}: add them",
                      GoalWords::shown(words_.word())));
    const Count ranks = words_.number("num_ranks", kMostTraceRanks);
    if (ranks < 1) words_.wrong("num_ranks is 0: give at least 1");
    trace_.ranks.resize(index(ranks));
    trace_.channels = channels_;
    std::vector<bool> given(index(ranks));
    while (!words_.word().empty()) {
      if (!words_.take_if("rank"))
        words_.wrong(fmt::format("{} between ranks: write 'rank', a number and '{{'",
                                 GoalWords::shown(words_.word())));
      const Count rank = words_.number("rank", ranks - 1);
      if (given[index(rank)]) words_.wrong(fmt::format("rank {} is there twice: merge them", rank));
      given[index(rank)] = true;
      words_.expect("{", fmt::format("rank {}", rank));
      parse_rank(trace_.ranks[index(rank)]);
    }
    return std::move(trace_);
  }

 private:
  // As the comment at the begin has it; 0 without one.
  static std::int32_t channels_of(std::string_view content) {
    std::int32_t channels = 0;
    if (!content.starts_with(kChannelsComment)) return 0;
    content.remove_prefix(kChannelsComment.size());
    const auto [end, fault] =
        std::from_chars(content.data(), content.data() + content.size(), channels);
    const bool ends_line = end == content.data() + content.size() || *end == '\n' || *end == '\r';
    return fault == std::errc() && ends_line ? std::max(0, channels) : 0;
  }

  void parse_rank(RankGraph& graph) {
    labels_.clear();
    while (!words_.take_if("}")) {
      if (words_.word().empty()) words_.wrong("the file ends within a rank: write '}'");
      parse_statement(graph);
    }
  }

  void parse_statement(RankGraph& graph) {
    if (is_operation(words_.word())) return parse_operation(graph);
    const std::string_view label = words_.take();
    if (words_.take_if(":")) {
      if (!is_operation(words_.word()))
        words_.wrong(fmt::format("{} after label '{}': write send, recv or calc",
                                 GoalWords::shown(words_.word()), label));
      if (!labels_.emplace(label, static_cast<std::uint32_t>(graph.operations.size())).second)
        words_.wrong(fmt::format("label '{}' is there twice in its rank: rename it", label));
      return parse_operation(graph);
    }
    const bool with_start = words_.word() == "irequires";
    if (!with_start && words_.word() != "requires")
      words_.wrong(fmt::format("{} after '{}': write ':' and an operation, requires or irequires",
                               GoalWords::shown(words_.word()), label));
    words_.take();
    const std::uint32_t later = find(label), earlier = find(words_.word());
    words_.take();
    graph.dependencies.push_back({earlier, later, with_start});
  }

  static bool is_operation(std::string_view word) {
    return word == "send" || word == "recv" || word == "calc";
  }

  std::uint32_t find(std::string_view label) const {
    const auto found = labels_.find(label);
    if (found == labels_.end())
      words_.wrong(
          fmt::format("{} is not a label of an operation above in this rank: define it first",
                      GoalWords::shown(label)));
    return found->second;
  }

  void parse_operation(RankGraph& graph) {
    constexpr Count kMostBytes = Count{1} << 50,
                    kMostTag = std::numeric_limits<std::int64_t>::max();
    constexpr Count kMostNanoseconds = kLongest / kNanosecond;
    Operation o;
    o.line = words_.line();
    const std::string_view kind = words_.take();
    if (kind == "calc") {
      o.duration = words_.number("calc", kMostNanoseconds) * kNanosecond;
    } else {
      o.kind = kind == "send" ? Operation::Kind::send : Operation::Kind::receive;
      o.bytes = words_.number(kind, kMostBytes, "b");
      const char* const joint = kind == "send" ? "to" : "from";
      words_.expect(joint, kind);
      if (o.kind == Operation::Kind::receive && words_.take_if(kAnyRank))
        o.peer = simulator::kAnySource;
      else
        o.peer =
            static_cast<Rank>(words_.number(joint, static_cast<Count>(trace_.ranks.size()) - 1));
    }
    for (;;) {
      if (o.kind != Operation::Kind::compute && words_.take_if("tag"))
        o.tag = words_.number("tag", kMostTag);
      else if (words_.take_if("cpu"))
        o.processor = static_cast<std::int32_t>(words_.number("cpu", kMostProcessors));
      else if (words_.word() == "nic")
        only_first(words_.take());
      else
        break;
    }
    graph.operations.push_back(o);
  }

  void only_first(std::string_view what) {
    const Count number = words_.number(what, std::numeric_limits<std::int32_t>::max());
    if (number != 0)
      words_.wrong(fmt::format("{} is {}, but a simulated rank has one: make it another rank, or 0",
                               what, number));
  }

  GoalWords words_;
  std::int32_t channels_;
  TraceGraph trace_;
  std::unordered_map<std::string_view, std::uint32_t> labels_;  // of the rank's operations
};

}  // namespace

bool is_goal(std::string_view content) {
  static const std::string kNoPath;
  try {
    return GoalWords(content, kNoPath).word() == "num_ranks";
  } catch (const Error&) {
    return false;
  }
}

TraceGraph parse_goal(std::string_view content, const std::string& path) {
  return GoalParser(content, path).parse();
}

}  // namespace arlab::bench
