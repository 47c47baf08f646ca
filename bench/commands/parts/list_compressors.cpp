// arlab list compressors: prints the gradient compressors: sizes, aggregation, parameters.
#include <fmt/format.h>

#include <string>
#include <vector>

#include "bench/commands/commands.hpp"
#include "bench/text/listing.hpp"
#include "training/compressors/compressor.hpp"

namespace arlab::bench {
namespace {

using Rows = std::vector<std::vector<std::string>>;

std::string feedback_of(const training::CompressorKind& kind) {
  if (kind.feedback == training::Feedback::built_in) return "built in";
  return kind.feedback == training::Feedback::on ? "on" : "off";
}

std::string join(const std::string& list, const std::string& next) {
  return list.empty() ? next : list + ", " + next;
}

}  // namespace

void list_compressors(const Listing& listing) {
  Rows kinds, parameters;
  for (const training::CompressorKind& k : training::compressors()) {
    std::string ways;
    for (const training::Aggregation a : k.aggregations) ways = join(ways, std::string(name(a)));
    kinds.push_back({std::string(k.name), std::string(k.summary), std::string(k.size), ways,
                     feedback_of(k), std::string(k.unbiased), std::string(k.optimizer),
                     std::string(k.special_values), std::string(k.source)});
    for (const Parameter& p : k.parameters)
      parameters.push_back({&p == &k.parameters.front() ? std::string(k.name) : "",
                            std::string(p.name), std::string(p.default_value),
                            fmt::format("{} to {}", p.min, p.max), std::string(p.help)});
  }
  listing.table({"compressor", "idea", "bytes", "aggregation", "feedback", "unbiased", "optimizer",
                 "NaN, infinity, zero", "source"},
                kinds);
  listing.note(
      "\nn elements; bytes are those of one rank's code. Examples: topk:ratio=0.01, "
      "int8:feedback=on.\n\n");
  listing.table({"compressor", "parameter", "default", "values", "meaning"}, parameters);
}

}  // namespace arlab::bench
