// Rows of nccl.csv: times that nccl-tests printed on GPU clusters, and the machines they are of.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/problem.hpp"
#include "simulator/nccl/machine.hpp"

namespace arlab::bench {

/// What a row is for: fitted, predicted, or predicted without rows of its machine that are fitted.
enum class NcclSplit : std::uint8_t { calibrate, test, unfitted };
std::string_view name(NcclSplit split);

struct NcclRow {
  std::string machine, network, version;  ///< as written; version is empty if it is not known
  Rank nodes = 1, gpus_per_node = 1;
  std::string collective, dtype, op = "sum";
  double bytes = 0;
  bool in_place = false;
  double us = 0;
  NcclSplit split = NcclSplit::test;
  std::optional<simulator::nccl::Machine> known = {};  ///< given, not named; without its size
};

/// Reads the text of nccl.csv. Throws Error(usage) that names the line, the value, and the remedy.
std::vector<NcclRow> read_nccl_rows(std::string_view text, const std::string& name);

/// Returns the machine of a row: the known one, or by what its names say: GPU, processor, network,
/// version. Nothing if they name no GPU that NCCL's model knows.
std::optional<simulator::nccl::Machine> machine_of(const NcclRow& row);

/// Returns why a row has no machine: a card that is not the GPU of its name on a board with NVLink.
/// Empty if that is not the reason.
std::string why_no_machine(const NcclRow& row);

/// Returns the collective that nccl-tests calls by this name; nothing if there is no model of it.
std::optional<Collective> collective_of(std::string_view name);

}  // namespace arlab::bench
