// MpiOperand: MPI's data type and operation for an Operand.
#pragma once

#include <mpi.h>

#include "collectives/reduce/dtype.hpp"

namespace arlab::collectives {

/// MPI has no floats of 16 or 8 bits: those are bytes with an operation of our own.
class MpiOperand {
 public:
  /// Throws Error(usage) for bytes.
  explicit MpiOperand(Operand operand);
  ~MpiOperand();
  MpiOperand(const MpiOperand&) = delete;
  MpiOperand& operator=(const MpiOperand&) = delete;

  Operand operand() const { return operand_; }
  MPI_Datatype type() const { return type_; }
  MPI_Op op() const { return op_; }

 private:
  void make_own(int bytes, MPI_User_function* function);

  Operand operand_;
  MPI_Datatype type_ = MPI_DATATYPE_NULL;
  MPI_Op op_ = MPI_OP_NULL;
  bool made_ = false;
};

}  // namespace arlab::collectives
