// Which types and operations of MPI the drop-in library knows, and how it reads types of programs.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <optional>

#include "collectives/reduce/dtype.hpp"
#include "collectives/shm/step_collectives.hpp"

namespace arlab::collectives {

/// Returns the operand of a predefined type and operation, if our kernels know it.
std::optional<Operand> operand_of(MPI_Datatype type, MPI_Op op);

/// A predefined operation on a predefined type, as the standard allows, whose elements lie without
/// gaps. Other operations may not commute.
struct LocalReduction {
  MPI_Datatype type;
  MPI_Op op;
  std::size_t element_bytes;
  std::optional<Operand> operand;  ///< of our kernels; else MPI_Reduce_local combines

  /// Refers to this.
  StepReduction in_steps() const;
};

std::optional<LocalReduction> local_reduction(MPI_Datatype type, MPI_Op op);

/// Whether elements of a type lie one after another as their values do, and how many bytes of
/// values an element has.
struct TypeShape {
  bool is_flat = false;
  Bytes bytes = 0;
};
TypeShape shape_of(MPI_Datatype type);

}  // namespace arlab::collectives
