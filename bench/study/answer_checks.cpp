// What proofs, counts, and checked runs answer: all right, or which are wrong.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "bench/study/answer_parts.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {
namespace {

constexpr std::size_t kMostNamed = 3;

std::string configuration(const Json& record) {
  return fmt::format("{} on {}", contender_name(record),
                     show_plural(record.value("ranks", Count{0}), "rank"));
}

// "ring on 4 ranks, tree on 5 ranks, and 3 more".
std::string some_of(const AnswerRows& rows) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < std::min(kMostNamed, rows.size()); ++i)
    names.push_back(configuration(*rows[i]));
  std::string text = fmt::format("{}", fmt::join(names, ", "));
  if (rows.size() > kMostNamed) text += fmt::format(", and {} more", rows.size() - kMostNamed);
  return text;
}

// "16 algorithms on 1 to 64 ranks".
std::string extent(const AnswerRows& rows) {
  std::set<std::string> algorithms;
  std::set<Count> ranks;
  for (const Json* const row : rows) {
    if (row->value("family", Json()) != "native")
      algorithms.insert(row->value("algorithm", std::string()));
    ranks.insert(row->value("ranks", Count{0}));
  }
  const std::string who = algorithms.size() == 1 ? *algorithms.begin()
                                                 : show_plural(std::ssize(algorithms), "algorithm");
  return ranks.size() == 1 ? fmt::format("{} on {}", who, show_plural(*ranks.begin(), "rank"))
                           : fmt::format("{} on {} to {}", who, with_commas(*ranks.begin()),
                                         show_plural(*ranks.rbegin(), "rank"));
}

void add_skipped(const AnswerRows& skipped, Sentences& all) {
  if (skipped.empty()) return;
  std::map<std::string, AnswerRows> by_algorithm;
  for (const Json* const row : skipped)
    by_algorithm[row->value("algorithm", std::string())].push_back(row);
  std::vector<std::string> parts;
  for (const auto& [algorithm, rows] : by_algorithm) {
    if (parts.size() == kMostNamed) {
      parts.push_back(fmt::format(
          "and {}", show_plural(std::ssize(by_algorithm) - std::ssize(parts), "more algorithm")));
      break;
    }
    parts.push_back(fmt::format("{} {} ({})", algorithm, rows.size(),
                                rows.front()->at("skipped").get<std::string>()));
  }
  all.push_back(fmt::format("{} skipped: {}.", show_plural(std::ssize(skipped), "configuration"),
                            fmt::join(parts, "; ")));
}

}  // namespace

void add_check_answers(const AnswerRows& rows, std::string_view kind, Sentences& all) {
  const bool proofs = kind == "verify", counts = kind == "count";
  AnswerRows checked, wrong, without_formula, skipped;
  for (const Json* const row : rows) {
    if (row->value("skipped", Json()).is_string()) {
      skipped.push_back(row);
    } else if (const Json count = row->value("wrong", Json()); count.is_number()) {
      checked.push_back(row);
      if (count.get<Count>() > 0) wrong.push_back(row);
    } else if (counts) {
      without_formula.push_back(row);
    }
  }
  const std::string done = show_plural(std::ssize(checked), proofs   ? "proof"
                                                            : counts ? "configuration"
                                                                     : "measured configuration");
  const char* const right = proofs ? "all right"
                            : counts
                                ? "claimed = counted in all: messages, elements sent, and rounds"
                                : "all results right";
  if (!checked.empty() && wrong.empty())
    all.push_back(checked.size() == 1 && proofs
                      ? fmt::format("1 proof, right: {}.", extent(checked))
                      : fmt::format("{}, {}: {}.", done, right, extent(checked)));
  if (!wrong.empty())
    all.push_back(
        fmt::format("{} of {} WRONG: {}.", with_commas(std::ssize(wrong)), done, some_of(wrong)));
  if (!without_formula.empty())
    all.push_back(fmt::format("{}, counted only, without a formula: {}.",
                              show_plural(std::ssize(without_formula), "configuration"),
                              extent(without_formula)));
  add_skipped(skipped, all);
}

}  // namespace arlab::bench
