// Lists as options take them: "2,4,8".
#pragma once

#include <string>
#include <vector>

namespace arlab::bench {

/// Returns what stands between the commas; of an empty list one empty part.
std::vector<std::string> parts_of_list(const std::string& list);

/// Returns the parts as numbers. Throws Error(usage) that names `what` and the part that is none.
std::vector<double> parse_numbers(const std::string& list, const std::string& what);

}  // namespace arlab::bench
