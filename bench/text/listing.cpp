#include "bench/text/listing.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "bench/text/table.hpp"

namespace arlab::bench {
namespace {

// "elements sent" is the key elements_sent.
std::string key_of_column(std::string name) {
  std::replace(name.begin(), name.end(), ' ', '_');
  std::erase(name, ',');
  return name;
}

}  // namespace

void Listing::table(const std::vector<std::string>& header,
                    const std::vector<std::vector<std::string>>& rows) const {
  if (!json_) {
    fmt::print("{}", markdown(header, rows));
    return;
  }
  std::string first;
  for (const std::vector<std::string>& row : rows) {
    nlohmann::ordered_json line{{"list", what_}};
    if (!row.front().empty()) first = row.front();
    for (std::size_t c = 0; c < header.size() && c < row.size(); ++c)
      line[key_of_column(header[c])] = c == 0 ? first : row[c];
    fmt::print("{}\n", line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  }
}

void Listing::note(std::string_view text) const {
  if (!json_) fmt::print("{}", text);
}

}  // namespace arlab::bench
