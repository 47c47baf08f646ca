#include "collectives/mpi/native.hpp"

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "algorithms/base/error.hpp"
#include "collectives/mpi/check.hpp"
#include "collectives/mpi/operand.hpp"
#include "collectives/reduce/reduce.hpp"

namespace arlab::collectives {
namespace {

class NativeCall {
 public:
  NativeCall(MPI_Comm comm, const Problem& problem, Rank me, const std::byte* from, std::byte* into,
             Operand operand)
      : comm_(comm),
        problem_(problem),
        me_(me),
        from_(from),
        into_(into),
        operand_(operand),
        mpi_(operand),
        in_place_(from == into),
        elements_(static_cast<int>(problem.elements)) {
    if (problem.collective != Collective::reduce_scatter &&
        problem.collective != Collective::all_gather)
      return;
    const Blocks blocks = problem.blocks();
    for (Rank chunk = 0; chunk < problem.ranks; ++chunk) {
      counts_.push_back(static_cast<int>(blocks.size(chunk)));
      begins_.push_back(static_cast<int>(blocks.begin(chunk)));
    }
  }

  void run() {
    const bool divides = problem_.reduces() && divisors_of(operand_, problem_.ranks).before != 1;
    if (divides) {  // what each rank contributes changes: only a copy may
      copy_all();
      divide_before(into_, problem_.elements, operand_, problem_.ranks);
    }
    switch (problem_.collective) {
      case Collective::allreduce:
        check_mpi(MPI_Allreduce(in_place_ ? MPI_IN_PLACE : from_, into_, elements_, mpi_.type(),
                                mpi_.op(), comm_),
                  "MPI_Allreduce");
        return divide_after(into_, problem_.elements, operand_, problem_.ranks);
      case Collective::reduce_scatter:
        return reduce_scatter();
      case Collective::all_gather:
        check_mpi(
            MPI_Allgatherv(in_place_ ? MPI_IN_PLACE : from_ + chunk_offset(), my_count(),
                           mpi_.type(), into_, counts_.data(), begins_.data(), mpi_.type(), comm_),
            "MPI_Allgatherv");
        return;
      case Collective::reduce:
        return reduce();
      case Collective::broadcast:
        if (!in_place_ && me_ == problem_.root) copy_all();
        check_mpi(MPI_Bcast(into_, elements_, mpi_.type(), problem_.root, comm_), "MPI_Bcast");
        return;
    }
  }

 private:
  std::size_t chunk_offset() const {
    return static_cast<std::size_t>(begins_[static_cast<std::size_t>(me_)]) *
           size_of(operand_.dtype);
  }
  int my_count() const { return counts_[static_cast<std::size_t>(me_)]; }

  void copy_all() {
    const std::size_t bytes = static_cast<std::size_t>(problem_.elements) * size_of(operand_.dtype);
    if (!in_place_ && bytes > 0) std::memcpy(into_, from_, bytes);
    in_place_ = true;
    from_ = into_;
  }

  // In place MPI leaves the chunk at the beginning of the vector.
  void reduce_scatter() {
    std::byte* const chunk = into_ + chunk_offset();
    check_mpi(MPI_Reduce_scatter(in_place_ ? MPI_IN_PLACE : from_, in_place_ ? into_ : chunk,
                                 counts_.data(), mpi_.type(), mpi_.op(), comm_),
              "MPI_Reduce_scatter");
    const auto bytes = static_cast<std::size_t>(my_count()) * size_of(operand_.dtype);
    if (in_place_ && bytes > 0) std::memmove(chunk, into_, bytes);
    divide_after(chunk, my_count(), operand_, problem_.ranks);
  }

  void reduce() {
    const bool is_root = me_ == problem_.root;
    check_mpi(MPI_Reduce(is_root && in_place_ ? MPI_IN_PLACE : from_, is_root ? into_ : nullptr,
                         elements_, mpi_.type(), mpi_.op(), problem_.root, comm_),
              "MPI_Reduce");
    if (is_root) divide_after(into_, problem_.elements, operand_, problem_.ranks);
  }

  MPI_Comm comm_;
  const Problem& problem_;
  Rank me_;
  const std::byte* from_;
  std::byte* into_;
  Operand operand_;
  MpiOperand mpi_;
  bool in_place_;
  int elements_;
  std::vector<int> counts_, begins_;  // of the chunks
};

}  // namespace

const char* native_mpi_name(Collective collective) {
  switch (collective) {
    case Collective::allreduce:
      return "MPI_Allreduce";
    case Collective::reduce_scatter:
      return "MPI_Reduce_scatter";
    case Collective::all_gather:
      return "MPI_Allgatherv";
    case Collective::reduce:
      return "MPI_Reduce";
    case Collective::broadcast:
      return "MPI_Bcast";
  }
  return "";
}

void native_mpi_collective(MPI_Comm comm, const Problem& problem, Rank me, const std::byte* from,
                           std::byte* into, Operand operand) {
  if (problem.elements > std::numeric_limits<int>::max())
    fail(Blame::usage, std::string(native_mpi_name(problem.collective)) + " of " +
                           std::to_string(problem.elements) +
                           " elements: MPI counts to 2147483647, use fewer");
  NativeCall(comm, problem, me, from, into, operand).run();
}

}  // namespace arlab::collectives
