#include "tests/fakes/cuda/fiber.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <cstdint>
#include <cstdlib>
#include <utility>

#ifdef ARLAB_ADDRESS_SANITIZER
#include <sanitizer/common_interface_defs.h>
#endif

namespace arlab::fake_cuda {
namespace {

constexpr std::size_t kStack = std::size_t{128} << 10;

void leave([[maybe_unused]] void** kept, [[maybe_unused]] const void* bottom,
           [[maybe_unused]] std::size_t size) {
#ifdef ARLAB_ADDRESS_SANITIZER
  __sanitizer_start_switch_fiber(kept, bottom, size);
#endif
}

void arrive([[maybe_unused]] void* kept) {
#ifdef ARLAB_ADDRESS_SANITIZER
  __sanitizer_finish_switch_fiber(kept, nullptr, nullptr);
#endif
}

// The address sanitizer's own swapcontext() clears what it knows of the whole stack at each switch,
// which takes half the time of the tests. It needs not, since it is told of all switches.
void swap(ucontext_t* from, const ucontext_t* to) {
#ifdef ARLAB_ADDRESS_SANITIZER
  using Swap = int (*)(ucontext_t*, const ucontext_t*);
  static const auto plain =
      reinterpret_cast<Swap>(dlsym(dlopen("libc.so.6", RTLD_LAZY | RTLD_NOLOAD), "swapcontext"));
  plain(from, to);
#else
  swapcontext(from, to);
#endif
}

struct Stack {
  void* bottom = nullptr;
  std::size_t size = 0;
};

Stack stack_of_this_thread() {
  Stack stack;
  pthread_attr_t attributes;
  pthread_getattr_np(pthread_self(), &attributes);
  pthread_attr_getstack(&attributes, &stack.bottom, &stack.size);
  pthread_attr_destroy(&attributes);
  return stack;
}

}  // namespace

Fiber::Fiber() {
  thread_local const Stack stack =
      stack_of_this_thread();  // once: of a main thread it reads a file
  bottom_ = stack.bottom;
  size_ = stack.size;
}

Fiber::Fiber(std::function<void()> body)
    : body_(std::move(body)), stack_(new char[kStack]), bottom_(stack_.get()), size_(kStack) {
  getcontext(&context_);
  context_.uc_stack.ss_sp = bottom_;
  context_.uc_stack.ss_size = size_;
  const auto self = reinterpret_cast<std::uintptr_t>(this);  // makecontext() passes ints only
  makecontext(&context_, reinterpret_cast<void (*)()>(&Fiber::enter), 2,
              static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
}

void Fiber::enter(unsigned high, unsigned low) {
  arrive(nullptr);
  reinterpret_cast<Fiber*>(static_cast<std::uintptr_t>(high) << 32 | low)->body_();
  std::abort();
}

void Fiber::switch_to(Fiber& other) {
  leave(&sanitizer_, other.bottom_, other.size_);
  swap(&context_, &other.context_);
  arrive(sanitizer_);
}

}  // namespace arlab::fake_cuda
