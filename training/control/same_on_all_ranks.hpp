// Checks that all ranks have the same run parameters and the same replicas.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "collectives/communicator.hpp"

namespace arlab::training {

/// FNV-1a over 64-bit words; machines of the same byte order agree.
std::uint64_t hash(std::span<const std::byte> data, std::uint64_t before = 0);
std::uint64_t hash(std::string_view text, std::uint64_t before = 0);

/// One thing that all ranks must have in common.
struct RunParameter {
  std::string name;     ///< such as "the model"
  std::string value;    ///< as text
  bool lasting = true;  ///< must also match the checkpoint that a run resumes from
};

/// Throws Error(usage) on all ranks, naming the first parameter that differs and the ranks whose
/// value differs from rank 0's. Every rank calls it.
void expect_same(collectives::Communicator& communicator,
                 std::span<const RunParameter> run_parameters);

/// Returns the ranks whose value differs from rank 0's. Every rank calls it; ranks with
/// takes_part = false are not compared.
std::vector<Rank> ranks_that_differ(collectives::Communicator& communicator, std::uint64_t value,
                                    bool takes_part = true);

/// "rank 3", "ranks 1, 2, 3"
std::string ranks_text(std::span<const Rank> ranks);

}  // namespace arlab::training
