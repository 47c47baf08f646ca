// Finding: something that is slow, with the evidence.
#pragma once

#include <cstdint>
#include <vector>

#include "bench/hunt/search/times.hpp"

namespace arlab::hunt {

enum class Place : std::uint8_t {
  rank,   ///< slow by itself, without any message
  port,   ///< a rank's messages with nearly all others: its NIC, cable or switch port
  link,   ///< one pair of ranks
  group,  ///< several pairs that share no rank: what lies between switches
};

struct Finding {
  Place place = Place::rank;
  Quantity quantity = Quantity::copy;
  std::vector<Rank> ranks = {};   ///< that are slow; of a link one end, of a group the near side
  std::vector<Rank> others = {};  ///< the far side; of a group empty: all others
  bool sends = true, receives = true;  ///< directions, seen from `ranks`
  double times = 1;                    ///< as long as usual
  /// Where GPUs hand messages to the one of their node on the receiver's rail: through whose NIC
  /// all of these leave, as the senders share a node and the receivers a place there; -1: none.
  Rank relay = -1;
  bool is_within_group = false;  ///< of a port: slow with ranks of its own group only
  double z = 0;  ///< of ranks and ports: deviations from the median (Iglewicz and Hoaglin)
};

}  // namespace arlab::hunt
