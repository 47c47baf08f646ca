// Names of what is slow, for tables, sentences and records.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bench/hunt/search/search.hpp"
#include "bench/results/record.hpp"

namespace arlab::bench {

std::string_view name(hunt::Place place);
std::string_view name(hunt::Quantity quantity);
std::string_view name(hunt::Verdict verdict);

/// Returns "by 31%", or "more than tenfold".
std::string spread_text(double spread);

/// Returns what a record of a hunt names.
std::vector<hunt::Finding> findings_of(const Json& hunt);

/// Returns "rank 3 (h3)" or "ranks 0-3, 7", perhaps with "...".
std::string ranks_text(const std::vector<Rank>& ranks, const std::vector<std::string>& hosts);

/// Returns "rank 3 (h3)", "rank 3 -> rank 4", "between ranks 0-3 and ranks 4-15".
/// Leaves hosts out unless all ranks have one.
std::string place_text(const hunt::Finding& finding, const std::vector<std::string>& hosts);

}  // namespace arlab::bench
