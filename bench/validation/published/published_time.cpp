#include "bench/validation/published/published_time.hpp"

#include <charconv>

#include "bench/validation/published/csv_table.hpp"

namespace arlab::bench {
namespace {

constexpr Count kMostPublishedRanks = 1 << 20;
constexpr Count kMostBytes = Count{1} << 50;

// The sizes of "4x4x4" or "128"; none if the text is something else.
std::vector<Rank> sizes_of(const std::string& text) {
  std::vector<Rank> sizes;
  const char* at = text.data();
  const char* const end = at + text.size();
  for (;;) {
    Rank size = 0;
    const auto [next, error] = std::from_chars(at, end, size);
    if (error != std::errc() || size < 1) return {};
    sizes.push_back(size);
    if (next == end) return sizes;
    if (*next != 'x') return {};
    at = next + 1;
  }
}

Split split_of(const CsvTable& table, std::size_t row) {
  const std::string text = table.text(row, "split");
  if (text == "calibrate") return Split::calibrate;
  if (text == "test") return Split::test;
  table.refuse(row, "split", "give calibrate or test");
}

}  // namespace

std::string_view name(Split split) { return split == Split::test ? "test" : "calibrate"; }

std::string job_of(const PublishedTime& row) {
  return row.library + '|' + row.nodes + '|' + std::to_string(row.ranks_per_node) + '|' + row.run;
}

std::vector<double> measured_us(const std::vector<PublishedTime>& rows) {
  std::vector<double> us;
  for (const PublishedTime& row : rows) us.push_back(row.median_us);
  return us;
}

std::vector<PublishedTime> read_published_times(std::string_view text, const std::string& name) {
  const CsvTable table(
      text, name,
      {"system", "nodes", "ranks_per_node", "library", "algorithm", "bytes", "median_us", "split"});
  std::vector<PublishedTime> rows;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    PublishedTime row{.system = table.text(i, "system"),
                      .nodes = table.text(i, "nodes"),
                      .torus = {},
                      .ranks_per_node = static_cast<Rank>(table.whole(i, "ranks_per_node", 1)),
                      .library = table.text(i, "library"),
                      .algorithm = table.text(i, "algorithm"),
                      .bytes = table.whole(i, "bytes", 1),
                      .median_us = table.number(i, "median_us", 1e-6),
                      .run = table.text(i, "run"),
                      .split = split_of(table, i)};
    if (row.bytes > kMostBytes) table.refuse(i, "bytes", "give at most 1125899906842624");
    if (row.system.empty()) table.refuse(i, "system", "name the system");
    if (row.algorithm.empty()) table.refuse(i, "algorithm", "name the algorithm");
    const std::vector<Rank> sizes = sizes_of(row.nodes);
    if (sizes.empty()) table.refuse(i, "nodes", "give a number, or the sizes of a torus as 4x4x4");
    Count ranks = row.ranks_per_node;
    for (const Rank size : sizes) ranks = ranks > kMostPublishedRanks ? ranks : ranks * size;
    if (ranks > kMostPublishedRanks) table.refuse(i, "nodes", "give at most 1048576 ranks");
    row.ranks = static_cast<Rank>(ranks);
    if (sizes.size() > 1) row.torus = sizes;
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace arlab::bench
