// Requests: the messages of a rank that have been started and are not done.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "algorithms/problem.hpp"

namespace arlab::collectives {

class Requests {
 public:
  struct Message {  ///< or a part of one
    int lane = 0;
    Rank peer = 0;
    bool sends = false;
    std::size_t bytes = 0;
  };

  bool empty() const { return requests_.empty(); }
  /// Returns the request of one more message, which a call of MPI fills at once.
  MPI_Request* add(const Message& message) {
    messages_.push_back(message);
    return &requests_.emplace_back(MPI_REQUEST_NULL);
  }

  /// Drops the messages that are done. Returns the lane of each. Valid until the next call.
  std::span<const int> test();
  /// The same where there is one message: whether it is done, and no longer here.
  bool test_only();

  std::size_t bytes() const;
  /// Returns what is waited for: "a message of 4096 bytes from rank 2".
  std::string awaited() const;
  /// Drops them all, and they land nowhere.
  void cancel() noexcept;

 private:
  void check(int code, int count) const;
  void clear() {
    requests_.clear();
    messages_.clear();
  }

  std::vector<MPI_Request> requests_;
  std::vector<Message> messages_;  // of each
  std::vector<int> finished_;      // their places, then their lanes
  std::vector<MPI_Status> statuses_;
};

}  // namespace arlab::collectives
