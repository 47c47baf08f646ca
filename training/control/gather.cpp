#include "training/control/gather.hpp"

#include <cstdint>
#include <cstring>

#include "algorithms/base/error.hpp"

namespace arlab::training {
namespace {

/// From one rank to another; every rank calls it. Returns the text where it is, or has arrived.
std::string pass(collectives::Communicator& communicator, Rank from, Rank to,
                 const std::string& text) {
  constexpr collectives::Operand kWords{collectives::DType::int32, collectives::Op::sum};
  const Rank me = communicator.rank();
  const Count length = communicator.sum(from == me ? static_cast<Count>(text.size()) : 0);
  if (from == to) return me == from ? text : "";
  std::vector<std::int32_t> words(static_cast<std::size_t>((length + 3) / 4));
  auto* const bytes = reinterpret_cast<std::byte*>(words.data());
  const auto count = static_cast<Count>(words.size());
  if (from == me) std::memcpy(bytes, text.data(), text.size());
  if (me != from && me != to) return "";
  if (count > 0) {
    const collectives::Transfer round[] = {
        me == to ? collectives::Transfer{ActionKind::replace, from, bytes, count}
                 : collectives::Transfer{ActionKind::send, to, bytes, count}};
    communicator.start(0, round, kWords);
    communicator.wait();
  }
  return {reinterpret_cast<const char*>(words.data()), static_cast<std::size_t>(length)};
}

}  // namespace

std::vector<std::string> gather(collectives::Communicator& communicator, const std::string& text) {
  std::vector<std::string> all;
  for (Rank from = 0; from < communicator.ranks(); ++from) {
    std::string its = pass(communicator, from, 0, text);
    if (communicator.rank() == 0) all.push_back(std::move(its));
  }
  return all;
}

std::string scatter(collectives::Communicator& communicator,
                    const std::vector<std::string>& texts) {
  const Rank me = communicator.rank();
  expects(me != 0 || static_cast<Rank>(texts.size()) == communicator.ranks(),
          "other than one text a rank is scattered");
  std::string mine;
  for (Rank to = 0; to < communicator.ranks(); ++to) {
    std::string its =
        pass(communicator, 0, to, me == 0 ? texts[static_cast<std::size_t>(to)] : std::string());
    if (to == me) mine = std::move(its);
  }
  return mine;
}

}  // namespace arlab::training
