// MpiBaseline: the MPI library's own collectives on the ranks of a communicator.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "collectives/baseline.hpp"
#include "collectives/mpi/library/library_algorithms.hpp"
#include "collectives/mpi/library/operand.hpp"
#include "collectives/mpi/watch.hpp"
#include "collectives/place.hpp"

namespace arlab::collectives {

class MpiBaseline final : public Baseline {
 public:
  /// Waits for a request that moves so many bytes, and that may be interrupted.
  using Finish = std::function<void(MPI_Request&, std::size_t bytes)>;

  /// place: where the rank shows what it does; null: nowhere. Without `finish`, calls are blocking.
  MpiBaseline(Watch& watch, Place* place, MPI_Comm comm, Finish finish);

  std::string name_of(const Problem& problem) const override;
  void run(const Problem& problem, const std::byte* from, std::byte* into,
           Operand operand) override;
  std::vector<std::string> algorithms() override;
  void use(const std::string& algorithm) override;

 private:
  LibraryAlgorithms& library();
  MPI_Comm comm_of(const Problem& problem) const;
  const MpiOperand& mpi_of(Operand operand);

  Watch& watch_;
  Place* place_;
  MPI_Comm comm_;
  Finish finish_;
  // Kept, as a program keeps them: to make them takes as long as a short call.
  std::map<std::pair<DType, Op>, MpiOperand> operands_;
  std::vector<std::byte> scratch_;
  MPI_Comm chosen_ = MPI_COMM_NULL;  // of the algorithm that is used; library_ keeps it
  std::string used_;                 // that algorithm
  std::optional<LibraryAlgorithms> library_;
};

}  // namespace arlab::collectives
