#include "collectives/mpi/mpi_baseline.hpp"

#include <utility>

#include "collectives/mpi/library/check.hpp"
#include "collectives/mpi/library/native_collective.hpp"
#include "collectives/mpi/library/native_out_of_place.hpp"

namespace arlab::collectives {

MpiBaseline::MpiBaseline(Watch& watch, Place* place, MPI_Comm comm, Finish finish)
    : watch_(watch), place_(place), comm_(comm), finish_(std::move(finish)) {}

std::string MpiBaseline::name_of(const Problem& problem) const { return native_mpi_name(problem); }

void MpiBaseline::run(const Problem& problem, const std::byte* from, std::byte* into,
                      Operand operand) {
  const std::size_t bytes = static_cast<std::size_t>(problem.elements) * size_of(operand.dtype);
  const MPI_Comm comm = comm_of(problem);
  if (from == into && finish_ && problem.collective == Collective::allreduce)
    return start_native_allreduce(comm, problem, into, mpi_of(operand),
                                  [&](MPI_Request& request) { finish_(request, bytes); });
  const Watch::Blocked blocked(watch_, native_mpi_name(problem), bytes);
  const Inside inside(place_, 0);
  if (from == into)
    run_native_mpi(comm, problem, rank_in(comm), into, mpi_of(operand), scratch_);
  else
    native_mpi_out_of_place(comm, problem, rank_in(comm), from, into, mpi_of(operand), scratch_);
}

const MpiOperand& MpiBaseline::mpi_of(Operand operand) {
  return operands_.try_emplace({operand.dtype, operand.op}, operand).first->second;
}

std::vector<std::string> MpiBaseline::algorithms() { return library().names(); }

void MpiBaseline::use(const std::string& algorithm) {
  if (algorithm == used_) return;
  const Watch::Blocked blocked(watch_, "MPI_Comm_dup");
  chosen_ = library().use(comm_, algorithm);
  used_ = algorithm;
}

LibraryAlgorithms& MpiBaseline::library() {
  if (!library_) library_.emplace();
  return *library_;
}

// Only an allreduce has algorithms that are chosen.
MPI_Comm MpiBaseline::comm_of(const Problem& problem) const {
  const bool chosen = problem.collective == Collective::allreduce && chosen_ != MPI_COMM_NULL;
  return chosen ? chosen_ : comm_;
}

}  // namespace arlab::collectives
