// Messenger: the thread that moves the messages between pairs of ranks, of all process groups.
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "collectives/mpi/messages/messages.hpp"
#include "training/plugins/torch/turn.hpp"

namespace arlab::training {

class Messenger {
 public:
  explicit Messenger(MpiTurn& turn);
  ~Messenger() { end(); }
  /// Waits until all messages have been sent, and withdraws the receives. What is posted later
  /// fails.
  void end();

  /// Moves these messages, too. The caller has the turn; they outlive the messenger.
  void add(collectives::Messages& messages) { all_.push_back(&messages); }

  /// Calls `start`, which opens a message, in this thread. Calls `failed` if it throws.
  void post(std::function<void()> start, std::function<void(std::exception_ptr)> failed);

 private:
  struct Posted {
    std::function<void()> start;
    std::function<void(std::exception_ptr)> failed;
  };
  void run();
  bool has_open() const;
  bool has_ended();

  MpiTurn& turn_;
  std::mutex mutex_;
  std::condition_variable posted_;
  std::deque<Posted> queue_;
  bool ends_ = false;
  std::vector<collectives::Messages*> all_;  // of whoever has the turn
  std::thread thread_;
};

}  // namespace arlab::training
