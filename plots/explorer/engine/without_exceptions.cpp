// Ubuntu's C++ library for WebAssembly throws std::bad_alloc and std::length_error, but comes
// without what throws. Debian's aborts by itself.
#include <cstddef>
#include <cstdio>
#include <cstdlib>

extern "C" {

[[gnu::weak]] void* __cxa_allocate_exception(std::size_t) noexcept {  // NOLINT: the ABI's name
  std::fputs("error: the page ran out of memory: choose fewer ranks\n", stderr);
  std::abort();
}
[[gnu::weak]] void __cxa_throw(void*, void*, void (*)(void*)) { std::abort(); }  // NOLINT
}
