// The door to the page in WebAssembly: a request is written into arlab_buffer(size), arlab_answer()
// returns where the answer lies. What fail() says comes out at fd_write, and the module must then
// be made anew.
#include <string>

#include "plots/explorer/engine/answer.hpp"

namespace {
std::string request, reply;  // NOLINT: the page's mailbox
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
