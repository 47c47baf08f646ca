#include "training/plugins/torch/ranks/call.hpp"

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"

namespace arlab::training {

std::string text(const Call& call) {
  std::string all(call.what.view());
  if (!call.type.view().empty()) all += concat(" of ", call.elements, " ", call.type.view());
  if (!call.op.view().empty()) all += concat(" by ", call.op.view());
  if (call.root >= 0) all += concat(" with root ", call.root);
  return all;
}

Rank checked_root(std::int64_t root, Rank ranks) {
  if (root < 0 || root >= ranks)
    fail(Blame::usage,
         concat("root is ", root, ", but the ranks are 0 to ", ranks - 1, ": choose one of those"));
  return static_cast<Rank>(root);
}

void fail_for_different(const Call& first, const Call& other,
                        const std::vector<std::string>& names) {
  const auto asks = [&](const Call& call) {
    const std::string name =
        names.empty() ? concat("rank ", call.rank) : names[static_cast<std::size_t>(call.rank)];
    return concat(name, " calls ", text(call));
  };
  const bool looks_same = text(first) == text(other);
  fail(Blame::usage,
       concat("the ranks of a group call different collectives: ", asks(first), ", and ",
              asks(other),
              looks_same ? ", with another ARLAB_ALGORITHM, or tensors of other sizes" : "",
              ": call the same collectives in the same order, with tensors of the same sizes and "
              "types"));
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

std::uint64_t with(std::uint64_t detail, const Call& call) {
  detail = with(with(detail, call.what.view()), call.type.view());
  detail = with(with(detail, call.op.view()), static_cast<std::uint64_t>(call.elements));
  return with(with(detail, static_cast<std::uint64_t>(call.root)), call.detail);
}

}  // namespace arlab::training
