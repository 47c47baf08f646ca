#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "bench/formats/rules/library_files.hpp"

namespace arlab::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kMpichAlgorithms[] = {"recursive_doubling",
                                                 "reduce_scatter_allgather",
                                                 "tree",
                                                 "recexch",
                                                 "k_reduce_scatter_allgather",
                                                 "ring",
                                                 "recursive_multiplying"};
constexpr Count kAtoi = 2147483647;  // MPICH reads numbers with atoi

// The conditions of each algorithm, as MPICH's own file states them: others stay with `rest`.
Json leaf(const std::string& algorithm, const Json& rest) {
  const Json ours{{fmt::format("algorithm=MPIR_Allreduce_intra_{}", algorithm), Json::object()}};
  if (algorithm == "recursive_doubling") return ours;
  return {{"is_commutative=yes", {{"count<pow2", rest}, {"count=any", ours}}},
          {"is_commutative=no", rest}};
}

Json choice_json(const TunedChoice& choice, const Json& rest) {
  if (choice.algorithm == "native") return rest;
  constexpr std::string_view kOwn = "native:";
  const std::string name =
      choice.algorithm.starts_with(kOwn) ? choice.algorithm.substr(kOwn.size()) : choice.algorithm;
  if (std::find(std::begin(kMpichAlgorithms), std::end(kMpichAlgorithms), name) ==
      std::end(kMpichAlgorithms))
    fail_unknown("algorithm of MPICH", name, kMpichAlgorithms);
  return leaf(name, rest);
}

// Ranges as "<=" conditions; the last one, and those beyond atoi, as "any".
template <class Range, class Value>
Json conditions(const std::vector<Range>& ranges, const char* key, Value value) {
  Json json = Json::object();
  for (const Range& range : ranges) {
    const bool last = &range == &ranges.back() || range.last > kAtoi;
    json[last ? fmt::format("{}=any", key) : fmt::format("{}<={}", key, range.last)] = value(range);
    if (last) break;
  }
  return json;
}

}  // namespace

std::string mpich_selection(const TuningTable& table, const std::string& base,
                            const std::string& path) {
  Json json = Json::parse(base, nullptr, false);
  constexpr const char* kCollective = "collective=allreduce";
  constexpr const char* kIntra = "comm_type=intra";
  if (json.is_discarded() || !json.is_object() || !json.contains(kCollective) ||
      !json[kCollective].is_object() || !json[kCollective].contains(kIntra))
    fail(Blame::usage,
         fmt::format("{} has no \"{}\" with \"{}\": give the selection file that MPICH ships "
                     "(src/mpi/coll/coll_algorithms or share/mpich/tuning, *_generic.json)",
                     path, kCollective, kIntra));
  const Json rest = json[kCollective][kIntra];
  json[kCollective][kIntra] = conditions(table.rows, "comm_size", [&](const TuningTable::Row& row) {
    return conditions(row.sizes, "avg_msg_size", [&](const TuningTable::Sizes& sizes) {
      return choice_json(sizes.choice, rest);
    });
  });
  return json.dump(2) + "\n";
}

}  // namespace arlab::bench
