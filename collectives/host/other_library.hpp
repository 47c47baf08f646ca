// OtherLibrary: the allreduce of a library that joins the ranks by itself, for rows beside ours.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "collectives/communicator.hpp"

namespace arlab::collectives {

struct OtherLibrary {
  std::string name;                     ///< of its rows: "Gloo"
  std::string transport;                ///< how its messages travel: "TCP"
  std::vector<std::string> algorithms;  ///< by the library's names

  /// Returns why an algorithm cannot reduce such elements; empty if it can.
  std::function<std::string(const std::string& algorithm, Operand operand)> unsupported;
  /// Runs the allreduce in place. The first run with a vector makes what the library keeps for it. All
  /// ranks call it together. Throws Error(environment) if a rank has ended.
  std::function<void(const std::string& algorithm, std::byte* data, Count elements,
                     Operand operand)>
      run;
  /// Drops what is kept for vectors. No run is in progress on any rank.
  std::function<void()> forget_vectors;
};

/// Connects the ranks of `control`, which call it together. Throws Error(environment) with a remedy if
/// the library is missing.
using ConnectLibrary = std::function<OtherLibrary(Communicator& control)>;

/// The names of such rows, as in RunRequest::native: "gloo:ring".
inline constexpr const char* kGlooPrefix = "gloo:";

}  // namespace arlab::collectives
