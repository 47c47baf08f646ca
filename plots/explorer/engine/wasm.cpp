// The WebAssembly interface of the engine. The page writes a request into arlab_buffer(size), and
// arlab_answer() returns the address of the answer. fail() prints its message through fd_write;
// then the module must be instantiated again.
#include <string>

#include "plots/explorer/engine/answer.hpp"

namespace {
std::string request, reply;  // NOLINT: shared with the page
}

extern "C" {

[[clang::export_name("arlab_buffer")]] char* arlab_buffer(int size) {
  request.resize(static_cast<std::size_t>(size));
  return request.data();
}
[[clang::export_name("arlab_answer")]] const char* arlab_answer() {
  reply = arlab::explorer::answer(request);
  return reply.data();
}
[[clang::export_name("arlab_answer_size")]] int arlab_answer_size() {
  return static_cast<int>(reply.size());
}
}
