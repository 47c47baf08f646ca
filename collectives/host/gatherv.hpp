// Gathers of byte strings whose lengths differ from rank to rank, and the messages they consist of.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "collectives/communicator.hpp"

namespace arlab::collectives {

/// One message of a round. Both ends must know its length.
struct ByteMessage {
  ActionKind kind = ActionKind::send;  ///< send or replace
  Rank peer = 0;
  std::span<std::byte> bytes;
};

/// Sends and receives the messages as one round, and returns when all of them are complete.
/// Skips messages without bytes.
void transmit(Communicator& communicator, std::span<const ByteMessage> messages);

/// Copies the bytes from one rank to another. Ranks other than these two return at once.
void transmit(Communicator& communicator, Rank from, Rank to, std::span<std::byte> bytes);

/// Returns the number of every rank, by rank.
std::vector<Count> gather_counts(Communicator& communicator, const Algorithm& all_gather,
                                 Count mine);

/// Returns where each part begins if parts of these sizes lie one after another, then the total.
std::vector<Count> offsets(std::span<const Count> sizes);

/// Gathers parts of different sizes on every rank. Part r begins at offsets[r]. On entry `all`
/// holds this rank's part in its place; on return it holds all parts.
void gather_parts(Communicator& communicator, const Algorithm& all_gather,
                  std::span<const Count> offsets, std::span<std::byte> all);

/// Returns all texts, by rank, on every rank. Every rank calls it.
std::vector<std::string> share_all(Communicator& communicator, const std::string& text);

/// Returns all texts, by rank, on rank 0, and an empty vector elsewhere. Every rank calls it.
std::vector<std::string> gather(Communicator& communicator, const std::string& text);

/// Returns rank 0's text on every rank. Every rank calls it.
std::string share(Communicator& communicator, const std::string& text);

/// Returns this rank's text out of rank 0's, which has one per rank. Every rank calls it.
std::string scatter(Communicator& communicator, const std::vector<std::string>& texts);

}  // namespace arlab::collectives
