#include "training/plugins/torch/ranks/call.hpp"

#include "algorithms/base/text.hpp"

namespace arlab::training {

std::string text(const Call& call) {
  std::string all(call.what.view());
  if (!call.type.view().empty()) all += concat(" of ", call.elements, " ", call.type.view());
  if (!call.op.view().empty()) all += concat(" by ", call.op.view());
  if (call.root >= 0) all += concat(" with root ", call.root);
  return all;
}

// FNV-1a.
std::uint64_t with(std::uint64_t detail, std::uint64_t value) {
  constexpr std::uint64_t kPrime = 1099511628211u;
  return ((detail ^ value) * kPrime) ^ (value >> 32);
}

std::uint64_t with(std::uint64_t detail, std::string_view text) {
  for (const char letter : text) detail = with(detail, static_cast<unsigned char>(letter));
  return with(detail, text.size());
}

}  // namespace arlab::training
