// Verdict: which compression pays on which network, judged from training runs that are done.
//
// Runs are compared where schedule and compressor alone differ: the same model, workers, strategy
// and network. There the best dense run, the one with the shortest step, is the yardstick. Whoever
// loses more than a point of accuracy against it has gained nothing, however fast; nor has one
// whose steps are shorter but who comes later to the same accuracy.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "algorithms/problem.hpp"

namespace arlab::bench {

struct CurvePoint {
  double seconds = 0;   ///< since the start
  double accuracy = 0;  ///< of the validation samples: 0 to 1
};

/// A run that is done. Numbers that are not known are 0, those of a run that diverged NaN.
struct Trial {
  std::string model = {};
  Rank workers = 1;
  std::string strategy = {}, scheduler = {};
  std::string compressor = "none";  ///< as on the command line; "none": dense
  std::string aggregation = {};
  double bandwidth = 0;      ///< of a link, in bytes a second
  std::string latency = {};  ///< of the same link, such as "50us"; or the network's name
  double accuracy = 0;       ///< of the validation samples in the end: 0 to 1
  double loss = 0;
  Count steps = 0;
  double bytes = 0;                    ///< that one rank sends in a step
  double seconds = 0;                  ///< of a step; of these:
  double exposed = 0;                  ///< waited for communication
  double codec = 0;                    ///< encoding and decoding, hidden or not
  std::vector<CurvePoint> curve = {};  ///< a point an epoch

  /// "latency 50us", or the network's name.
  std::string link() const;
  bool dense() const { return compressor == "none"; }
  bool diverged() const;
};

/// Whether they differ in bandwidth, schedule and compressor at most.
bool same_study(const Trial& a, const Trial& b);

enum class Standing : std::uint8_t {
  best_dense,
  dense,
  gains,
  even,        ///< within 1% of the yardstick's step
  loses,       ///< a longer step
  inaccurate,  ///< more than a point of accuracy lost
  late,        ///< a shorter step, but the yardstick reaches the accuracy first
  diverged,
  alone,  ///< there is no dense run to compare it with
};

/// The bandwidth below which a compressor's step is shorter than the best dense one.
struct BreakEven {
  enum class Kind : std::uint8_t {
    at,      ///< between two bandwidths of the sweep
    below,   ///< the lowest one
    above,   ///< the highest one
    about,   ///< there is one bandwidth only: where the bytes saved take as long as the codec
    always,  ///< the same, with a codec that takes no time
    never,   ///< it loses accuracy, or sends no fewer bytes
  };
  Kind kind = Kind::never;
  double bandwidth = 0;  ///< bytes a second
};

struct Judgement {
  std::size_t trial = 0;                 ///< its place in the list
  std::optional<std::size_t> yardstick;  ///< that of the best dense run on the same network
  Standing standing = Standing::alone;
  std::optional<double> gain;  ///< part of the yardstick's step that is saved; loss: below 0
  std::optional<BreakEven> break_even;  ///< of compressed runs with a yardstick
  std::optional<double> target;         ///< accuracy to reach, 0 to 1; where there is a curve
  std::optional<double> reached;        ///< seconds until then; absent: not reached
};

/// One for each trial: networks in the order of their bandwidth; on each, dense runs first, then by
/// the length of a step, what diverged last. `target`: 0 to 1; by default what the yardstick has in
/// the end, less a point. Throws Error(usage) for one that is not in 0 to 1.
std::vector<Judgement> judge(std::span<const Trial> trials, std::optional<double> target = {});

/// One table of all trials. What all have in common stands above it.
std::string verdict(std::span<const Trial> trials, std::optional<double> target = {});

/// What to use on each network, and what not and why.
std::string explain(std::span<const Trial> trials, std::optional<double> target = {});

/// "2.3 Gbit/s", "< 100 Mbit/s", "> 100 Gbit/s", "about 2.3 Gbit/s", "any", "never".
std::string text_of(const BreakEven& break_even);

}  // namespace arlab::bench
