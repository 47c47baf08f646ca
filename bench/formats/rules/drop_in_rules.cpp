#include <fmt/format.h>

#include "bench/formats/rules/library_files.hpp"

namespace arlab::bench {
namespace {

std::string drop_in_name(const TunedChoice& choice) {
  const bool ours = !choice.algorithm.starts_with("native") && choice.segments == 1;
  return ours ? choice.algorithm : "mpi";
}

}  // namespace

std::string drop_in_rules(const TuningTable::Row& row) {
  std::string text;
  for (std::size_t i = 0; i < row.sizes.size(); ++i) {
    const std::string name = drop_in_name(row.sizes[i].choice);
    const bool last = i + 1 == row.sizes.size();
    if (!last && drop_in_name(row.sizes[i + 1].choice) == name) continue;
    text += (text.empty() ? "" : ",") + name;
    if (!last) text += fmt::format("@{}", row.sizes[i].last);
  }
  return text;
}

}  // namespace arlab::bench
