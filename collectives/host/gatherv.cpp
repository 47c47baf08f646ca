#include "collectives/host/gatherv.hpp"

#include <cstdint>
#include <cstring>
#include <utility>

#include "algorithms/base/error.hpp"
#include "collectives/host/execute.hpp"

namespace arlab::collectives {
namespace {

constexpr Operand kBytes{DType::byte, Op::sum};

Problem all_gather_on(const Communicator& communicator, Count elements) {
  return {
      .collective = Collective::all_gather, .ranks = communicator.ranks(), .elements = elements};
}

/// Moves a text between two ranks; every rank calls it. Returns it at its origin and its target.
std::string pass(Communicator& communicator, Rank from, Rank to, const std::string& text) {
  const Rank me = communicator.rank();
  const Count length = communicator.sum(from == me ? static_cast<Count>(text.size()) : 0);
  if (from == me && (to == me || length == 0)) return text;
  if (from != me && to != me) return "";
  std::string bytes = from == me ? text : std::string(static_cast<std::size_t>(length), '\0');
  transmit(communicator, from, to, std::as_writable_bytes(std::span(bytes)));
  return bytes;
}

}  // namespace

void transmit(Communicator& communicator, std::span<const ByteMessage> messages) {
  std::vector<Transfer> round;
  round.reserve(messages.size());
  for (const ByteMessage& m : messages)
    if (!m.bytes.empty())
      round.push_back({m.kind, m.peer, m.bytes.data(), static_cast<Count>(m.bytes.size())});
  if (round.empty()) return;
  communicator.start(0, round, kBytes);
  communicator.wait();
}

void transmit(Communicator& communicator, Rank from, Rank to, std::span<std::byte> bytes) {
  const Rank me = communicator.rank();
  if (from == to || (me != from && me != to)) return;
  const ByteMessage message[] = {me == from ? ByteMessage{ActionKind::send, to, bytes}
                                            : ByteMessage{ActionKind::replace, from, bytes}};
  transmit(communicator, message);
}

std::vector<Count> gather_counts(Communicator& communicator, const Algorithm& all_gather,
                                 Count mine) {
  std::vector<Count> counts(static_cast<std::size_t>(communicator.ranks()));
  counts[static_cast<std::size_t>(communicator.rank())] = mine;
  execute(communicator, all_gather, all_gather_on(communicator, communicator.ranks()),
          std::as_writable_bytes(std::span(counts)), {DType::int64, Op::sum});
  return counts;
}

std::vector<Count> offsets(std::span<const Count> sizes) {
  std::vector<Count> begins{0};
  for (const Count size : sizes) begins.push_back(begins.back() + size);
  return begins;
}

void gather_parts(Communicator& communicator, const Algorithm& all_gather,
                  std::span<const Count> offsets, std::span<std::byte> all) {
  execute_uneven(communicator, all_gather, all_gather_on(communicator, 0), offsets, all, kBytes);
}

std::vector<std::string> share_all(Communicator& communicator, const std::string& text) {
  const auto to_all = [&](std::string mine, std::vector<std::string> all) {
    std::vector<ByteMessage> round;
    for (Rank peer = 0; peer < communicator.ranks(); ++peer) {
      std::string& its = all[static_cast<std::size_t>(peer)];
      if (peer == communicator.rank()) {
        its = mine;
        continue;
      }
      round.push_back({ActionKind::send, peer, std::as_writable_bytes(std::span(mine))});
      round.push_back({ActionKind::replace, peer, std::as_writable_bytes(std::span(its))});
    }
    transmit(communicator, round);
    return all;
  };
  std::uint64_t length = text.size();
  std::string encoded(sizeof length, '\0');
  std::memcpy(encoded.data(), &length, sizeof length);
  std::vector<std::string> all;
  for (const std::string& its :
       to_all(encoded, {static_cast<std::size_t>(communicator.ranks()), encoded})) {
    std::memcpy(&length, its.data(), sizeof length);
    all.emplace_back(length, '\0');
  }
  return to_all(text, std::move(all));
}

std::vector<std::string> gather(Communicator& communicator, const std::string& text) {
  std::vector<std::string> all;
  for (Rank from = 0; from < communicator.ranks(); ++from) {
    std::string its = pass(communicator, from, 0, text);
    if (communicator.rank() == 0) all.push_back(std::move(its));
  }
  return all;
}

std::string share(Communicator& communicator, const std::string& text) {
  std::string mine = text;
  for (Rank to = 1; to < communicator.ranks(); ++to) {
    std::string its = pass(communicator, 0, to, text);
    if (to == communicator.rank()) mine = std::move(its);
  }
  return mine;
}

std::string scatter(Communicator& communicator, const std::vector<std::string>& texts) {
  const Rank me = communicator.rank();
  expects(me != 0 || static_cast<Rank>(texts.size()) == communicator.ranks(),
          "scatter() needs one text per rank");
  std::string mine;
  for (Rank to = 0; to < communicator.ranks(); ++to) {
    std::string its =
        pass(communicator, 0, to, me == 0 ? texts[static_cast<std::size_t>(to)] : std::string());
    if (to == me) mine = std::move(its);
  }
  return mine;
}

}  // namespace arlab::collectives
