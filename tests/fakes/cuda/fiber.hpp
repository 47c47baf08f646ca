// Fiber: a stack of its own, to which a thread of the host switches and back.
#pragma once

#include <ucontext.h>

#include <cstddef>
#include <functional>
#include <memory>

namespace arlab::fake_cuda {

class Fiber {
 public:
  /// The stack of the thread that calls.
  Fiber();
  /// Runs `body` when it is first switched to. `body` must never return.
  explicit Fiber(std::function<void()> body);
  Fiber(const Fiber&) = delete;
  Fiber& operator=(const Fiber&) = delete;

  /// Continues there; returns when something switches back to this one, which must be the one that
  /// runs.
  void switch_to(Fiber& other);

 private:
  static void enter(unsigned high, unsigned low);

  std::function<void()> body_;
  std::unique_ptr<char[]> stack_;
  void* bottom_ = nullptr;
  std::size_t size_ = 0;
  void* sanitizer_ = nullptr;  // what the address sanitizer keeps of a fiber that does not run
  ucontext_t context_{};
};

}  // namespace arlab::fake_cuda
