#include "bench/simulate/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"
#include "bench/text/read_file.hpp"
#include "bench/text/table.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {
namespace {

// A number of at least `least`, or nothing.
template <class Number>
bool holds(const Json& line, const char* key, Number least) {
  return line.contains(key) && line[key].is_number() && line[key].get<Number>() >= least;
}

}  // namespace

Profile::Profile(const std::string& path) {
  const std::string text = read_file(path, "give a file written with ARLAB_PROFILE=FILE");
  std::size_t number = 0;
  for (const std::string_view line : lines_of(text)) {
    ++number;
    if (trimmed(line).empty()) continue;
    const Json json = Json::parse(line, nullptr, false);
    if (!json.is_object() || json.value("kind", Json()) != "profile" ||
        !holds<Count>(json, "bytes", 0) || !holds<Count>(json, "calls", 1) ||
        !holds<Count>(json, "ranks", 1) || !holds<double>(json, "least_rank_s", 0.0) ||
        !json.contains("dtype"))
      fail(Blame::usage,
           fmt::format("{} line {} is not a line of a profile, with \"kind\":\"profile\", ranks, "
                       "bytes, calls, dtype "
                       "and least_rank_s: give a file written with ARLAB_PROFILE=FILE",
                       path, number));
    const Bytes bytes = json["bytes"];
    const Count calls = json["calls"];
    if (bytes == 0 || bytes % 4 != 0) {
      left_out_ += calls;
      continue;
    }
    ranks_ = std::max(ranks_, json["ranks"].get<Rank>());
    by_size_[bytes].calls += calls;
    by_size_[bytes].measured_us += json["least_rank_s"].get<double>() * 1e6;
  }
  if (by_size_.empty())
    fail(Blame::usage,
         fmt::format("{} has no calls with elements of 4 bytes: profile a program that calls "
                     "MPI_Allreduce",
                     path));
}

std::vector<std::string> Profile::sizes() const {
  std::vector<std::string> all;
  for (const auto& [bytes, calls] : by_size_) all.push_back(std::to_string(bytes));
  return all;
}

void Profile::add(const Record& record) {
  const auto found = by_size_.find(record.bytes());
  if (found == by_size_.end() || record.skipped) return;
  const auto& body = record.as<SimulateBody>();
  Sum& sum =
      sums_[{record.algorithm, std::to_string(record.problem.ranks), body.topology, body.model}];
  sum.us += *body.modelled_us * static_cast<double>(found->second.calls);
  ++sum.sizes;
}

std::string Profile::table() const {
  Count calls = 0;
  double measured = 0;
  for (const auto& [bytes, its] : by_size_) {
    calls += its.calls;
    measured += its.measured_us;
  }
  std::vector<std::pair<std::vector<std::string>, Sum>> sums(sums_.begin(), sums_.end());
  std::stable_sort(sums.begin(), sums.end(),
                   [](const auto& a, const auto& b) { return a.second.us < b.second.us; });
  std::vector<std::vector<std::string>> rows;
  for (const auto& [key, sum] : sums) {
    std::vector<std::string> row = key;
    row.push_back(sum.sizes == by_size_.size() ? show_time(sum.us) : "some sizes skipped");
    rows.push_back(std::move(row));
  }
  std::string text = fmt::format(
      "All {} calls of the profile ({} sizes), which took {} on {}:\n\n{}", with_commas(calls),
      by_size_.size(), show_time(measured), show_plural(ranks_, "rank"),
      compact({"algorithm", "ranks", "topology", "model", "time of all calls"}, rows));
  if (left_out_ > 0)
    text += fmt::format(
        "\nLeft out: {} calls without elements, or of a size that is not a multiple of 4 bytes.\n",
        with_commas(left_out_));
  return text;
}

}  // namespace arlab::bench
