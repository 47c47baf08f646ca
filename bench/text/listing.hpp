// Listing: what `arlab list` prints of one catalog: tables for people, or a JSON object per row.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace arlab::bench {

class Listing {
 public:
  Listing(std::string_view what, bool json) : what_(what), json_(json) {}

  bool json() const { return json_; }
  /// A table; empty first cells of rows repeat the one above.
  void table(const std::vector<std::string>& header,
             const std::vector<std::vector<std::string>>& rows) const;
  /// What follows a table; nothing in JSON.
  void note(std::string_view text) const;

 private:
  std::string what_;
  bool json_;
};

}  // namespace arlab::bench
