#include "collectives/mpi/requests.hpp"

#include <algorithm>

#include "collectives/mpi/library/check.hpp"

namespace arlab::collectives {

std::span<const int> Requests::test() {
  finished_.resize(requests_.size());
  statuses_.resize(requests_.size());
  int count = 0;
  check(MPI_Testsome(static_cast<int>(requests_.size()), requests_.data(), &count, finished_.data(),
                     statuses_.data()),
        count);
  finished_.resize(static_cast<std::size_t>(std::max(0, count)));
  for (int& place : finished_) place = messages_[static_cast<std::size_t>(place)].lane;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < requests_.size(); ++i) {
    if (requests_[i] == MPI_REQUEST_NULL) continue;
    requests_[kept] = requests_[i];
    messages_[kept++] = messages_[i];
  }
  requests_.resize(kept);
  messages_.resize(kept);
  return finished_;
}

bool Requests::test_only() {
  int done = 0;
  check_mpi(MPI_Test(requests_.data(), &done, MPI_STATUS_IGNORE), "waiting for a message");
  if (done != 0) clear();
  return done != 0;
}

std::size_t Requests::bytes() const {
  std::size_t bytes = 0;
  for (const Message& message : messages_) bytes += message.bytes;
  return bytes;
}

std::string Requests::awaited() const {
  if (messages_.empty()) return "messages";
  const auto received =
      std::find_if(messages_.begin(), messages_.end(), [](const Message& m) { return !m.sends; });
  if (received != messages_.end())
    return "a message of " + std::to_string(received->bytes) + " bytes from rank " +
           std::to_string(received->peer);
  return "rank " + std::to_string(messages_.front().peer) + " to take a message of " +
         std::to_string(messages_.front().bytes) + " bytes";
}

void Requests::cancel() noexcept {
  for (MPI_Request& request : requests_) {
    MPI_Cancel(&request);
    MPI_Request_free(&request);
  }
  clear();
}

void Requests::check(int code, int count) const {
  if (code != MPI_ERR_IN_STATUS) return check_mpi(code, "waiting for messages");
  for (int k = 0; k < count; ++k)
    check_mpi(statuses_[static_cast<std::size_t>(k)].MPI_ERROR, "a message");
}

}  // namespace arlab::collectives
