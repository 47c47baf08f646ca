// Units: what the command line adds to algorithms/base/quantities.hpp: lists, ranges and rounded
// numbers for tables.
//
// Lists: 2,4,8. Ranges: 2..1024 doubles, 2..1024x4 (or *4, which shells may expand) multiplies,
// 1..64+1 adds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/base/quantities.hpp"

namespace arlab::bench {

/// Reads counts and ranges of counts; each number once, in the order of their first mention. Throws
/// Error(usage) that names `what` and the text.
std::vector<std::int64_t> parse_counts(const std::vector<std::string>& texts,
                                       std::string_view what);

/// Adds the value unless it is there.
template <class T>
void add_once(std::vector<T>& all, const T& one) {
  if (std::find(all.begin(), all.end(), one) == all.end()) all.push_back(one);
}

/// Returns the texts, each once, in the order of their first mention.
std::vector<std::string> without_repeats(const std::vector<std::string>& texts);

/// Returns the number. Throws Error(usage) that names `what` unless it is from `least` to `most`.
std::int32_t checked_number(std::int64_t number, std::string_view what, std::int32_t least,
                            std::int32_t most);

/// Returns a seed of random numbers. Throws Error(usage) that names `what` unless it is 0 or more.
std::uint64_t parse_seed(std::string_view text, std::string_view what);

/// Returns bytes per second: "10G" is in bits per second, as are "10Gbps" and "1.25GB/s". Refuses
/// "10", which is below 1 Mbit/s without a unit. Throws Error(usage) that names `what`.
double parse_port_rate(const std::string& text, const std::string& what);

std::string show_bytes(std::int64_t bytes);           ///< "4 KiB", "1000 B", "1.5 MiB"
std::string show_time(double microseconds);           ///< "12.3 us", "4.56 ms"
std::string show_count(std::int64_t count);           ///< "1048576", as spreadsheets read it
std::string with_commas(std::int64_t count);          ///< "1,048,576", for sentences
std::string show_bandwidth(double bytes_per_second);  ///< "100 Gbit/s"
std::string show_rate(double per_second);             ///< "13570", and "2.21" of a slow one
std::string show_percent(double part);                ///< "12.3%"
std::string show_plural(std::int64_t count, std::string_view noun);  ///< "1 rank", "1,024 ranks"

}  // namespace arlab::bench
