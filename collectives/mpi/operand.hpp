// MpiOperand: MPI's data type and operation for an Operand.
#pragma once

#include <mpi.h>

#include "collectives/reduce/dtype.hpp"

namespace arlab::collectives {

/// MPI has no 16-bit floats: those are pairs of bytes with an operation of our own.
class MpiOperand {
 public:
  /// Throws Error(usage) for bytes.
  explicit MpiOperand(Operand operand);
  ~MpiOperand();
  MpiOperand(const MpiOperand&) = delete;
  MpiOperand& operator=(const MpiOperand&) = delete;

  MPI_Datatype type() const { return type_; }
  MPI_Op op() const { return op_; }

 private:
  void make_half(MPI_User_function* function);

  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Op op_ = MPI_OP_NULL;
  bool made_ = false;
};

}  // namespace arlab::collectives
