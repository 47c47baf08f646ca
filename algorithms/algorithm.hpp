// Algorithm: one catalogue entry: the program, what it claims to cost, and where it comes from.
//
// To add one, write algorithms/catalog/<name>.cpp with `Algorithm <name>()` in namespace
// arlab::catalog, and one test. The build finds the file; every command and the conformance test
// pick it up.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/problem.hpp"
#include "algorithms/program.hpp"

namespace arlab {

/// Messages and elements sent, and rounds. Of one rank: its own rounds. Of all: the longest chain
/// of rounds.
struct Cost {
  Count messages = 0;
  Count elements = 0;
  Count rounds = 0;
  bool operator==(const Cost&) const = default;
};

/// The claimed cost as people write it (m processes, N elements), for tables and lectures.
struct Formula {
  std::string_view messages;
  std::string_view elements;
  std::string_view rounds;
};

struct Algorithm {
  std::string_view name;   ///< the file's stem and the command line's word
  std::string_view label;  ///< as plots print it
  std::string_view color;  ///< #rrggbb, distinct for the colour-blind (Okabe-Ito)
  std::string_view
      family;  ///< whole (every message carries the vector) or split (it carries a part)
  std::string_view summary;  ///< one sentence
  std::string_view source;   ///< paper or book
  Formula formula;           ///< of allreduce
  std::vector<Collective> collectives;
  std::int32_t lanes = 1;  ///< lanes the algorithm itself needs (2 for a double tree)
  bool grouped = false;    ///< needs to know which ranks share a node

  Program (*program)(Problem, Rank me) = nullptr;
  Cost (*cost_model)(const Problem&) = nullptr;                 ///< closed form, in all
  Cost (*rank_cost_model)(const Problem&, Rank me) = nullptr;   ///< closed form, one process
  std::string (*unsupported_reason)(const Problem&) = nullptr;  ///< optional: reason, or empty
};

/// Every algorithm of algorithms/catalog, by name.
std::span<const Algorithm> algorithms();

/// Throws Error(usage) naming the nearest algorithm when there is none of that name.
const Algorithm& find_algorithm(std::string_view name);

/// Why `algorithm` cannot solve `problem`; empty when it can. Nothing ever runs another algorithm
/// instead.
std::string unsupported(const Algorithm& algorithm, const Problem& problem);

/// The name in `names` nearest to `wanted` by edit distance; empty when none is near.
std::string_view nearest(std::string_view wanted, std::span<const std::string_view> names);

/// " (did you mean 'ring'?)", or nothing when no name is near.
std::string did_you_mean(std::string_view wanted, std::span<const std::string_view> names);

/// One lane: a program of every rank on its own block of the vector, concurrent with the other
/// lanes. Pipelining is a lane per segment; a double tree is two lanes. Lanes share no elements and
/// no messages.
struct Lane {
  Problem problem;   ///< elements of this lane only
  Count offset = 0;  ///< of the lane's first element in the whole vector
};

/// The problem cut into segments x algorithm.lanes lanes. Lanes without elements are left out.
std::vector<Lane> lanes_of(const Algorithm& algorithm, const Problem& problem, int segments = 1);

/// The claims summed over lanes; rounds are those of the longest lane.
Cost claimed(const Algorithm& algorithm, const Problem& problem, int segments = 1);
Cost claimed_of_rank(const Algorithm& algorithm, const Problem& problem, Rank me, int segments = 1);

}  // namespace arlab
