// Units: numbers as people write them on a command line, and back.
//
// Counts and sizes: 1000003, 4K, 1M, 2G (K = 1024), also KiB, KB. Lists: 2,4,8. Ranges: 2..1024
// doubles, 2..1024*4 multiplies, 1..64+1 adds. Times: 5us, 80ps, 1.5ms, 0.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace arlab::bench {

/// All throw Error(usage) that names `what` and the text.
std::int64_t parse_count(std::string_view text, std::string_view what);
std::vector<std::int64_t> parse_counts(const std::vector<std::string>& texts,
                                       std::string_view what);
/// Picoseconds, at most what 64 bits can count (106 days).
double parse_time(std::string_view text, std::string_view what);

std::string show_bytes(std::int64_t bytes);           ///< "4 KiB", "1000 B", "1.5 MiB"
std::string show_time(double microseconds);           ///< "12.3 us", "4.56 ms"
std::string show_count(std::int64_t count);           ///< "1'048'576"
std::string show_picoseconds(double picoseconds);     ///< exact and short: "5us", "80ps"
std::string show_bandwidth(double bytes_per_second);  ///< "100 Gbit/s"
std::string show_plural(std::int64_t count, std::string_view noun);  ///< "1 rank", "1'024 ranks"

}  // namespace arlab::bench
