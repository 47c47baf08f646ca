// What a hunt found, in words and as a record.
#pragma once

#include <string>
#include <vector>

#include "bench/hunt/search/search.hpp"
#include "bench/results/record.hpp"

namespace arlab::bench {

/// What was searched.
struct Hunted {
  Rank ranks = 0;
  std::string backend = {};  ///< of real ranks; empty: simulated
  bool is_on_gpus = false;
  std::string network = {};      ///< of simulated ranks, as given
  std::string topology = {};     ///< the network with all sizes; empty: real ranks, or no links
  std::string disturbance = {};  ///< as --disturb takes it
  Rank nics = 1;                 ///< of a simulated node
  std::vector<std::string> hosts = {};  ///< by rank; empty: no names
  Bytes bytes = 0;                      ///< of a large message
  double ranks_per_processor = 0;       ///< of real ranks
  std::string record = {};              ///< file that gets the record; empty: none
};

/// Returns the tables and sentences for people, with the next step.
std::string hunt_text(const Hunted& hunted, const hunt::Search& found);

Json hunt_record(const Hunted& hunted, const hunt::Search& found);

/// Returns weights for `weighted:rates` that suit the ranks whose ports are slow; empty if no port
/// is.
std::string rates_for(const Hunted& hunted, const hunt::Search& found);

}  // namespace arlab::bench
