#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "algorithms/base/text.hpp"
#include "bench/logs/layout.hpp"
#include "bench/logs/log.hpp"
#include "bench/logs/mpi_rows.hpp"
#include "bench/logs/nccl_rows.hpp"
#include "bench/logs/preamble.hpp"
#include "bench/logs/row_shape.hpp"
#include "bench/logs/run_facts.hpp"
#include "bench/logs/words.hpp"
#include "bench/text/words.hpp"

namespace arlab::bench {
namespace {

using Words = std::vector<std::string_view>;

std::string_view trim(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

// A table whose rows are being read.
struct OpenTable {
  std::size_t line = 0;
  LogLayout layout;
  NcclRows nccl;
  std::vector<MpiRow> mpi;
  std::string mentioned;  // the last program of nccl-tests that the lines before name
  bool ended = false;     // by the line that follows a table
};

// The lines of one writer: those with the same prefix.
struct Stream {
  LogPreamble preamble;
  std::optional<OpenTable> table;
  bool used = false;    // the preamble has had a table
  bool awaits = false;  // a table, whose benchmark is named, but not its columns
};

class TextReader {
 public:
  explicit TextReader(const LogHints& hints) : hints_(hints) {}

  void read(std::size_t number, std::string_view raw) {
    line_ = number;
    const std::string line = without_stamps(raw);
    for (std::size_t at = line.find('#'); at != std::string::npos; at = line.find('#', at + 1))
      if (read_comment_at(line, at, raw)) return;
    const Words words = words_of(line);
    if (words.empty()) return;
    remember(line, words);
    read_row(line, words);
  }

  Log finish() {
    for (auto& [key, stream] : streams_) close(stream);
    std::stable_sort(log_.tables.begin(), log_.tables.end(),
                     [](const LogTable& a, const LogTable& b) { return a.line < b.line; });
    std::stable_sort(log_.notes.begin(), log_.notes.end(),
                     [](const LogNote& a, const LogNote& b) { return a.line < b.line; });
    return std::move(log_);
  }

 private:
  void refuse(std::string why) { log_.notes.push_back({line_, std::move(why), true}); }

  OpenTable opened(const LogLayout& layout) const {
    OpenTable table;
    table.line = line_;
    table.layout = layout;
    table.mentioned = facts_.program();
    return table;
  }

  // Whether the line from `at` on is a comment of a benchmark; what is before it is the prefix.
  bool read_comment_at(const std::string& line, std::size_t at, std::string_view raw) {
    const std::string_view comment = std::string_view(line).substr(at);
    const std::string key(trim(std::string_view(line).substr(0, at)));
    if (const std::optional<LogLayout> layout = log_layout(comment)) {
      Stream& stream = streams_[key];
      close(stream);
      stream.table = opened(*layout);
      stream.used = true;
      stream.awaits = false;
      return true;
    }
    const auto known = streams_.find(key);
    if (known != streams_.end()) close_before(comment, known->second);
    if (begins_run(comment)) facts_.begin_run();
    LogPreamble first;  // of a prefix that is not known yet
    const LogComment kind =
        read_comment(comment, known == streams_.end() ? first : known->second.preamble);
    if (kind == LogComment::none) return false;
    Stream& stream = streams_[key];
    if (known == streams_.end()) stream.preamble = std::move(first);
    if (kind == LogComment::next) close(stream), stream.awaits = true;
    if (const std::size_t date = raw.find("# Date"); date != std::string_view::npos)
      stream.preamble.date = std::string(trim(raw.substr(raw.find(':', date) + 1)));
    if (kind == LogComment::ends) {
      judge(comment);
      if (stream.table) stream.table->ended = true;
      close(stream);
    }
    return true;
  }

  // The rows of a table are of what was said before them: a comment that says another thing, such
  // as the next benchmark, its ranks or its type, ends the table first.
  void close_before(std::string_view comment, Stream& stream) {
    if (stream.table) {
      LogPreamble next = stream.preamble;
      read_comment(comment, next);
      if (next != stream.preamble) {
        // So that rows without a head of their own are refused, not passed over.
        stream.awaits = stream.table->layout.tool != LogTool::nccl_tests;
        close(stream);
      }
    }
    if (!begins_run(comment)) return;
    close(stream);
    if (std::exchange(stream.used, false)) stream.preamble = {};
  }

  // What lines say that are neither comments nor rows.
  void remember(const std::string& line, const Words& words) {
    facts_.read(line, words);
    if (line.find("Out of bounds values") != std::string::npos)  // version 1 has no # there
      if (auto* stream = stream_of(trim(line))) {
        stream->second.table->ended = true;
        judge(line);
      }
    const std::string failure = streams_.empty() ? "" : failure_in(line);
    if (!failure.empty() && !std::exchange(log_.cut, true))
      log_.notes.push_back({line_, "the benchmark failed: " + failure, false});
  }

  void judge(std::string_view foot) {
    if (const std::string verdict = failed_verdict(foot); !verdict.empty())
      log_.fail(line_, verdict);
  }

  // Of those with an open table, the stream with the longest prefix that the line has.
  std::pair<const std::string, Stream>* stream_of(std::string_view line) {
    std::pair<const std::string, Stream>* found = nullptr;
    for (auto& entry : streams_)
      if (entry.second.table && line.starts_with(entry.first) &&
          (!found || entry.first.size() > found->first.size()))
        found = &entry;
    return found;
  }

  void read_row(const std::string& text, const Words& words) {
    const std::string_view line = trim(text);
    auto* found = stream_of(line);
    if (!found && std::none_of(streams_.begin(), streams_.end(),
                               [](const auto& entry) { return entry.second.used; }))
      if (const std::optional<LogLayout> layout = implied_layout(words)) {
        log_.notes.push_back({line_,
                              "no line heads this table: its columns are taken to be those "
                              "of nccl-tests 2",
                              false});
        streams_[""].table = opened(*layout);
        streams_[""].used = true;
        found = &*streams_.find("");
      }
    if (!found) {
      if (holds_row(words)) return refuse("a row outside of a table, or behind another prefix");
      const bool awaited = std::any_of(streams_.begin(), streams_.end(),
                                       [](const auto& entry) { return entry.second.awaits; });
      if (awaited && words.size() > 1 && ends_in_numbers(words, words.size()))
        refuse("numbers without a line that heads them");
      return;
    }
    OpenTable& table = *found->second.table;
    const Words own = words_of(line.substr(found->first.size()));
    if (own.empty() || !is_like_row(own, table.layout.tool)) {
      const bool row = table.layout.tool == LogTool::nccl_tests
                           ? holds_row(words)
                           : ends_like_row(words, table.layout.columns.size());
      if (row) refuse("a row behind another prefix than that of the table's head");
      return;
    }
    if (table.layout.tool == LogTool::nccl_tests)
      add(table.nccl, nccl_rows(own, table.layout, line_, found->second.preamble.last_in_place));
    else
      add(table.mpi, mpi_row(own, table.layout, line_));
    if (table.layout.tool == LogTool::osu && own.back() == "Fail")  // its column Validation
      log_.fail(line_, fmt::format("the validation of {} bytes", own.front()));
  }

  void add(NcclRows& rows, std::variant<NcclRows, std::string> read) {
    if (auto* why = std::get_if<std::string>(&read)) return refuse(std::move(*why));
    for (NcclLogRow& row : std::get<NcclRows>(read)) rows.push_back(std::move(row));
  }
  void add(std::vector<MpiRow>& rows, std::variant<MpiRow, std::string> read) {
    if (auto* why = std::get_if<std::string>(&read)) return refuse(std::move(*why));
    rows.push_back(std::get<MpiRow>(read));
  }

  void close(Stream& stream) {
    if (!stream.table) return;
    OpenTable table = std::move(*stream.table);
    stream.table.reset();
    const LogPreamble& p = stream.preamble;
    if (table.layout.tool != LogTool::nccl_tests)
      return settle(table.line, table.layout, p, table.mpi, hints_, log_);
    facts_.end_run();
    if (!table.ended && !table.nccl.empty()) {
      log_.notes.push_back({table.line, "the table has no end: the log may be cut", false});
      log_.cut = log_.cut || !table.layout.implied;  // rows without a header are a part on purpose
    }
    if (std::string note = split_note(p); !note.empty() && !table.nccl.empty())
      log_.notes.push_back({table.line, std::move(note), false});
    settle(NcclTable{.line = table.line,
                     .origin = facts_.origin(p),
                     .program = p.program,
                     .mentioned = table.mentioned,
                     .ranks = listed_ranks(p),
                     .host_of_rank = hosts_of_ranks(p),
                     .rows = std::move(table.nccl)},
           hints_, log_);
  }

  LogHints hints_;
  Log log_;
  std::map<std::string, Stream> streams_;  // by prefix
  RunFacts facts_;
  std::size_t line_ = 0;
};

}  // namespace

Log read_log_text(const std::string& text, const LogHints& hints) {
  TextReader reader(hints);
  std::size_t number = 0;
  for (const std::string_view line : lines_of(text)) reader.read(++number, line);
  return reader.finish();
}

}  // namespace arlab::bench
