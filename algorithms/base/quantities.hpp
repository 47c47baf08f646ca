// Quantities: numbers with units, as people write them, and back.
//
// Counts and sizes: K, M, G, T (also Ki, KiB) are powers of 1024; KB and MB, which others use for
// powers of 1000, are refused. Rates: k, M, G, T are powers of 1000, and Ki, Mi, Gi, Ti of 1024.
// Spaces around a number and before its unit are ignored.
// Every parser throws Error(usage) that names `what` is read and the text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace arlab {

/// Returns `text` without the spaces around it.
std::string_view trimmed(std::string_view text);

/// Reads "1000003", "64K", "3 GiB": a whole number of 64 bits, exactly.
std::int64_t parse_count(std::string_view text, std::string_view what);

/// Reads "0.01", "-3", "1e9": a finite number without a unit.
double parse_number(std::string_view text, std::string_view what);
/// The same, above zero.
double parse_ratio(std::string_view text, std::string_view what);

/// Reads "5us", "0.08ns", "80ps", "1.5ms", "2s", "0": picoseconds, at most what 64 bits can count
/// (106 days). Refuses what is above 0 and below 1ps, which would count as 0.
double parse_time(std::string_view text, std::string_view what);
/// The same of a time per byte, which may be a part of a picosecond.
double parse_time_per_byte(std::string_view text, std::string_view what);

/// Reads "10G", "2.5T", "1000": a rate above zero, without a unit.
double parse_rate(std::string_view text, std::string_view what);

/// Reads "100Gbps", "100 Gbit/s", "12.5GB/s", "1KiB/s": bytes per second, above zero.
double parse_bandwidth(std::string_view text, std::string_view what);

/// Reads "8x8x4": whole numbers from 1 to 2^22.
std::vector<std::int32_t> parse_sizes(std::string_view text, std::string_view what);

/// Reads "yes" or "no".
bool parse_flag(std::string_view text, std::string_view what);

/// Returns a number in few digits that parse_number reads back exactly: "1048576", "0.1", "1e-09".
std::string show_number(double value);
/// Returns a time in few digits that parse_time reads back: "5us", "80ps", "0".
std::string show_picoseconds(double picoseconds);

}  // namespace arlab
