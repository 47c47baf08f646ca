#include "collectives/plugins/mpi/job.hpp"

#include <mpi.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <numeric>
#include <string_view>
#include <thread>

#include "algorithms/base/text.hpp"

namespace arlab::collectives {
namespace {

// MPI_Init ends when all ranks have come, so that a rank that loads the library is here soon.
constexpr std::chrono::seconds kPatience{60};

struct World {
  World() {
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    PMPI_Comm_size(MPI_COMM_WORLD, &ranks);
  }
  int rank = 0, ranks = 1;
};

std::string host() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  PMPI_Get_processor_name(name.data(), &length);
  return {name.data(), static_cast<std::size_t>(length)};
}

// FNV-1a: the same on all machines.
std::uint64_t hash(std::string_view text) {
  std::uint64_t value = 14695981039346656037u;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 1099511628211u;
  return value;
}

// Whether all ranks have the same value. Nonblocking, so that a rank which lacks the library is
// noticed, not waited for.
bool all_equal(std::uint64_t value, const World& world) {
  std::array<std::uint64_t, 2> most{value, ~value};
  MPI_Request request = MPI_REQUEST_NULL;
  PMPI_Iallreduce(MPI_IN_PLACE, most.data(), 2, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD, &request);
  const auto until = std::chrono::steady_clock::now() + kPatience;
  for (int done = 0, tries = 0; true; ++tries) {
    PMPI_Test(&request, &done, MPI_STATUS_IGNORE);
    if (done != 0) return most[0] == ~most[1];
    if (std::chrono::steady_clock::now() > until) break;
    if (tries > 1000) std::this_thread::sleep_for(std::chrono::microseconds(100));
  }
  std::fprintf(
      stderr,
      "arlab: rank %d on %s has loaded libarlab_mpi, but after %d s others of the %d ranks "
      "have not: give LD_PRELOAD to all of them, for example with mpirun -x LD_PRELOAD\n",
      world.rank, host().c_str(), static_cast<int>(kPatience.count()), world.ranks);
  PMPI_Abort(MPI_COMM_WORLD, 3);
  return false;
}

std::string from_rank_0(std::string text) {
  auto length = static_cast<int>(text.size());
  PMPI_Bcast(&length, 1, MPI_INT, 0, MPI_COMM_WORLD);
  text.resize(static_cast<std::size_t>(length));
  PMPI_Bcast(text.data(), length, MPI_CHAR, 0, MPI_COMM_WORLD);
  return text;
}

// The first line in which the texts differ, of each, not too long.
std::array<std::string, 2> first_difference(std::string_view a, std::string_view b) {
  while (true) {
    const std::string_view line_a = a.substr(0, a.find('\n')), line_b = b.substr(0, b.find('\n'));
    if (line_a != line_b || line_a.size() == a.size() || line_b.size() == b.size())
      return {std::string(line_a.substr(0, 80)), std::string(line_b.substr(0, 80))};
    a.remove_prefix(line_a.size() + 1);
    b.remove_prefix(line_b.size() + 1);
  }
}

}  // namespace

void compare_settings(const std::string& lines) {
  const World world;
  if (world.ranks == 1 || all_equal(hash(lines), world)) return;
  const std::string first = from_rank_0(lines);
  int odd = lines == first ? world.ranks : world.rank;  // the lowest rank that differs speaks
  PMPI_Allreduce(MPI_IN_PLACE, &odd, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
  if (odd == world.rank) {
    const auto [theirs, mine] = first_difference(first, lines);
    std::fprintf(
        stderr,
        "arlab: ranks of this job have different settings: '%s' on rank 0, '%s' on rank %d "
        "(%s): give all ranks the same, for example with mpirun -x ARLAB_ALGORITHM\n",
        theirs.c_str(), mine.c_str(), world.rank, host().c_str());
  }
  PMPI_Barrier(MPI_COMM_WORLD);
  PMPI_Abort(MPI_COMM_WORLD, 2);
}

std::vector<std::string> gather_texts(const std::string& mine) {
  const World world;
  const auto length = static_cast<int>(mine.size());
  std::vector<int> lengths(static_cast<std::size_t>(world.ranks));
  PMPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  std::vector<int> offsets(lengths.size());
  std::exclusive_scan(lengths.begin(), lengths.end(), offsets.begin(), 0);
  std::string all(world.rank == 0 ? static_cast<std::size_t>(offsets.back() + lengths.back()) : 0,
                  '\0');
  PMPI_Gatherv(mine.data(), length, MPI_CHAR, all.data(), lengths.data(), offsets.data(), MPI_CHAR,
               0, MPI_COMM_WORLD);
  std::vector<std::string> texts;
  for (std::size_t rank = 0; world.rank == 0 && rank < lengths.size(); ++rank)
    texts.push_back(all.substr(static_cast<std::size_t>(offsets[rank]),
                               static_cast<std::size_t>(lengths[rank])));
  return texts;
}

}  // namespace arlab::collectives
