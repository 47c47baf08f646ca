#include "bench/logs/nccl_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/logs/nccl_names.hpp"

namespace arlab::bench {
namespace {

std::string refused(std::string_view what, std::string_view word) {
  return fmt::format("{} is '{}'", what, word.substr(0, 40));
}

// Fills in a column of `row`; returns why it cannot.
std::string read_column(LogColumn column, std::string_view word, double unit, NcclLogRow& row) {
  const auto number = [&](const char* what, Printed& into) {
    const std::optional<Printed> value = printed_number(word);
    if (!value || value->value < 0) return refused(what, word);
    into = *value;
    return std::string();
  };
  switch (column) {
    case LogColumn::time: {
      const std::string why = number("the time", row.time_us);
      row.time_us = {row.time_us.value * unit, row.time_us.half * unit};
      return row.time_us.value > 0 ? why : refused("the time", word);
    }
    case LogColumn::algbw:
      return number("algbw", row.algbw);
    case LogColumn::busbw:
      return number("busbw", row.busbw);
    case LogColumn::wrong: {
      const std::optional<Printed> value = printed_number(word);
      if (!value && word != "N/A") return refused("#wrong", word);
      if (value && (value->value < 0 || value->value > 9e18)) return refused("#wrong", word);
      row.wrong = value ? std::optional(std::llround(value->value)) : std::nullopt;
      return "";
    }
    case LogColumn::error: {
      constexpr double kMost = 1e9;  // of a relative error, or of one in units of the type
      const std::optional<Printed> value = printed_number(word);
      if (word == "N/A" || (value && value->value >= 0 && value->value < kMost)) return "";
      return refused("the error", word);
    }
    default:
      if (printed_number(word) || word == "N/A") return "";
      return refused("a number", word);
  }
}

std::string read_problem(LogColumn column, std::string_view word, NcclLogRow& row) {
  const std::optional<std::int64_t> whole = whole_number(word);
  switch (column) {
    case LogColumn::size:
    case LogColumn::count:
      if (!whole) return refused(column == LogColumn::size ? "the size" : "the count", word);
      (column == LogColumn::size ? row.size : row.count) = *whole;
      return "";
    case LogColumn::type:
      if (const auto type = nccl_type(word)) return row.dtype = *type, "";
      return refused("the type", word);
    case LogColumn::op: {
      const std::optional<NcclOp> op = nccl_op(word);
      if (!op) return refused("redop", word);
      if (!op->known) return fmt::format("records have no operation {}", word);
      row.op = op->op;
      return "";
    }
    default:  // the root
      if (word == "-1") return "";
      if (!whole || *whole > (1 << 22)) return refused("the root", word);
      row.root = static_cast<Rank>(*whole);
      return "";
  }
}

bool is_problem(LogColumn column) { return column <= LogColumn::root; }

}  // namespace

std::variant<NcclRows, std::string> nccl_rows(const std::vector<std::string_view>& words,
                                              const LogLayout& layout, std::size_t line,
                                              bool one_is_in_place) {
  if (words.size() != layout.columns.size())
    return fmt::format("{} words, but the table has {} columns", words.size(),
                       layout.columns.size());
  if (layout.count(LogColumn::cpu_time) > 0)
    return std::string("cputime (-C 1) is the time of the calls, not that of the collective");
  const int halves = layout.count(LogColumn::time);
  if (halves < 1 || halves > 2) return fmt::format("{} times in a row", halves);
  NcclLogRow first{.line = line};
  NcclRows rows;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const LogColumn column = layout.columns[i];
    if (column == LogColumn::time) {
      rows.push_back(first);
      rows.back().in_place = halves == 1 ? one_is_in_place : rows.size() == 2;
    }
    std::string why = is_problem(column) ? read_problem(column, words[i], first)
                      : rows.empty()
                          ? refused("a word", words[i])
                          : read_column(column, words[i], layout.microseconds, rows.back());
    if (!why.empty()) return why;
  }
  for (const NcclLogRow& row : rows)
    if (std::string why = contradiction(row); !why.empty()) return why;
  return rows;
}

std::string contradiction(const NcclLogRow& row) {
  const auto element = static_cast<std::int64_t>(collectives::size_of(row.dtype));
  if (row.size % element != 0 || row.count > row.size / element ||
      (row.count == 0) != (row.size == 0) || (row.count > 0 && row.size / element % row.count != 0))
    return fmt::format("{} elements of {} bytes are no part of {} bytes", row.count, element,
                       row.size);
  const auto size = static_cast<double>(row.size) / 1e3;  // GB/s are bytes per nanosecond
  const double least = size / row.time_us.high();
  const double most = row.time_us.low() > 0 ? size / row.time_us.low() : INFINITY;
  if (row.algbw.high() < least || row.algbw.low() > most)
    return fmt::format("algbw is {:.6g} GB/s, but {} bytes in {:.6g} us are {:.6g} GB/s",
                       row.algbw.value, row.size, row.time_us.value, size / row.time_us.value);
  return "";
}

}  // namespace arlab::bench
