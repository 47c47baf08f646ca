#include "collectives/mpi/library/native_out_of_place.hpp"

#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "algorithms/base/error.hpp"
#include "collectives/mpi/library/check.hpp"
#include "collectives/mpi/library/native_collective.hpp"
#include "collectives/reduce/reduce.hpp"

namespace arlab::collectives {
namespace {

class OutOfPlaceCall {
 public:
  OutOfPlaceCall(MPI_Comm comm, const Problem& problem, Rank me, const std::byte* from,
                 std::byte* into, const MpiOperand& mpi)
      : comm_(comm),
        problem_(problem),
        me_(me),
        from_(from),
        into_(into),
        operand_(mpi.operand()),
        mpi_(mpi),
        elements_(static_cast<int>(problem.elements)),
        even_(problem.elements % problem.ranks == 0) {
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
    switch (problem_.collective) {
      case Collective::allreduce:
        check_mpi(MPI_Allreduce(from_, into_, elements_, mpi_.type(), mpi_.op(), comm_),
                  "MPI_Allreduce");
        return divide_after(into_, problem_.elements, operand_, problem_.ranks);
      case Collective::reduce_scatter:
        return reduce_scatter();
      case Collective::all_gather:
        return all_gather();
      case Collective::reduce:
        check_mpi(MPI_Reduce(from_, me_ == problem_.root ? into_ : nullptr, elements_, mpi_.type(),
                             mpi_.op(), problem_.root, comm_),
                  "MPI_Reduce");
        if (me_ == problem_.root) divide_after(into_, problem_.elements, operand_, problem_.ranks);
        return;
      case Collective::broadcast:
        if (me_ == problem_.root && elements_ > 0)
          std::memcpy(into_, from_, static_cast<std::size_t>(elements_) * size_of(operand_.dtype));
        check_mpi(MPI_Bcast(into_, elements_, mpi_.type(), problem_.root, comm_), "MPI_Bcast");
        return;
    }
  }

 private:
  std::size_t my_offset() const {
    return static_cast<std::size_t>(begins_[static_cast<std::size_t>(me_)]) *
           size_of(operand_.dtype);
  }
  int my_count() const { return counts_[static_cast<std::size_t>(me_)]; }

  void reduce_scatter() {
    std::byte* const mine = into_ + my_offset();
    if (even_)
      check_mpi(MPI_Reduce_scatter_block(from_, mine, my_count(), mpi_.type(), mpi_.op(), comm_),
                "MPI_Reduce_scatter_block");
    else
      check_mpi(MPI_Reduce_scatter(from_, mine, counts_.data(), mpi_.type(), mpi_.op(), comm_),
                "MPI_Reduce_scatter");
    divide_after(mine, my_count(), operand_, problem_.ranks);
  }

  void all_gather() {
    const std::byte* const mine = from_ + my_offset();
    if (even_)
      check_mpi(MPI_Allgather(mine, my_count(), mpi_.type(), into_, my_count(), mpi_.type(), comm_),
                "MPI_Allgather");
    else
      check_mpi(MPI_Allgatherv(mine, my_count(), mpi_.type(), into_, counts_.data(), begins_.data(),
                               mpi_.type(), comm_),
                "MPI_Allgatherv");
  }

  MPI_Comm comm_;
  const Problem& problem_;
  Rank me_;
  const std::byte* from_;
  std::byte* into_;
  Operand operand_;
  const MpiOperand& mpi_;
  int elements_;
  bool even_;                         // whether the ranks divide the elements
  std::vector<int> counts_, begins_;  // of the chunks
};

}  // namespace

void native_mpi_out_of_place(MPI_Comm comm, const Problem& problem, Rank me, const std::byte* from,
                             std::byte* into, const MpiOperand& mpi,
                             std::vector<std::byte>& scratch) {
  if (problem.elements > std::numeric_limits<int>::max())
    fail(Blame::usage, std::string(native_mpi_name(problem)) + " of " +
                           std::to_string(problem.elements) +
                           " elements out of place: MPI counts to 2147483647, use fewer");
  const Operand operand = mpi.operand();
  if (problem.reduces() && divisors_of(operand, problem.ranks).before != 1) {
    scratch.assign(from,
                   from + static_cast<std::size_t>(problem.elements) * size_of(operand.dtype));
    divide_before(scratch.data(), problem.elements, operand, problem.ranks);
    from = scratch.data();
  }
  OutOfPlaceCall(comm, problem, me, from, into, mpi).run();
}

}  // namespace arlab::collectives
