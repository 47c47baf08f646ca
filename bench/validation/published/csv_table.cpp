#include "bench/validation/published/csv_table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "algorithms/base/error.hpp"
#include "algorithms/base/read_number.hpp"
#include "algorithms/base/text.hpp"

namespace arlab::bench {
namespace {

// Fields in quotes may hold commas; two quotes stand for one.
std::vector<std::string> fields_of(std::string_view line) {
  std::vector<std::string> fields(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && quoted && i + 1 < line.size() && line[i + 1] == '"')
      fields.back() += line[++i];
    else if (c == '"')
      quoted = !quoted;
    else if (c == ',' && !quoted)
      fields.emplace_back();
    else
      fields.back() += c;
  }
  return fields;
}

}  // namespace

CsvTable::CsvTable(std::string_view text, std::string name,
                   const std::vector<std::string_view>& required)
    : name_(std::move(name)) {
  std::size_t number = 0;
  for (std::string_view line : lines_of(text)) {
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;
    std::vector<std::string> fields = fields_of(line);
    if (header_.empty()) {
      header_ = std::move(fields);
      continue;
    }
    if (fields.size() != header_.size())
      fail(Blame::usage,
           fmt::format("{} line {}: {} fields, but the header has {}: complete or remove the line",
                       name_, number, fields.size(), header_.size()));
    rows_.push_back(std::move(fields));
    lines_.push_back(number);
  }
  if (header_.empty())
    fail(Blame::usage,
         fmt::format("{} is empty: write a header line with {}", name_, fmt::join(required, ", ")));
  for (const std::string_view one : required)
    if (column(one) == kMissing)
      fail(Blame::usage,
           fmt::format("{} has no column '{}': add it to the header line, which has {}", name_, one,
                       fmt::join(header_, ", ")));
  if (rows_.empty())
    fail(Blame::usage, fmt::format("{} has a header but no rows: add measurements", name_));
}

std::size_t CsvTable::column(std::string_view name) const {
  const auto at = std::find(header_.begin(), header_.end(), name);
  return at == header_.end() ? kMissing : static_cast<std::size_t>(at - header_.begin());
}

std::string CsvTable::text(std::size_t row, std::string_view name) const {
  const std::size_t at = column(name);
  return at == kMissing ? std::string() : rows_[row][at];
}

double CsvTable::number(std::size_t row, std::string_view name, double least) const {
  const auto value = read_number<double>(text(row, name));
  if (!value || !std::isfinite(*value) || *value < least)
    refuse(row, name, least > 0 ? "give a positive number" : "give a number");
  return *value;
}

std::int64_t CsvTable::whole(std::size_t row, std::string_view name, std::int64_t least) const {
  const auto value = read_number<std::int64_t>(text(row, name));
  if (!value || *value < least)
    refuse(row, name, fmt::format("give a whole number of at least {}", least));
  return *value;
}

void CsvTable::refuse(std::size_t row, std::string_view name, std::string_view remedy) const {
  fail(Blame::usage,
       fmt::format("{} line {}: {} '{}': {}", name_, lines_[row], name, text(row, name), remedy));
}

}  // namespace arlab::bench
