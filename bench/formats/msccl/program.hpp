// MSCCL programs: the XML that msccl and RCCL run, as data.
//
// Each GPU has thread blocks; each block has at most one peer to send to and one to receive from,
// and runs its steps in order. A step may wait for a step of another block of its GPU.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

namespace arlab::bench {

struct MscclStep {
  enum class Kind { s, r, rcs, rrs, rrc, rrcs, cpy, re, nop };
  static constexpr std::array<std::string_view, 9> kKinds{"s",    "r",   "rcs", "rrs", "rrc",
                                                          "rrcs", "cpy", "re",  "nop"};
  Kind kind = Kind::nop;
  char source = 'i', target = 'i';  ///< buffers: i(nput), o(utput), s(cratch)
  int source_at = -1, target_at = -1;
  int count = 0;
  int awaited_block = -1, awaited_step = -1;
  bool is_awaited = false;

  bool sends() const {
    return kind == Kind::s || kind == Kind::rcs || kind == Kind::rrs || kind == Kind::rrcs;
  }
  bool receives() const { return kind >= Kind::r && kind <= Kind::rrcs; }
};

struct MscclBlock {
  int send = -1, receive = -1, channel = 0;
  std::vector<MscclStep> steps{};
};

struct MscclGpu {
  int input = 0, output = 0, scratch = 0;  ///< chunks
  std::vector<MscclBlock> blocks{};
};

struct MscclProgram {
  std::string name;
  std::string collective;  ///< as in the file
  int root = 0;
  int chunks = 1;  ///< nchunksperloop
  bool in_place = true;
  std::vector<MscclGpu> gpus{};
};

}  // namespace arlab::bench
