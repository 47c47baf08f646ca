#include "collectives/mpi/messages/roll_call.hpp"

#include <mpi.h>

#include <algorithm>

#include "collectives/mpi/library/check.hpp"
#include "collectives/mpi/messages/link.hpp"

namespace arlab::collectives {
namespace {

constexpr int kAnswers = 0, kLeaves = 1;  // tags of this communicator, which is for nothing else

}  // namespace

struct RollCall::Link : MessageLink {
  using MessageLink::MessageLink;
};

RollCall::RollCall(const Communicator& group)
    : link_(std::make_unique<Link>(group)),
      answers_(static_cast<std::size_t>(group.ranks())),
      left_(static_cast<std::size_t>(group.ranks()), kStays) {}
RollCall::~RollCall() = default;

// So short that MPI sends them at once, and nobody waits for them to leave.
void RollCall::tell(int tag, const void* body, int bytes) {
  for (Rank r = 0; r < static_cast<Rank>(answers_.size()); ++r) {
    if (r == link_->rank) continue;
    MPI_Request request = MPI_REQUEST_NULL;
    check_mpi(MPI_Isend(body, bytes, MPI_BYTE, r, tag, link_->comm, &request), "MPI_Isend");
    check_mpi(MPI_Request_free(&request), "MPI_Request_free");
  }
}

bool RollCall::take(int tag, void* body, int bytes, Rank& from) {
  int found = 0;
  MPI_Status status;
  check_mpi(MPI_Iprobe(MPI_ANY_SOURCE, tag, link_->comm, &found, &status), "MPI_Iprobe");
  if (found == 0) return false;
  from = status.MPI_SOURCE;
  check_mpi(MPI_Recv(body, bytes, MPI_BYTE, from, tag, link_->comm, &status), "MPI_Recv");
  return true;
}

void RollCall::answer() { tell(kAnswers, nullptr, 0); }

void RollCall::leave(std::uint64_t collectives) {
  leaves_ = collectives;
  tell(kLeaves, &leaves_, sizeof leaves_);
}

const std::vector<unsigned>& RollCall::answers() {
  for (Rank from = 0; take(kAnswers, nullptr, 0, from);) ++answers_[static_cast<std::size_t>(from)];
  return answers_;
}

const std::vector<std::uint64_t>& RollCall::left() {
  std::uint64_t collectives = 0;
  for (Rank from = 0; take(kLeaves, &collectives, sizeof collectives, from);)
    left_[static_cast<std::size_t>(from)] = collectives;
  return left_;
}

Rank RollCall::left_before(std::uint64_t collectives) {
  const std::vector<std::uint64_t>& all = left();
  const auto first =
      std::ranges::find_if(all, [&](std::uint64_t after) { return after < collectives; });
  return first == all.end() ? -1 : static_cast<Rank>(first - all.begin());
}

}  // namespace arlab::collectives
