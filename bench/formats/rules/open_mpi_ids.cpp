#include "bench/formats/rules/open_mpi_ids.hpp"

#include <fmt/format.h>

#include <vector>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"

namespace arlab::bench {
namespace {

struct NumberedAlgorithm {
  std::string_view name;
  int id;
  OpenMpiVersion since;
};

constexpr NumberedAlgorithm kNumbered[] = {
    {"basic_linear", 1, {1, 0, 0}},       {"nonoverlapping", 2, {1, 0, 0}},
    {"recursive_doubling", 3, {1, 0, 0}}, {"ring", 4, {1, 0, 0}},
    {"segmented_ring", 5, {1, 0, 0}},     {"rabenseifner", 6, {4, 0, 0}},
    {"allgather_reduce", 7, {6, 0, 0}},
};

}  // namespace

int open_mpi_id(std::string_view algorithm, const OpenMpiVersion& version) {
  std::vector<std::string_view> names;
  for (const NumberedAlgorithm& one : kNumbered) {
    if (one.since > version) continue;
    if (one.name == algorithm) return one.id;
    names.push_back(one.name);
  }
  fail_unknown(fmt::format("algorithm of Open MPI {}", name(version)), algorithm, names);
}

std::string_view open_mpi_algorithm(int id, const OpenMpiVersion& version) {
  for (const NumberedAlgorithm& one : kNumbered)
    if (one.id == id && one.since <= version) return one.name;
  return "";
}

}  // namespace arlab::bench
