#include "bench/text/comma_list.hpp"

#include <algorithm>

#include "algorithms/base/quantities.hpp"

namespace arlab::bench {

std::vector<std::string> parts_of_list(const std::string& list) {
  std::vector<std::string> all;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(',', begin), list.size());
    all.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return all;
}

std::vector<double> parse_numbers(const std::string& list, const std::string& what) {
  std::vector<double> all;
  for (const std::string& part : parts_of_list(list)) all.push_back(parse_number(part, what));
  return all;
}

}  // namespace arlab::bench
