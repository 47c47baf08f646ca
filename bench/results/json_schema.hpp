// JsonSchema: validates lines of result files against docs/records.schema.json, with the subset of
// JSON Schema that the file uses.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "bench/results/record.hpp"

namespace arlab::bench {

/// The text of docs/records.schema.json, which the build embeds.
extern const std::string_view kRecordsSchema;

/// Returns a value for a message, without the parts of a list or an object.
std::string short_text(const Json& value);

class JsonSchema {
 public:
  /// What a line may have besides.
  struct Allowed {
    bool missing = false;  ///< may lack required keys
    bool unknown = false;  ///< may have keys that the schema does not know
  };

  explicit JsonSchema(std::string_view text);

  /// Returns the first violation, with its key, by a line of a result file; empty if it is valid.
  std::string violation(const Json& line) const { return violation(line, Allowed{}); }
  std::string violation(const Json& line, const Allowed& allowed) const;

  /// Gives a line the keys that it lacks and whose default its kind states.
  void add_defaults(Json& line) const;

 private:
  Json merged(const Json& root, const Json& schema) const;

  std::map<std::string, Json> kinds_;  // by kind, without references
};

}  // namespace arlab::bench
