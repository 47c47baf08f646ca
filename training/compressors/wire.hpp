// Codes over a communicator: messages of bytes whose sizes both ends know, or learn first.
#pragma once

#include <span>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "collectives/communicator.hpp"

namespace arlab::training {

/// One message of a round.
struct Parcel {
  ActionKind kind = ActionKind::send;  ///< send or replace
  Rank peer = 0;
  std::span<std::byte> bytes;
};

/// Sends and receives these at once; returns when all are through. Parcels without bytes are left
/// out, so both ends must agree on the sizes.
void carry(collectives::Communicator& communicator, std::span<const Parcel> parcels);

/// Every rank's number, by rank.
std::vector<Count> gather_counts(collectives::Communicator& communicator,
                                 const Algorithm& all_gather, Count mine);

/// Where parts of these sizes begin one after another, and the end.
std::vector<Count> begins_of(std::span<const Count> sizes);

/// In: `all` with this rank's part in its place. Out: every rank's.
void gather_parts(collectives::Communicator& communicator, const Algorithm& all_gather,
                  std::span<const Count> begins, std::span<std::byte> all);

}  // namespace arlab::training
