// What NCCL calls its algorithms and protocols, and the hardware that its cost model knows.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace arlab::simulator::nccl {

enum class Algorithm : std::uint8_t {
  ring,
  tree,
  nvls,
  nvlstree,
  collnetdirect,
  collnetchain,
  pat
};
/// How a message says that it has arrived: a flag beside every 4 bytes, one per line of 128 bytes,
/// or one per piece.
enum class Protocol : std::uint8_t { ll, ll128, simple };
/// Of GPUs, by the constants that NCCL has for them.
enum class Generation : std::uint8_t { volta, ampere, hopper, blackwell };
enum class Cpu : std::uint8_t { intel, amd, arm };

inline constexpr std::array kAlgorithms{
    Algorithm::ring,          Algorithm::tree,         Algorithm::nvls, Algorithm::nvlstree,
    Algorithm::collnetdirect, Algorithm::collnetchain, Algorithm::pat};
inline constexpr std::array kProtocols{Protocol::ll, Protocol::ll128, Protocol::simple};
inline constexpr std::array kCpus{Cpu::intel, Cpu::amd, Cpu::arm};

constexpr std::string_view name(Algorithm algorithm) {
  constexpr std::string_view kNames[] = {"ring",          "tree",         "nvls", "nvlstree",
                                         "collnetdirect", "collnetchain", "pat"};
  return kNames[static_cast<std::size_t>(algorithm)];
}
constexpr std::string_view name(Protocol protocol) {
  constexpr std::string_view kNames[] = {"ll", "ll128", "simple"};
  return kNames[static_cast<std::size_t>(protocol)];
}
constexpr std::string_view name(Cpu cpu) {
  constexpr std::string_view kNames[] = {"intel", "amd", "arm"};
  return kNames[static_cast<std::size_t>(cpu)];
}

/// Position in tables by protocol.
constexpr std::size_t index(Protocol protocol) { return static_cast<std::size_t>(protocol); }

constexpr bool is_nvls(Algorithm a) { return a == Algorithm::nvls || a == Algorithm::nvlstree; }
constexpr bool is_collnet(Algorithm a) {
  return a == Algorithm::collnetdirect || a == Algorithm::collnetchain;
}

}  // namespace arlab::simulator::nccl
