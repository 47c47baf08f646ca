#include "training/compressors/wire.hpp"

#include "collectives/host/execute.hpp"

namespace arlab::training {
namespace {

constexpr collectives::Operand kBytes{collectives::DType::byte, collectives::Op::sum};

Problem all_gather_on(const collectives::Communicator& communicator, Count elements) {
  return {
      .collective = Collective::all_gather, .ranks = communicator.ranks(), .elements = elements};
}

}  // namespace

void carry(collectives::Communicator& communicator, std::span<const Parcel> parcels) {
  std::vector<collectives::Transfer> round;
  round.reserve(parcels.size());
  for (const Parcel& p : parcels)
    if (!p.bytes.empty())
      round.push_back({p.kind, p.peer, p.bytes.data(), static_cast<Count>(p.bytes.size())});
  if (round.empty()) return;
  communicator.start(0, round, kBytes);
  communicator.wait();
}

std::vector<Count> gather_counts(collectives::Communicator& communicator,
                                 const Algorithm& all_gather, Count mine) {
  std::vector<Count> counts(static_cast<std::size_t>(communicator.ranks()));
  counts[static_cast<std::size_t>(communicator.rank())] = mine;
  collectives::execute(communicator, all_gather, all_gather_on(communicator, communicator.ranks()),
                       std::as_writable_bytes(std::span(counts)),
                       {collectives::DType::int64, collectives::Op::sum});
  return counts;
}

std::vector<Count> begins_of(std::span<const Count> sizes) {
  std::vector<Count> begins{0};
  for (const Count size : sizes) begins.push_back(begins.back() + size);
  return begins;
}

void gather_parts(collectives::Communicator& communicator, const Algorithm& all_gather,
                  std::span<const Count> begins, std::span<std::byte> all) {
  collectives::execute_uneven(communicator, all_gather, all_gather_on(communicator, 0), begins, all,
                              kBytes);
}

}  // namespace arlab::training
