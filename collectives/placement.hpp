// Placement: where the ranks of a backend run.
#pragma once

#include <cstdint>
#include <string_view>

namespace arlab::collectives {

enum class Placement : std::uint8_t {
  threads,    ///< threads of one process
  processes,  ///< processes of an MPI job
  colocated,  ///< all in one executor, on the devices of one process
  emulated,   ///< threads of one process, in simulated time
};

constexpr std::string_view name(Placement placement) {
  constexpr std::string_view kNames[] = {"threads", "processes", "co-located", "emulated"};
  return kNames[static_cast<std::size_t>(placement)];
}

}  // namespace arlab::collectives
