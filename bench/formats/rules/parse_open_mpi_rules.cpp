// Reads classic rules files of Open MPI, and says what the library does not: why it would ignore
// one.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "algorithms/base/error.hpp"
#include "bench/formats/rules/open_mpi_ids.hpp"
#include "bench/formats/rules/open_mpi_rules.hpp"

namespace arlab::bench {
namespace {

constexpr std::string_view kSecondVersion = "rule-file-version-2";

struct RulesToken {
  std::string text;
  int line = 0;
};

std::vector<RulesToken> rules_tokens(const std::string& text) {
  std::vector<RulesToken> tokens;
  int line = 1;
  bool comment = false, open = false;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\t' || c == '\r' || c == '\n';
    if (c == '#') comment = true;
    if (comment || space) {
      open = false;
    } else {
      if (!open) tokens.push_back({"", line});
      tokens.back().text += c;
      open = true;
    }
    if (c == '\n') ++line, comment = false;
  }
  return tokens;
}

class RulesParser {
 public:
  RulesParser(const std::string& text, std::string path, const OpenMpiVersion& version)
      : tokens_(rules_tokens(text)), path_(std::move(path)), version_(version) {}

  TuningTable table() {
    if (next_ < tokens_.size() && tokens_[next_].text == kSecondVersion) {
      const bool reads = version_ >= OpenMpiVersion{5, 0, 7} ||
                         (version_ >= OpenMpiVersion{4, 1, 8} && version_.major == 4);
      if (!reads)
        wrong(fmt::format("'{}' needs Open MPI 4.1.8 or 5.0.7, but this is {}", kSecondVersion,
                          name(version_)));
      ++next_;
      fields_ = 5;
    }
    const Count collectives = number("the number of collectives", 1);
    for (Count i = 0; i < collectives; ++i) read_collective();
    if (next_ < tokens_.size())
      wrong(fmt::format("'{}' follows the last rule: the numbers of rules do not add up",
                        tokens_[next_].text));
    if (table_.rows.empty()) wrong("has no rules of allreduce (collective 2)");
    // A row holds up to the next; fewer ranks than the first take the first.
    for (std::size_t i = 0; i < table_.rows.size(); ++i)
      table_.rows[i].last =
          i + 1 < table_.rows.size() ? table_.rows[i + 1].first - 1 : TuningTable::kNoEnd;
    table_.rows.front().first = 1;
    return std::move(table_);
  }

 private:
  [[noreturn]] void wrong(const std::string& what) const {
    const int line = tokens_.empty() ? 1 : tokens_[std::min(next_, tokens_.size() - 1)].line;
    fail(Blame::usage,
         fmt::format("rules file {}, line {}: {}: Open MPI would ignore the whole file, or abort",
                     path_, line, what));
  }

  Count number(const char* what, Count least) {
    if (next_ >= tokens_.size()) wrong(fmt::format("the file ends before {}", what));
    const std::string& text = tokens_[next_].text;
    const bool digits =
        !text.empty() && text.size() < 19 &&
        std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (!digits) wrong(fmt::format("{} is '{}', not a number", what, text));
    if (text.size() > 1 && text[0] == '0')
      wrong(fmt::format("{} is {}, which Open MPI reads as an octal number: remove the leading 0",
                        what, text));
    const Count value = std::stoll(text);
    if (value < least) wrong(fmt::format("{} is {}: at least {}", what, value, least));
    ++next_;
    return value;
  }

  void read_collective() {
    const bool allreduce = number("the collective", 0) == kOpenMpiAllreduce;
    const Count rows = number("the number of communicator sizes", 0);
    for (Count i = 0; i < rows; ++i) read_row(allreduce);
  }

  void read_row(bool allreduce) {
    TuningTable::Row row;
    row.first = number("the number of ranks", 0);
    if (allreduce && !table_.rows.empty() && row.first <= table_.rows.back().first)
      wrong(fmt::format("{} ranks do not follow {}: they must ascend", row.first,
                        table_.rows.back().first));
    const Count rules = number("the number of rules", 1);
    for (Count i = 0; i < rules; ++i) read_rule(row, allreduce);
    if (allreduce) table_.rows.push_back(std::move(row));
  }

  void read_rule(TuningTable::Row& row, bool allreduce) {
    TuningTable::Sizes rule;
    const std::size_t begin = next_;
    rule.first = number("the size of a rule", 0);
    const Count id = number("the algorithm of a rule", 0);
    number("the fan-out of a rule", 0);
    const Count segment = number("the segment of a rule", 0);
    if (fields_ == 5) number("the requests of a rule", 0);
    // A rule is one line; with a number missing, the next line would be read as its end.
    if (tokens_[begin].line != tokens_[next_ - 1].line) {
      next_ = begin;
      wrong(fmt::format("a rule of fewer than {} numbers", fields_));
    }
    if (row.sizes.empty() && rule.first != 0) wrong("the first rule is not for 0 bytes");
    if (!row.sizes.empty()) {
      if (rule.first <= row.sizes.back().first) wrong("sizes of rules do not ascend");
      row.sizes.back().last = rule.first - 1;
    }
    if (allreduce && id > 0) rule.choice.algorithm = choice_of(id, segment);
    row.sizes.push_back(std::move(rule));
  }

  std::string choice_of(Count id, Count segment) {
    const std::string_view name_of_id =
        id < 100 ? open_mpi_algorithm(static_cast<int>(id), version_) : std::string_view();
    if (name_of_id.empty())
      wrong(fmt::format("Open MPI {} has no allreduce algorithm {}", name(version_), id));
    return segment > 0 ? fmt::format("native:{}:segment={}", name_of_id, segment)
                       : fmt::format("native:{}", name_of_id);
  }

  std::vector<RulesToken> tokens_;
  std::size_t next_ = 0;
  std::string path_;
  OpenMpiVersion version_;
  int fields_ = 4;
  TuningTable table_;
};

}  // namespace

TuningTable parse_open_mpi_rules(const std::string& text, const std::string& path,
                                 const OpenMpiVersion& version) {
  return RulesParser(text, path, version).table();
}

}  // namespace arlab::bench
