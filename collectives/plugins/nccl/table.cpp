#include "collectives/plugins/nccl/table.hpp"

#include <algorithm>
#include <iterator>
#include <limits>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "algorithms/base/quantities.hpp"
#include "algorithms/base/read_number.hpp"
#include "algorithms/base/text.hpp"
#include "collectives/plugins/nccl/names.hpp"

namespace arlab::collectives {
namespace {

constexpr std::string_view kFunctions[] = {"broadcast", "reduce", "allgather", "reducescatter",
                                           "allreduce"};

std::vector<std::string_view> fields_of(std::string_view line) {
  std::vector<std::string_view> fields;
  while (true) {
    const std::size_t end = std::min(line.find(','), line.size());
    fields.push_back(trimmed(line.substr(0, end)));
    if (end == line.size()) return fields;
    line.remove_prefix(end + 1);
  }
}

// One line of the table, and where it stands.
class Line {
 public:
  Line(std::string_view text, std::string place)
      : fields_(fields_of(text)), place_(std::move(place)) {
    if (fields_.size() < 8 || fields_.size() > 10)
      fail(Blame::usage, concat(place_, ": ", fields_.size(),
                                " fields: write collective,min_bytes,max_bytes,algorithm,protocol,"
                                "channels,nodes,ranks[,pipe_ops[,registered]]"));
  }

  TuningRule rule() const {
    TuningRule r;
    r.function = static_cast<nccl_abi::Function>(position(0, kFunctions, "collective"));
    r.min_bytes = std::max<std::int64_t>(0, number<std::int64_t>(1, "min_bytes"));
    r.max_bytes = number<std::int64_t>(2, "max_bytes");
    if (r.max_bytes >= 0 && r.max_bytes < r.min_bytes)
      fail(Blame::usage, concat(place_, ": max_bytes ", r.max_bytes, " is below min_bytes ",
                                r.min_bytes, ": exchange them"));
    r.algorithm = position(3, nccl_abi::kAlgorithms, "algorithm");
    r.protocol = position(4, nccl_abi::kProtocols, "protocol");
    r.channels = number<int>(5, "channels");
    r.nodes = number<int>(6, "nodes");
    const int ranks = number<int>(7, "ranks");
    if (ranks >= 0) r.min_ranks = r.max_ranks = ranks;
    if (fields_.size() > 8) r.pipe_ops = number<int>(8, "pipe_ops");
    if (fields_.size() > 9) r.registered = number<int>(9, "registered");
    return r;
  }

 private:
  template <class Names>
  int position(std::size_t field, const Names& names, std::string_view what) const {
    const std::vector<std::string_view> all(std::begin(names), std::end(names));
    const auto found = std::find(all.begin(), all.end(), fields_[field]);
    if (found == all.end()) fail_unknown(concat(what, " in ", place_), fields_[field], all);
    return static_cast<int>(found - all.begin());
  }

  // -1, or a number of 0 or more.
  template <class Number>
  Number number(std::size_t field, std::string_view what) const {
    const auto value = read_number<Number>(fields_[field]);
    if (!value || *value < -1)
      fail(Blame::usage, concat(place_, ": ", what, " is '", fields_[field],
                                "': give a whole number, or -1 for any"));
    return *value;
  }

  std::vector<std::string_view> fields_;
  std::string place_;
};

bool fits(int wanted, int asked) { return wanted < 0 || wanted == asked; }

}  // namespace

std::vector<TuningRule> read_tuning_table(std::string_view text, std::string_view file) {
  std::vector<TuningRule> rules;
  std::size_t number = 0;
  for (std::string_view line : lines_of(text)) {
    ++number;
    line = trimmed(line.substr(0, line.find('#')));
    while (line.ends_with('\r')) line.remove_suffix(1);
    if (!line.empty()) rules.push_back(Line(line, concat(file, " line ", number)).rule());
  }
  return rules;
}

std::vector<TuningRule> nccl_rules_of(const TuningTable& table) {
  const auto end_of = [](Count last) { return last == TuningTable::kNoEnd ? -1 : last; };
  std::vector<TuningRule> rules;
  for (const TuningTable::Row& row : table.rows)
    for (const TuningTable::Sizes& sizes : row.sizes) {
      const auto known =
          std::ranges::find(nccl_abi::kAlgorithms, nccl_name(sizes.choice.algorithm));
      if (known == std::end(nccl_abi::kAlgorithms)) continue;
      TuningRule rule;
      rule.min_bytes = sizes.first;
      rule.max_bytes = end_of(sizes.last);
      rule.min_ranks = row.first;
      rule.max_ranks = end_of(row.last);
      rule.algorithm = static_cast<int>(known - std::begin(nccl_abi::kAlgorithms));
      rule.protocol = -1;
      rules.push_back(rule);
    }
  return rules;
}

const TuningRule* find_rule(const std::vector<TuningRule>& rules, const TuningQuestion& q) {
  for (const TuningRule& r : rules)
    if (r.function == q.function && q.bytes >= r.min_bytes &&
        (r.max_bytes < 0 || q.bytes <= r.max_bytes) && fits(r.nodes, q.nodes) &&
        q.ranks >= r.min_ranks && (r.max_ranks < 0 || q.ranks <= r.max_ranks) &&
        fits(r.pipe_ops, q.pipe_ops) && fits(r.registered, q.registered))
      return &r;
  return nullptr;
}

}  // namespace arlab::collectives
