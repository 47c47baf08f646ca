// MessageLink: a duplicate of a group's MPI communicator, for messages of one kind.
#pragma once

#include <mpi.h>

#include "collectives/mpi/communicator.hpp"
#include "collectives/mpi/library/check.hpp"

namespace arlab::collectives {

struct MessageLink {
  explicit MessageLink(const Communicator& group) : rank(group.rank()), ranks(group.ranks()) {
    check_mpi(MPI_Comm_dup(comm_of(group), &comm), "MPI_Comm_dup");
    check_mpi(MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  }
  ~MessageLink() { MPI_Comm_free(&comm); }
  MessageLink(const MessageLink&) = delete;

  MPI_Comm comm = MPI_COMM_NULL;
  Rank rank, ranks;
};

}  // namespace arlab::collectives
