#include <fmt/format.h>

#include <algorithm>

#include "algorithms/base/error.hpp"
#include "bench/formats/rules/library_files.hpp"
#include "collectives/plugins/nccl/names.hpp"

namespace arlab::bench {
namespace {

std::string nccl_algorithm(const TunedChoice& choice) {
  const std::string name(collectives::nccl_name(choice.algorithm));
  if (!name.empty()) return name;
  fail(Blame::usage,
       fmt::format("NCCL has no algorithm like {}: choose among ring, nccl_tree and double_tree",
                   choice.algorithm));
}

// The sizes that were tuned, with NCCL's names: those that differ only in segments are one.
std::vector<TuningTable::Sizes> nccl_sizes(const TuningTable& table, const TunedRanks& tuned) {
  std::vector<TuningTable::Sizes> all;
  for (const TuningTable::Row& row : table.rows) {
    if (tuned.ranks < row.first || tuned.ranks > row.last) continue;
    for (const TuningTable::Sizes& sizes : row.sizes) {
      const Count first = std::max(sizes.first, tuned.first);
      const Count last = std::min(sizes.last, tuned.last);
      if (first > last) continue;
      const TunedChoice choice{nccl_algorithm(sizes.choice)};
      if (!all.empty() && all.back().choice == choice)
        all.back().last = last;
      else
        all.push_back({first, last, choice});
    }
  }
  return all;
}

}  // namespace

void check_nccl_protocol(const std::string& protocol) {
  if (protocol != "simple" && protocol != "ll" && protocol != "ll128")
    fail(Blame::usage, fmt::format("protocol of NCCL is '{}': give simple, ll or ll128", protocol));
}

std::string nccl_tuner_csv(const TuningTable& table, const std::vector<TunedRanks>& tuned,
                           int channels, const std::string& protocol) {
  check_nccl_protocol(protocol);
  if (channels < 1 || channels > 64)
    fail(Blame::usage, fmt::format("channels of NCCL are {}: give 1 to 64", channels));
  constexpr std::size_t kLongest = 200;  // the plugin reads lines of up to 255 characters
  std::string text = fmt::format(
      "# {:.{}}\n# collective_type,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks\n",
      table.made_by, kLongest);
  for (const TunedRanks& t : tuned)
    for (const TuningTable::Sizes& sizes : nccl_sizes(table, t))
      text += fmt::format("allreduce,{},{},{},{},{},{},{}\n", sizes.first, sizes.last,
                          sizes.choice.algorithm, protocol, channels, t.nodes, t.ranks);
  return text;
}

}  // namespace arlab::bench
