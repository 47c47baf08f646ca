// Parts of answers: the sentences of each command.
#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bench/results/record.hpp"

namespace arlab::bench {

using AnswerRows = std::vector<const Json*>;
using Sentences = std::vector<std::string>;

/// The places first..last of an axis, and the names that all of them have in common.
struct AnswerSpan {
  std::size_t first = 0, last = 0;
  std::vector<std::string> names;
};

/// Returns the spans, from the left, each as long as its places have a name in common.
std::vector<AnswerSpan> spans_of(std::span<const std::vector<std::string>> names);

/// "ring"; "ring or tree"; "ring, tree or chain"; "ring, tree and 4 others" of more than three.
std::string either(const std::vector<std::string>& names, std::string_view conjunction = "or");

/// Returns a text of two ends, or one if they are equal: "1 KiB to 64 KiB".
std::string from_to(const std::string& first, const std::string& last);

/// Returns those of `keys` whose values differ between the records.
std::vector<std::string> varying_keys(std::span<const std::string_view> keys,
                                      std::span<const Json* const> records);

/// The algorithm of a record, with its segments: "ring in 4 segments".
std::string contender_name(const Json& record);

/// Proofs and counts: all right, or which are not.
void add_check_answers(const AnswerRows& rows, std::string_view kind, Sentences& all);
/// The fastest by range, how near it is to the optimum, and what limits it.
void add_simulated_answers(const AnswerRows& rows, Sentences& all);
/// The fastest by range, beside the library's own collective.
void add_measured_answers(const AnswerRows& rows, Sentences& all);

enum class NameRanks { always, if_they_vary };

/// Returns the rows by what they have in common besides the size and the algorithm: the text says
/// which, where it varies: "4 ranks, float16".
std::vector<std::pair<std::string, AnswerRows>> settings_of(
    const AnswerRows& rows, NameRanks name_ranks = NameRanks::always);

/// The places of an axis, ascending, and the rows of each.
std::map<Count, AnswerRows> by_place(const AnswerRows& rows, const char* axis);

}  // namespace arlab::bench
