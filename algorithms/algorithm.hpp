// Algorithm: one catalog entry: the program, its cost model, and its source.
//
// To add one, write algorithms/catalog/<name>.cpp with `Algorithm <name>()` in namespace
// arlab::catalog, and one test. The build finds the file; every command and the conformance test
// pick it up.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/base/parameters.hpp"
#include "algorithms/problem.hpp"
#include "algorithms/program.hpp"
#include "algorithms/rank_symmetry.hpp"
#include "algorithms/turn.hpp"

namespace arlab {

/// The messages and elements sent, and the rounds. For one rank: its own rounds. For all ranks: the
/// longest chain of rounds.
struct Cost {
  Count messages = 0;
  Count elements = 0;
  Count rounds = 0;
  bool operator==(const Cost&) const = default;
};

/// The predicted cost as a formula (m ranks, N elements), for tables and lectures.
struct Formula {
  std::string_view messages;
  std::string_view elements;
  std::string_view rounds;
};

/// The chunks that one message of an algorithm carries; each kind includes those before it.
enum class Carries : std::uint8_t {
  whole,      ///< all chunks
  one_chunk,  ///< or one chunk
  range,      ///< or consecutive chunks
  around,     ///< or consecutive chunks that go around the end of the vector
  any_set,    ///< or chunks with a stride
};

/// Where as many messages as the cost model has rounds follow one another, each sent after the one
/// before has arrived; up to two fewer unless the ranks are a power of two.
enum class Chained : std::uint8_t {
  no,          ///< nowhere
  all_chunks,  ///< if all chunks have elements
  any_chunk,   ///< also if only one chunk has, on a power of two of ranks
};

/// The load of the links of a network, counted over all rounds in multiples of N elements.
struct LinkClaim {
  enum class Of : std::uint8_t {
    hottest,     ///< the link that carries most, in one direction
    each_round,  ///< the hottest link of each round, summed over the rounds
    all,         ///< all links in both directions together
  };
  std::string_view
      network;  ///< a topology kind whose hosts are the ranks in order: "ring", "torus"
  Of of = Of::hottest;
  std::string_view formula;
  double (*load)(const Problem&) = nullptr;  ///< closed form; 0 where nothing is claimed
};

struct Algorithm {
  std::string_view name;     ///< the file's stem, and the name that users type
  std::string_view label;    ///< for plots
  std::string_view color;    ///< #rrggbb, another one for each entry
  std::string_view family;   ///< whole (messages carry the whole vector) or split (parts of it)
  std::string_view summary;  ///< one sentence
  std::string_view source;   ///< paper or book
  Formula formula;           ///< of allreduce
  std::vector<Collective> collectives;
  std::int32_t lanes = 1;   ///< lanes that the algorithm itself needs (2 for a double tree)
  bool grouped = false;     ///< needs to know which ranks share a node
  bool gridded = false;     ///< needs the dimensions of a grid of ranks
  bool forested = false;    ///< needs spanning trees of the ranks
  bool in_network = false;  ///< needs switches that add
  bool in_turn = false;     ///< its lanes are one connection, whose messages leave by rounds
  bool pipelined = false;   ///< segments are pieces that a lane passes on in turn, not more lanes
  bool few_ranks = false;   ///< supports few numbers of ranks, such as powers of three
  bool has_formula = true;  ///< else its costs are counted in its own rounds: they claim nothing
  Chained chained = Chained::all_chunks;
  Carries carries = Carries::any_set;

  std::function<Program(Problem, Rank me)> program{};
  std::function<Cost(const Problem&)> cost_model{};                ///< closed form, all ranks
  std::function<Cost(const Problem&, Rank me)> rank_cost_model{};  ///< closed form, one rank
  /// Optional: the elements that the messages of such a chain (`chained`) carry together, on a
  /// power of two of ranks. Without it each is known to carry one chunk.
  std::function<Count(const Problem&)> chain_elements{};
  std::function<std::string(const Problem&)> unsupported_reason{};  ///< optional: reason, or empty
  /// Optional: the weight of each lane. Overrides `lanes`, whose weights are equal.
  std::function<std::vector<Count>(const Problem&)> lane_weights{};
  /// Optional: into how many segments simulated comparisons cut the vector unless told, on networks
  /// with links: for an algorithm whose levels use different links.
  std::function<int(const Problem&)> usual_segments{};
  /// Optional: how many chunks per rank a lane has, instead of 1. Programs accept any number.
  std::function<Rank(const Problem&)> chunks_per_rank{};

  /// Optional: the turn of a lane, for lanes that are pieces of a channel.
  std::function<Turn(const Problem&)> turn{};

  /// Optional: where a rank's round (from 1; 0: the whole program) is written, such as
  /// "ring.py:7: yield ...", for faults.
  std::function<std::string(const Problem&, Rank, Count round)> place{};

  /// Optional: which ranks behave alike, if all chunks have the same size or messages carry all.
  std::function<std::optional<RankSymmetry>(const Problem&)> symmetry{};
  /// Whether all permutations of ranks map rounds onto one another, but for the order of their
  /// actions, and all messages carry the whole vector.
  bool all_alike = false;

  /// What a spec such as "recursive_multiplying:k=4" can set; `configure` reads the settings.
  std::vector<Parameter> parameters{};
  Algorithm (*configure)(std::span<const Setting> settings) = nullptr;
  std::vector<std::string_view> examples{};  ///< specs that the conformance tests try, too
  std::vector<LinkClaim> link_claims{};      ///< optional; tests compare them with the simulator
};

/// Returns every algorithm of algorithms/catalog, sorted by name.
std::span<const Algorithm> algorithms();

/// Returns the algorithm of a name, or of a spec with settings: "recursive_multiplying:k=4". It
/// lives as long as the process; equal specs mostly return the same object. Throws Error(usage)
/// that names the nearest algorithm or parameter.
const Algorithm& find_algorithm(std::string_view spec);

/// Returns why `algorithm` cannot solve `problem`; empty if it can. Another algorithm never runs in
/// its place.
std::string unsupported(const Algorithm& algorithm, const Problem& problem);

/// One lane: a program of every rank on its own block of the vector, concurrent with the other
/// lanes. A lane is a channel of its algorithm (problem.lane), or, if the vector is cut into
/// segments, one piece of a channel. Of a pipelined algorithm it is all pieces of a channel. Lanes
/// share neither elements nor messages.
struct Lane {
  Problem problem;   ///< elements of this lane only
  Count offset = 0;  ///< of the lane's first element in the whole vector
  Turn turn{};       ///< if the channel has several pieces
};

/// Cuts the problem into segments, and each segment into the algorithm's lanes; or into its lanes
/// alone if it is pipelined. Leaves out lanes without elements.
std::vector<Lane> lanes_of(const Algorithm& algorithm, const Problem& problem, int segments = 1);

/// Returns into how many segments a simulated comparison cuts the vector unless told, on a network
/// with or without links.
int usual_segments(const Algorithm& algorithm, const Problem& problem, bool has_links);

/// Sums the cost models over all lanes; the rounds are those of the longest lane.
Cost predicted_cost(const Algorithm& algorithm, const Problem& problem, int segments = 1);
Cost predicted_rank_cost(const Algorithm& algorithm, const Problem& problem, Rank me,
                         int segments = 1);
/// Returns the predicted rounds of the rank that has the most, at most those of the longest chain.
Count most_rounds(const Algorithm& algorithm, const Problem& problem, int segments = 1);

}  // namespace arlab
