#include <fmt/format.h>

#include "algorithms/base/error.hpp"
#include "bench/formats/rules/library_files.hpp"
#include "collectives/plugins/nccl/names.hpp"

namespace arlab::bench {
namespace {

std::string nccl_algorithm(const TunedChoice& choice) {
  const std::string name(collectives::nccl_name(choice.algorithm));
  if (!name.empty()) return name;
  fail(Blame::usage,
       fmt::format("NCCL has no algorithm like {}: choose between ring and double_tree",
                   choice.algorithm));
}

}  // namespace

void check_nccl_protocol(const std::string& protocol) {
  if (protocol != "simple" && protocol != "ll" && protocol != "ll128")
    fail(Blame::usage, fmt::format("protocol of NCCL is '{}': give simple, ll or ll128", protocol));
}

std::string nccl_tuner_csv(const TuningTable& table, int channels, const std::string& protocol) {
  check_nccl_protocol(protocol);
  if (channels < 1 || channels > 64)
    fail(Blame::usage, fmt::format("channels of NCCL are {}: give 1 to 64", channels));
  constexpr std::size_t kLongest = 200;  // the plugin reads lines of up to 255 characters
  std::string text = fmt::format(
      "# {:.{}}\n# collective_type,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks\n",
      table.made_by, kLongest);
  // The first match holds: exact numbers of ranks first, then any.
  const auto add = [&](const TuningTable::Row& row, Count ranks) {
    for (const TuningTable::Sizes& sizes : row.sizes)
      text += fmt::format("allreduce,{},{},{},{},{},-1,{}\n", sizes.first, sizes.last,
                          nccl_algorithm(sizes.choice), protocol, channels, ranks);
  };
  for (const TuningTable::Row& row : table.rows)
    if (row.last != TuningTable::kNoEnd)
      for (Count ranks = row.first; ranks <= row.last; ++ranks) add(row, ranks);
  add(table.rows.back(), -1);
  return text;
}

}  // namespace arlab::bench
