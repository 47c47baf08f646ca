#include "collectives/plugins/size_rules.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "algorithms/base/error.hpp"
#include "algorithms/base/quantities.hpp"
#include "algorithms/base/text.hpp"

namespace arlab::collectives {
namespace {

constexpr std::string_view kLibrary = "mpi";

SizeRule parse_rule(std::string_view text, std::string_view what, bool knows_shared) {
  SizeRule rule;
  const std::size_t at = text.find('@');
  const std::string_view name = trimmed(text.substr(0, at));
  if (name.empty())
    fail(Blame::usage, concat(what, " has an empty rule: write for example butterfly@16K,ring"));
  if (at != std::string_view::npos) {
    rule.most_bytes = parse_count(text.substr(at + 1), what);
    if (rule.most_bytes < 0)
      fail(Blame::usage, concat(what, ": '", text, "' has a negative size: give bytes, as in 16K"));
  }
  if (knows_shared && name == "shared")
    rule.shared = SharedUse::always;
  else if (knows_shared && name == "auto")
    rule.shared = SharedUse::where_faster;
  else if (name != kLibrary)
    rule.algorithm = &find_algorithm(name);
  return rule;
}

// Commas separate rules, and settings of one algorithm: "hierarchical:within=ring,across=tree@1M".
// A part with '=' and without ':' continues the settings before it.
std::vector<std::string> rules_in(std::string_view text) {
  std::vector<std::string> rules;
  while (true) {
    const std::size_t end = std::min(text.find(','), text.size());
    const std::string_view part = text.substr(0, end);
    const bool setting = part.find('=') != std::string_view::npos &&
                         part.find(':') == std::string_view::npos && !rules.empty();
    if (setting)
      rules.back().append(",").append(part);
    else
      rules.emplace_back(part);
    if (end == text.size()) return rules;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

SizeRules parse_size_rules(std::string_view text, std::string_view what, bool knows_shared) {
  SizeRules rules;
  for (const std::string& part : rules_in(text)) {
    const SizeRule rule = parse_rule(part, what, knows_shared);
    if (!rules.empty() && rule.most_bytes <= rules.back().most_bytes)
      fail(Blame::usage, concat(what, ": '", part,
                                "' never applies, since the rule before it takes these sizes: give "
                                "sizes that rise, such as butterfly@16K,ring"));
    rules.push_back(rule);
  }
  if (rules.back().most_bytes != SizeRule{}.most_bytes) rules.push_back({});
  return rules;
}

const SizeRule& rule_for(const SizeRules& rules, Bytes bytes) {
  const auto found = std::find_if(rules.begin(), rules.end(),
                                  [&](const SizeRule& rule) { return bytes <= rule.most_bytes; });
  return found != rules.end() ? *found : rules.back();
}

const Algorithm* chosen(const SizeRules& rules, Bytes bytes) {
  return rule_for(rules, bytes).algorithm;
}

RankRules rules_of(const TuningTable& table) {
  RankRules rules;
  for (const TuningTable::Row& row : table.rows) {
    RankRule& its = rules.emplace_back(RankRule{row.first, row.last, {}});
    for (const TuningTable::Sizes& sizes : row.sizes) {
      const bool ours = !sizes.choice.algorithm.starts_with("native") && sizes.choice.segments == 1;
      SizeRule& rule = its.sizes.emplace_back();
      rule.most_bytes = sizes.last;
      if (ours) rule.algorithm = &find_algorithm(sizes.choice.algorithm);
    }
  }
  return rules;
}

RankRules read_rank_rules(const std::string& text, std::string_view what, bool knows_shared) {
  if (!text.ends_with(".json"))
    return {{1, TuningTable::kNoEnd, parse_size_rules(text, what, knows_shared)}};
  std::ifstream in(text);
  const std::string table{std::istreambuf_iterator<char>(in), {}};
  if (!in.good() && table.empty())
    fail(Blame::environment,
         concat(what, ": cannot read ", text, ": name a table that `arlab tune --table` wrote"));
  return rules_of(parse_tuning_table(table, text));
}

const SizeRules& rules_for(const RankRules& rules, Rank ranks) {
  const auto found = std::find_if(rules.begin(), rules.end(),
                                  [&](const RankRule& rule) { return ranks <= rule.last; });
  expects(found != rules.end(), "rules for any number of ranks");
  return found->sizes;
}

}  // namespace arlab::collectives
