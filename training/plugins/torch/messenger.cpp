#include "training/plugins/torch/messenger.hpp"

#include <algorithm>
#include <utility>

#include "algorithms/base/error.hpp"
#include "collectives/rest.hpp"
#include "collectives/start_thread.hpp"

namespace arlab::training {

using collectives::Messages;

Messenger::Messenger(MpiTurn& turn)
    : turn_(turn), thread_(collectives::start_thread([this] { run(); })) {}

void Messenger::end() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  posted_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Messenger::post(std::function<void()> start, std::function<void(std::exception_ptr)> failed) {
  bool takes = false;
  {
    const std::lock_guard lock(mutex_);
    takes = !ends_;
    if (takes) queue_.push_back({std::move(start), std::move(failed)});
  }
  if (takes) return posted_.notify_all();
  failed(std::make_exception_ptr(
      Error(Blame::usage, "send and recv after the program's end: call them before it")));
}

void Messenger::run() {
  bool open = false;
  for (int polls = 0;; ++polls) {
    std::deque<Posted> posted;
    {
      std::unique_lock lock(mutex_);
      if (!open) posted_.wait(lock, [&] { return ends_ || !queue_.empty(); });
      posted.swap(queue_);
    }
    std::vector<Messages::Finished> finished;
    {
      const std::lock_guard turn(turn_);
      for (const Posted& each : posted) {
        try {
          each.start();
        } catch (...) {
          finished.push_back([&each, error = std::current_exception()] { each.failed(error); });
        }
      }
      bool moved = !posted.empty();
      for (Messages* const messages : all_) moved |= messages->poll(finished);
      if (moved) polls = 0;
      open = has_open();
    }
    for (const auto& call : finished) call();
    if (has_ended()) return;
    if (open && finished.empty()) collectives::rest_after(polls);
  }
}

bool Messenger::has_open() const {
  return std::any_of(all_.begin(), all_.end(), [](const Messages* m) { return m->open() > 0; });
}

// At the end nobody waits for a receive any more, but another rank may wait for a message from
// here.
bool Messenger::has_ended() {
  {
    const std::lock_guard lock(mutex_);
    if (!ends_ || !queue_.empty()) return false;
  }
  const std::lock_guard turn(turn_);
  if (std::any_of(all_.begin(), all_.end(), [](const Messages* m) { return m->open_sends() > 0; }))
    return false;
  for (Messages* const messages : all_) messages->withdraw_receives();
  return true;
}

}  // namespace arlab::training
