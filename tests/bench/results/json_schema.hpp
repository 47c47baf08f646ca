// JsonSchema: validates records against docs/records.schema.json, with the subset of JSON Schema that
// the file uses.
#pragma once

#include <string>

#include "bench/results/record.hpp"

namespace arlab::bench {

class JsonSchema {
 public:
  /// Reads the schema from a file.
  explicit JsonSchema(const std::string& path);

  /// Returns the first violation by a line of a result file; empty if it is valid.
  std::string violation(const Json& line) const;

 private:
  std::string check(const Json& value, const Json& schema) const;
  std::string check_keys(const Json& value, const Json& schema) const;
  Json merged(const Json& schema) const;

  Json root_;
};

}  // namespace arlab::bench
