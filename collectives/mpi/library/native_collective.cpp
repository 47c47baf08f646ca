#include "collectives/mpi/library/native_collective.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "algorithms/base/error.hpp"
#include "collectives/mpi/library/check.hpp"
#include "collectives/reduce/reduce.hpp"

namespace arlab::collectives {
namespace {

// Calls use(piece, elements) for parts of the vector that an int can count.
template <class Use>
void in_int_pieces(std::byte* data, Count elements, DType dtype, Use use) {
  const auto most = static_cast<Count>(kMpiPiece / size_of(dtype));
  for (Count begin = 0; begin < elements; begin += most)
    use(data + static_cast<std::size_t>(begin) * size_of(dtype),
        static_cast<int>(std::min(most, elements - begin)));
}

// The elements and the first element of every rank's block, as MPI wants them.
struct NativeBlocks {
  explicit NativeBlocks(const Problem& p) {
    for (Rank r = 0; r < p.ranks; ++r) {
      counts.push_back(static_cast<int>(p.blocks().size(p.chunk(r))));
      begins.push_back(static_cast<int>(p.blocks().begin(r)));
    }
  }
  std::vector<int> counts, begins;
};

void native_reduce_scatter(MPI_Comm comm, const Problem& p, Rank me, std::byte* data,
                           const MpiOperand& mpi, std::vector<std::byte>& scratch) {
  const Operand operand = mpi.operand();
  const NativeBlocks blocks(p);
  const std::size_t bytes =
      static_cast<std::size_t>(blocks.counts[index(me)]) * size_of(operand.dtype);
  std::byte* const own =
      data + static_cast<std::size_t>(blocks.begins[index(me)]) * size_of(operand.dtype);
  scratch.resize(std::max<std::size_t>(bytes, 1));
  divide_before(data, p.elements, operand, p.ranks);
  if (p.elements % p.ranks == 0)
    check_mpi(MPI_Reduce_scatter_block(data, scratch.data(), blocks.counts[0], mpi.type(), mpi.op(),
                                       comm),
              "MPI_Reduce_scatter_block");
  else
    check_mpi(
        MPI_Reduce_scatter(data, scratch.data(), blocks.counts.data(), mpi.type(), mpi.op(), comm),
        "MPI_Reduce_scatter");
  if (bytes > 0) std::memcpy(own, scratch.data(), bytes);
  divide_after(own, blocks.counts[index(me)], operand, p.ranks);
}

void native_all_gather(MPI_Comm comm, const Problem& p, std::byte* data, const MpiOperand& mpi) {
  const NativeBlocks blocks(p);
  if (p.elements % p.ranks == 0)
    check_mpi(
        MPI_Allgather(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, blocks.counts[0], mpi.type(), comm),
        "MPI_Allgather");
  else
    check_mpi(MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, data, blocks.counts.data(),
                             blocks.begins.data(), mpi.type(), comm),
              "MPI_Allgatherv");
}

// MPICH before 4.2 reads from a wrong address if a root other than 0 reduces in place (its issue
// 6540).
#if defined(MPICH_NUMVERSION) && MPICH_NUMVERSION < 40200000
constexpr bool kAnyRootInPlace = false;
#else
constexpr bool kAnyRootInPlace = true;
#endif

/// Whether the root reduces a copy of its vector.
bool reduces_copy(const Problem& p) { return !kAnyRootInPlace && p.root != 0; }

void native_reduce(MPI_Comm comm, const Problem& p, Rank me, std::byte* data, const MpiOperand& mpi,
                   std::vector<std::byte>& scratch) {
  const Operand operand = mpi.operand();
  divide_before(data, p.elements, operand, p.ranks);
  const bool copies = reduces_copy(p) && me == p.root;
  if (copies)
    scratch.assign(data, data + static_cast<std::size_t>(p.elements) * size_of(operand.dtype));
  in_int_pieces(data, p.elements, operand.dtype, [&](std::byte* piece, int elements) {
    const void* const own =
        copies ? static_cast<const void*>(scratch.data() + (piece - data)) : MPI_IN_PLACE;
    check_mpi(me == p.root
                  ? MPI_Reduce(own, piece, elements, mpi.type(), mpi.op(), p.root, comm)
                  : MPI_Reduce(piece, nullptr, elements, mpi.type(), mpi.op(), p.root, comm),
              "MPI_Reduce");
  });
  if (me == p.root) divide_after(data, p.elements, operand, p.ranks);
}

void native_broadcast(MPI_Comm comm, const Problem& p, std::byte* data, const MpiOperand& mpi) {
  in_int_pieces(data, p.elements, mpi.operand().dtype, [&](std::byte* piece, int elements) {
    check_mpi(MPI_Bcast(piece, elements, mpi.type(), p.root, comm), "MPI_Bcast");
  });
}

void native_allreduce(MPI_Comm comm, const Problem& p, std::byte* data, const MpiOperand& mpi) {
  const Operand operand = mpi.operand();
  divide_before(data, p.elements, operand, p.ranks);
  in_int_pieces(data, p.elements, operand.dtype, [&](std::byte* piece, int elements) {
    check_mpi(MPI_Allreduce(MPI_IN_PLACE, piece, elements, mpi.type(), mpi.op(), comm),
              "MPI_Allreduce");
  });
  divide_after(data, p.elements, operand, p.ranks);
}

}  // namespace

void start_native_allreduce(MPI_Comm comm, const Problem& p, std::byte* data, const MpiOperand& mpi,
                            const std::function<void(MPI_Request&)>& finish) {
  const Operand operand = mpi.operand();
  divide_before(data, p.elements, operand, p.ranks);
  in_int_pieces(data, p.elements, operand.dtype, [&](std::byte* piece, int elements) {
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Iallreduce(MPI_IN_PLACE, piece, elements, mpi.type(), mpi.op(), comm, &request),
              "MPI_Iallreduce");
    finish(request);
  });
  divide_after(data, p.elements, operand, p.ranks);
}

const char* native_mpi_name(const Problem& p) {
  const bool even = p.elements % p.ranks == 0;
  const bool countable = p.elements <= std::numeric_limits<int>::max();
  switch (p.collective) {
    case Collective::allreduce:
      return "MPI_Allreduce";
    case Collective::reduce_scatter:
      return !countable ? "" : even ? "MPI_Reduce_scatter_block" : "MPI_Reduce_scatter";
    case Collective::all_gather:
      return !countable ? "" : even ? "MPI_Allgather" : "MPI_Allgatherv";
    case Collective::reduce:
      return "MPI_Reduce";
    case Collective::broadcast:
      return "MPI_Bcast";
  }
  return "";
}

bool leaves_data_to_mpi(const Problem& p) {
  return p.collective != Collective::reduce_scatter &&
         (p.collective != Collective::reduce || !reduces_copy(p));
}

void run_native_mpi(MPI_Comm comm, const Problem& p, Rank me, std::byte* data,
                    const MpiOperand& mpi, std::vector<std::byte>& scratch) {
  if (*native_mpi_name(p) == '\0')
    fail(Blame::usage, "MPI cannot count this many elements: choose an algorithm");
  switch (p.collective) {
    case Collective::allreduce:
      return native_allreduce(comm, p, data, mpi);
    case Collective::reduce_scatter:
      return native_reduce_scatter(comm, p, me, data, mpi, scratch);
    case Collective::all_gather:
      return native_all_gather(comm, p, data, mpi);
    case Collective::reduce:
      return native_reduce(comm, p, me, data, mpi, scratch);
    case Collective::broadcast:
      return native_broadcast(comm, p, data, mpi);
  }
}

}  // namespace arlab::collectives
