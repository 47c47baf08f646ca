#include "collectives/mpi/messages/roll_call.hpp"

#include <mpi.h>

#include "collectives/mpi/check.hpp"
#include "collectives/mpi/messages/link.hpp"

namespace arlab::collectives {
namespace {

constexpr int kTag = 0;  // of this communicator, which is for nothing else

}  // namespace

struct RollCall::Link : MessageLink {
  using MessageLink::MessageLink;
};

RollCall::RollCall(const Communicator& group)
    : link_(std::make_unique<Link>(group)), heard_(static_cast<std::size_t>(group.ranks())) {}
RollCall::~RollCall() = default;

// Without a body they need no memory, and nobody waits for them to leave.
void RollCall::answer() {
  if (answered_) return;
  answered_ = true;
  for (Rank r = 0; r < static_cast<Rank>(heard_.size()); ++r) {
    if (r == link_->rank) continue;
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Isend(nullptr, 0, MPI_BYTE, r, kTag, link_->comm, &request), "MPI_Isend");
    check_mpi(MPI_Request_free(&request), "MPI_Request_free");
  }
}

const std::vector<bool>& RollCall::heard() {
  for (;;) {
    int found = 0;
    MPI_Status status;
    check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, kTag, link_->comm, &found, &status), "MPI_Iprobe");
    if (found == 0) return heard_;
    check_mpi(MPI_Recv(nullptr, 0, MPI_BYTE, status.MPI_SOURCE, kTag, link_->comm, &status),
              "MPI_Recv");
    heard_[static_cast<std::size_t>(status.MPI_SOURCE)] = true;
  }
}

}  // namespace arlab::collectives
