// Agreement: whether all ranks have the same plan, and the same replicas.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/communicator.hpp"

namespace arlab::training {

/// FNV-1a, word by word; the same on every machine of the same byte order.
std::uint64_t hash(std::span<const std::byte> data, std::uint64_t before = 0);
std::uint64_t hash(std::string_view text, std::uint64_t before = 0);

/// One thing that all ranks must have in common.
struct RunParameter {
  std::string name;     ///< such as "the model"
  std::string value;    ///< as text
  bool lasting = true;  ///< a run that goes on from a checkpoint must have it in common, too
};

/// Every rank calls it. Throws Error(usage) on all of them, naming the first article that is not
/// that of rank 0, and the ranks that have another one.
void expect_same(collectives::Communicator& communicator, std::span<const RunParameter> run_parameters);

/// Every rank calls it: the ranks whose value is not that of rank 0. Those that take no part have
/// no value.
std::vector<Rank> ranks_that_differ(collectives::Communicator& communicator, std::uint64_t value,
                                    bool takes_part = true);

/// "rank 3", "ranks 1, 2, 3"
std::string ranks_text(std::span<const Rank> ranks);

}  // namespace arlab::training
