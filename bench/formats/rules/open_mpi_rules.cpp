#include "bench/formats/rules/open_mpi_rules.hpp"

#include <fmt/format.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "algorithms/base/error.hpp"
#include "algorithms/base/parameters.hpp"
#include "algorithms/base/quantities.hpp"
#include "bench/formats/rules/open_mpi_ids.hpp"

namespace arlab::bench {
namespace {

using Json = nlohmann::ordered_json;

struct OpenMpiRule {
  int id = 0;
  Count segment_bytes = 0;
};

OpenMpiRule rule_of(const TunedChoice& choice, const OpenMpiVersion& version) {
  if (choice.algorithm == "native") return {};
  constexpr std::string_view kOwn = "native:";
  if (!choice.algorithm.starts_with(kOwn))
    fail(Blame::usage, fmt::format("'{}' is not an algorithm of Open MPI: choose among native:all",
                                   choice.algorithm));
  const NamedSettings parts = parse_spec(std::string_view(choice.algorithm).substr(kOwn.size()));
  OpenMpiRule rule{open_mpi_id(parts.name, version)};
  for (const Setting& setting : parts.settings)
    if (setting.name == "segment") rule.segment_bytes = parse_count(setting.value, "segment");
  return rule;
}

std::string classic(const TuningTable& table, const OpenMpiVersion& version) {
  std::string text = fmt::format(
      "# {}\n# For Open MPI {}: mpirun --mca coll_tuned_use_dynamic_rules 1 --mca "
      "coll_tuned_dynamic_rules_filename FILE\n"
      "1 # collective\n{} # allreduce\n{} # communicator sizes\n",
      table.made_by, name(version), kOpenMpiAllreduce, table.rows.size());
  for (const TuningTable::Row& row : table.rows) {
    text += fmt::format("{} # ranks, or more\n{} # sizes: bytes or more, algorithm, 0, segment\n",
                        row.first, row.sizes.size());
    for (const TuningTable::Sizes& sizes : row.sizes) {
      const OpenMpiRule rule = rule_of(sizes.choice, version);
      text += fmt::format("{} {} 0 {} # {}\n", sizes.first, rule.id, rule.segment_bytes,
                          sizes.choice.algorithm);
    }
  }
  return text;
}

nlohmann::ordered_json end_of(Count last) {
  return last == TuningTable::kNoEnd ? nlohmann::ordered_json("inf") : nlohmann::ordered_json(last);
}

// A size without a rule is left to the library.
std::string json(const TuningTable& table, const OpenMpiVersion& version) {
  Json rows = Json::array();
  for (const TuningTable::Row& row : table.rows) {
    Json rules = Json::array();
    for (const TuningTable::Sizes& sizes : row.sizes) {
      const OpenMpiRule rule = rule_of(sizes.choice, version);
      if (rule.id == 0) continue;
      rules.push_back({{"msg_size_min", sizes.first},
                       {"msg_size_max", end_of(sizes.last)},
                       {"alg", rule.id},
                       {"faninout", 0},
                       {"seg_size", rule.segment_bytes}});
    }
    if (rules.empty()) continue;
    rows.push_back({{"comm_size_min", row.first},
                    {"comm_size_max", end_of(row.last)},
                    {"comm_rank_distribution", "any"},
                    {"rules", rules}});
  }
  return Json{{"rule_file_version", 3}, {"module", "tuned"}, {"collectives", {{"allreduce", rows}}}}
             .dump(2) +
         "\n";
}

}  // namespace

std::optional<OpenMpiVersion> open_mpi_version(const std::string& text) {
  constexpr std::string_view kName = "Open MPI v";
  std::string_view left = text;
  if (left.starts_with(kName)) left.remove_prefix(kName.size());
  OpenMpiVersion version;
  int* const parts[] = {&version.major, &version.minor, &version.release};
  for (int* part : parts) {
    const auto [end, error] = std::from_chars(left.data(), left.data() + left.size(), *part);
    if (error != std::errc{} || *part < 0) return std::nullopt;
    left.remove_prefix(static_cast<std::size_t>(end - left.data()));
    if (part == parts[2]) break;
    if (left.empty() && part == parts[1]) return version;  // "6.0"
    if (!left.starts_with('.')) return std::nullopt;
    left.remove_prefix(1);
  }
  const bool whole = left.empty() || left.starts_with("rc") || left.starts_with("a1");
  return whole && version.major > 0 ? std::optional(version) : std::nullopt;
}

std::string name(const OpenMpiVersion& v) {
  return fmt::format("{}.{}.{}", v.major, v.minor, v.release);
}

std::string open_mpi_rules(const TuningTable& table, const OpenMpiVersion& version) {
  return version.reads_json() ? json(table, version) : classic(table, version);
}

}  // namespace arlab::bench
