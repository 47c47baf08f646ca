// Acceptance: whether measured bus bandwidths are those that others reach on such machines.
//
// Expected values are medians of public tables (bench/references/public_busbw.csv), or of records
// that the user names. Sizes below 1 MiB are not judged: there latencies differ with the network.
// Tables of machines at a part of their rates are left out, as those of four and eight L40S in
// ai-dynamo/aiconfigurator, with 1.5 GB/s on a bus of 25 GB/s.
#pragma once

#include <compare>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "bench/results/record.hpp"
#include "bench/results/result_file.hpp"

namespace arlab::bench {

extern const std::string_view kPublicBusbw;  ///< the file, compiled in

/// GB/s of a collective on a number of ranks, by bytes of the vector.
using BusbwBySize = std::map<std::int64_t, double>;

/// What is compared with its like only.
struct RunShape {
  std::string collective;
  std::int64_t ranks = 0, hosts = 0;  ///< hosts 0: not known
  auto operator<=>(const RunShape&) const = default;
};

struct Expectation {
  std::string what;                  ///< "h100x8"
  std::vector<std::string> sources;  ///< of the numbers
  std::map<RunShape, BusbwBySize> busbw = {};
  std::string gpu = {};  ///< "H100"; empty: that of a file
};

/// Returns the public numbers of "h100" on any number of GPUs, or of "h100x8". Throws Error(usage)
/// that lists the names.
Expectation public_expectation(const std::string& spec);

/// Returns the medians of records with times.
Expectation expectation_of(const std::vector<Json>& records, const std::string& what);

inline constexpr double kLookRatio = 0.85;   ///< of the expected bandwidth
enum class Acceptance { pass, look, fail };  ///< at least 95%, 85%, below

struct Judged {
  Json record;
  double busbw = 0, expected = 0;  ///< GB/s
  std::string gpu = {};            ///< as in the expectation
  std::int64_t hosts = 0;          ///< of the numbers expected; 0: not known
  double ratio() const { return busbw / expected; }
  std::int64_t wrong() const;  ///< elements; 0 also where they were not checked
  Acceptance verdict() const;  ///< fail if elements are wrong, whatever the bandwidth
};

struct Judgment {
  std::vector<Judged> all;   ///< those with wrong elements first, then the least ratio
  std::size_t unjudged = 0;  ///< rows that are too small, or of which nothing is expected
  std::vector<std::string> notes = {};  ///< how the runs differ from the machine of the numbers
  std::vector<std::string> faults =
      {};  ///< beside low bandwidths: wrong elements, a log that is cut
  bool failed() const;
};

/// Compares the records with what is expected of their collective, ranks, hosts and size; between
/// two sizes on a straight line of logarithms. Throws Error(usage) if none is judged, since all are
/// on other numbers of hosts.
Judgment judge(const std::vector<Json>& records, const Expectation& expectation);

/// The same, and compares the GPU; results that are cut short fail.
Judgment judge_results(const Results& results, const Expectation& expectation);

/// Returns what may be the reason for a low bandwidth, as far as the context or the ratio tells;
/// empty if nothing does. Of wrong elements: how many they are.
std::string likely_reason(const Judged& judged, const Json& context);

std::string table(const Judgment& judgment);

}  // namespace arlab::bench
