// Acceptance: whether measured bus bandwidths are those that others reach on such machines.
//
// Expected values are medians of public tables (bench/references/public_busbw.csv), or of records
// that the user names. Sizes below 1 MiB are not judged: there latencies differ with the network.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "bench/results/record.hpp"

namespace arlab::bench {

extern const std::string_view kPublicBusbw;  ///< the file, compiled in

/// GB/s of a collective on a number of ranks, by bytes of the vector.
using BusbwBySize = std::map<std::int64_t, double>;

struct Expectation {
  std::string what;                  ///< "h100x8"
  std::vector<std::string> sources;  ///< of the numbers
  std::map<std::tuple<std::string, std::int64_t>, BusbwBySize> busbw =
      {};  ///< by collective and ranks
};

/// Returns the public numbers of "h100" on any number of GPUs, or of "h100x8". Throws Error(usage)
/// that lists the names.
Expectation public_expectation(const std::string& spec);

/// Returns the medians of records with times.
Expectation expectation_of(const std::vector<Json>& records, const std::string& what);

enum class Acceptance { pass, look, fail };  ///< at least 95%, 85%, below

struct Judged {
  Json record;
  double busbw = 0, expected = 0;  ///< GB/s
  double ratio() const { return busbw / expected; }
  Acceptance verdict() const;
};

struct Judgment {
  std::vector<Judged> all;   ///< the least ratio first
  std::size_t unjudged = 0;  ///< rows that are too small, or of which nothing is expected
  bool failed() const;
};

/// Compares the records with what is expected of their collective, ranks and size; between two
/// sizes on a straight line of logarithms.
Judgment judge(const std::vector<Json>& records, const Expectation& expectation);

/// Returns what may be the reason for a low bandwidth, as far as the context or the ratio tells;
/// empty if nothing does.
std::string likely_reason(const Judged& judged, const Json& context);

std::string table(const Judgment& judgment);

}  // namespace arlab::bench
