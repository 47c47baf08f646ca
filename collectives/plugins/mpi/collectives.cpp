// libarlab_mpi: MPI_Bcast, MPI_Reduce, MPI_Allgather, MPI_Reduce_scatter and
// MPI_Reduce_scatter_block of an unmodified program, through shared memory between the ranks of a
// machine, and by level on several.
//
// Ranks may describe the same values by different types and counts, so only the bytes decide who
// runs; types with gaps are packed. Reductions have the same type on all ranks. What the library
// refuses is passed on to it.
#include <mpi.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <exception>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "algorithms/base/error.hpp"
#include "algorithms/base/printable.hpp"
#include "collectives/mpi/library/check.hpp"
#include "collectives/plugins/mpi/plugin.hpp"
#include "collectives/plugins/mpi/reductions.hpp"
#include "collectives/plugins/mpi/shared_ranks.hpp"

namespace arlab::collectives {
namespace {

constexpr Bytes kMostPacked = std::numeric_limits<int>::max();

// 0 for more bytes than can be packed, which are left to the library.
Bytes bytes_of(int count, const TypeShape& shape) {
  if (shape.bytes <= 0 || shape.bytes > kMostPacked) return 0;
  const Bytes bytes = count * shape.bytes;
  return bytes <= kMostPacked ? bytes : 0;
}

std::byte* bytes_at(void* memory) { return static_cast<std::byte*>(memory); }
const std::byte* bytes_at(const void* memory) { return static_cast<const std::byte*>(memory); }

bool is_null(MPI_Comm comm, MPI_Datatype type) {
  return comm == MPI_COMM_NULL || type == MPI_DATATYPE_NULL;
}

std::vector<std::byte> packed(const void* data, int count, MPI_Datatype type, Bytes bytes,
                              MPI_Comm comm) {
  std::vector<std::byte> values(static_cast<std::size_t>(bytes));
  int at = 0;
  check_mpi(PMPI_Pack(data, count, type, values.data(), static_cast<int>(bytes), &at, comm),
            "MPI_Pack");
  expects(at == bytes, "MPI_Pack adds bytes of its own");
  return values;
}

void unpack(const std::byte* values, Bytes bytes, void* data, int count, MPI_Datatype type,
            MPI_Comm comm) {
  int at = 0;
  check_mpi(PMPI_Unpack(values, static_cast<int>(bytes), &at, data, count, type, comm),
            "MPI_Unpack");
}

// A call, for the report: what it is, and what its vector has.
struct Named {
  SharedCall call;
  const char* name;
  MPI_Comm comm;
  Bytes bytes;
};

// What they reduce by.
StepReduction of(const StepCollectives&, const LocalReduction& reduction) {
  return reduction.in_steps();
}
const LocalReduction& of(const Levels&, const LocalReduction& reduction) { return reduction; }

// Runs `ours` on the steps of the ranks, or on their levels, if they share memory for this call,
// else `library`.
template <class Ours, class Library>
int run_shared(const Named& its, Ours ours, Library library) {
  using Clock = std::chrono::steady_clock;
  Plugin& plugin_ = plugin();
  const auto start = plugin_.logs ? Clock::now() : Clock::time_point{};
  int code = MPI_SUCCESS;
  SharedRanks sharing;
  try {
    sharing = shared_ranks_for(its.call, its.comm, its.bytes);
    if (sharing.steps)
      ours(*sharing.steps);
    else if (sharing.levels)
      ours(*sharing.levels);
    else
      code = library();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "arlab: %s: %s\n", its.name, printable_message(error.what()).c_str());
    MPI_Comm_call_errhandler(its.comm, MPI_ERR_OTHER);
    return MPI_ERR_OTHER;
  }
  if (!plugin_.logs) return code;
  int ranks = 1;
  PMPI_Comm_size(its.comm, &ranks);
  plugin_.log.add({.ranks = ranks,
                   .bytes = its.bytes,
                   .type = "",
                   .op = "",
                   .ran = sharing.steps    ? "shared memory"
                          : sharing.levels ? "by level"
                                           : sharing.why,
                   .call = its.name},
                  std::chrono::duration<double>(Clock::now() - start).count());
  return code;
}

bool has_rank(MPI_Comm comm, int rank) {
  int ranks = 0;
  PMPI_Comm_size(comm, &ranks);
  return rank >= 0 && rank < ranks;
}

bool is_inter(MPI_Comm comm) {
  int inter = 0;
  PMPI_Comm_test_inter(comm, &inter);
  return inter != 0;
}

template <class Collectives>
void broadcast(Collectives& steps, void* data, int count, MPI_Datatype type, const TypeShape& shape,
               int root, MPI_Comm comm) {
  const Bytes bytes = bytes_of(count, shape);
  if (shape.is_flat) return steps.broadcast(root, bytes_at(data), static_cast<std::size_t>(bytes));
  std::vector<std::byte> values = steps.me() == root
                                      ? packed(data, count, type, bytes, comm)
                                      : std::vector<std::byte>(static_cast<std::size_t>(bytes));
  steps.broadcast(root, values.data(), values.size());
  if (steps.me() != root) unpack(values.data(), bytes, data, count, type, comm);
}

// What a rank gives, and where it receives the blocks of all.
struct Gathered {
  const void* from;
  int from_count;
  MPI_Datatype from_type;
  void* into;
  int count;
  MPI_Datatype type;
  MPI_Comm comm;
};

template <class Collectives>
void allgather(Collectives& steps, const Gathered& g, const TypeShape& shape) {
  const Bytes bytes = bytes_of(g.count, shape);
  const auto each = static_cast<std::size_t>(bytes), me = static_cast<std::size_t>(steps.me());
  const bool in_place = g.from == MPI_IN_PLACE;
  const bool gives_flat = in_place ? shape.is_flat : shape_of(g.from_type).is_flat;
  MPI_Aint low = 0, extent = 0;
  PMPI_Type_get_extent(g.type, &low, &extent);
  const auto block = [&](std::size_t rank) {
    return bytes_at(g.into) + static_cast<MPI_Aint>(rank) * g.count * extent;
  };
  std::vector<std::byte> mine;
  if (!gives_flat)
    mine = in_place ? packed(block(me), g.count, g.type, bytes, g.comm)
                    : packed(g.from, g.from_count, g.from_type, bytes, g.comm);
  const std::byte* const given = !gives_flat ? mine.data()
                                 : in_place  ? block(me)
                                             : bytes_at(g.from);
  if (shape.is_flat) return steps.allgather(in_place ? nullptr : given, bytes_at(g.into), each);
  std::vector<std::byte> all(each * static_cast<std::size_t>(steps.ranks()));
  steps.allgather(given, all.data(), each);
  for (std::size_t rank = 0; rank < static_cast<std::size_t>(steps.ranks()); ++rank)
    if (rank != me || !in_place)
      unpack(all.data() + rank * each, bytes, block(rank), g.count, g.type, g.comm);
}

// Blocks of each rank: the longest decides, as it does on all of them. A rank without elements may
// give the same address twice.
template <class Library>
int reduce_scatter(const char* name, const void* from, void* into, std::span<const int> counts,
                   MPI_Datatype type, MPI_Op op, MPI_Comm comm, Library library) {
  const auto reduction = local_reduction(type, op);
  int most = 0;
  for (const int count : counts) {
    if (count < 0) return library();
    most = std::max(most, count);
  }
  if (!reduction || most == 0 || into == MPI_IN_PLACE) return library();
  if (from == into && counts[static_cast<std::size_t>(rank_in(comm))] > 0) return library();
  const Bytes bytes = Bytes{most} * static_cast<Bytes>(reduction->element_bytes);
  return run_shared(
      {SharedCall::reduce_scatter, name, comm, bytes},
      [&](auto& steps) {
        steps.reduce_scatter(from == MPI_IN_PLACE ? nullptr : bytes_at(from), bytes_at(into),
                             counts, of(steps, *reduction));
      },
      library);
}

}  // namespace
}  // namespace arlab::collectives

extern "C" {

[[gnu::visibility("default")]] int MPI_Bcast(void* data, int count, MPI_Datatype type, int root,
                                             MPI_Comm comm) {
  using namespace arlab::collectives;
  using arlab::Bytes;
  const auto library = [&] { return PMPI_Bcast(data, count, type, root, comm); };
  if (!plugin().shares || is_null(comm, type) || count <= 0 || data == MPI_IN_PLACE)
    return library();
  const TypeShape shape = shape_of(type);
  const Bytes bytes = bytes_of(count, shape);
  if (bytes == 0 || is_inter(comm) || !has_rank(comm, root)) return library();
  return run_shared(
      {SharedCall::bcast, "MPI_Bcast", comm, bytes},
      [&](auto& steps) { broadcast(steps, data, count, type, shape, root, comm); }, library);
}

[[gnu::visibility("default")]] int MPI_Reduce(const void* from, void* into, int count,
                                              MPI_Datatype type, MPI_Op op, int root,
                                              MPI_Comm comm) {
  using namespace arlab::collectives;
  using arlab::Bytes;
  const auto library = [&] { return PMPI_Reduce(from, into, count, type, op, root, comm); };
  if (!plugin().shares || is_null(comm, type) || count <= 0 || is_inter(comm) ||
      !has_rank(comm, root))
    return library();
  int me = 0;
  PMPI_Comm_rank(comm, &me);
  const auto reduction = local_reduction(type, op);
  const bool is_refused =
      me == root ? from == into || into == MPI_IN_PLACE : from == MPI_IN_PLACE || !from;
  if (!reduction || is_refused) return library();
  const void* const mine = from == MPI_IN_PLACE ? into : from;
  const auto elements = static_cast<std::size_t>(count);
  return run_shared(
      {SharedCall::reduce, "MPI_Reduce", comm,
       Bytes{count} * static_cast<Bytes>(reduction->element_bytes)},
      [&](auto& steps) {
        steps.reduce(root, bytes_at(mine), bytes_at(into), elements, of(steps, *reduction));
      },
      library);
}

[[gnu::visibility("default")]] int MPI_Allgather(const void* from, int from_count,
                                                 MPI_Datatype from_type, void* into, int count,
                                                 MPI_Datatype type, MPI_Comm comm) {
  using namespace arlab::collectives;
  using arlab::Bytes;
  const auto library = [&] {
    return PMPI_Allgather(from, from_count, from_type, into, count, type, comm);
  };
  const bool gives = from != MPI_IN_PLACE;
  if (!plugin().shares || is_null(comm, type) || count <= 0 || into == MPI_IN_PLACE ||
      (gives && (from_type == MPI_DATATYPE_NULL || from_count <= 0)))
    return library();
  const TypeShape shape = shape_of(type);
  const Bytes bytes = bytes_of(count, shape);
  if (bytes == 0 || is_inter(comm) || (gives && bytes_of(from_count, shape_of(from_type)) != bytes))
    return library();
  return run_shared(
      {SharedCall::allgather, "MPI_Allgather", comm, bytes},
      [&](auto& steps) {
        allgather(steps, {from, from_count, from_type, into, count, type, comm}, shape);
      },
      library);
}

[[gnu::visibility("default")]] int MPI_Reduce_scatter(const void* from, void* into,
                                                      const int counts[], MPI_Datatype type,
                                                      MPI_Op op, MPI_Comm comm) {
  using namespace arlab::collectives;
  const auto library = [&] { return PMPI_Reduce_scatter(from, into, counts, type, op, comm); };
  if (!plugin().shares || is_null(comm, type) || !counts || is_inter(comm)) return library();
  int ranks = 0;
  PMPI_Comm_size(comm, &ranks);
  return reduce_scatter("MPI_Reduce_scatter", from, into, {counts, static_cast<std::size_t>(ranks)},
                        type, op, comm, library);
}

[[gnu::visibility("default")]] int MPI_Reduce_scatter_block(const void* from, void* into, int count,
                                                            MPI_Datatype type, MPI_Op op,
                                                            MPI_Comm comm) {
  using namespace arlab::collectives;
  const auto library = [&] { return PMPI_Reduce_scatter_block(from, into, count, type, op, comm); };
  if (!plugin().shares || is_null(comm, type) || is_inter(comm)) return library();
  int ranks = 0;
  PMPI_Comm_size(comm, &ranks);
  const std::vector<int> counts(static_cast<std::size_t>(ranks), count);
  return reduce_scatter("MPI_Reduce_scatter_block", from, into, counts, type, op, comm, library);
}
}
