// Slots: messages between the processes of one machine, in memory that all of them map.
//
// There is a slot per lane, source and target: a few cells that its messages pass in turn, in
// fragments. A short fragment lies in its cell, a longer one in a buffer of that cell. A long
// message stays in its sender's memory, from which the receiver reads it (PeerMemory), or in a
// region that all ranks map. Fragments are numbered. Only the sender writes a cell, and only the
// receiver the count of fragments that it has taken.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "algorithms/problem.hpp"
#include "collectives/copy/way_choice.hpp"

namespace arlab::collectives {

static_assert(std::atomic<std::uint64_t>::is_always_lock_free, "processes share no locks");

enum class MessagePlace : std::uint16_t { cell, buffer, sender, region };

struct alignas(64) Cell {
  static constexpr std::size_t kBytes = 88;

  std::atomic<std::uint64_t> number{0};  ///< of the fragment that it holds, from 1
  std::uint64_t total = 0;               ///< bytes of the message
  std::uint64_t address = 0;  ///< of a message that stays: in its sender's memory, or in the region
  std::uint32_t bytes = 0;    ///< of the fragment
  MessagePlace place = MessagePlace::cell;
  std::uint16_t sample = 0;  ///< not 0: the receiver reports what the message takes
  std::uint64_t region = 0;
  std::byte data[kBytes] = {};
};
static_assert(sizeof(Cell) == 128);

struct SharedSlot {
  static constexpr std::size_t kCells = 4;

  Cell& cell(std::uint64_t number) { return cells[number % kCells]; }

  Cell cells[kCells];
  alignas(64) std::atomic<std::uint64_t> taken{0};  ///< number of the last fragment taken
  std::atomic<std::uint64_t> report{0};  ///< packed Report of the last message with a sample
};

/// What a message has taken at its receiver.
struct Report {
  std::uint16_t sample = 0;       ///< the message's
  bool includes_posting = false;  ///< since both ranks began their rounds, not since it arrived
  std::uint64_t nanoseconds = 0;

  std::uint64_t packed() const {
    return std::uint64_t{sample} << 48 | std::uint64_t{includes_posting} << 47 |
           (nanoseconds & kTime);
  }
  static Report of(std::uint64_t packed) {
    return {static_cast<std::uint16_t>(packed >> 48), (packed >> 47 & 1) != 0, packed & kTime};
  }

 private:
  static constexpr std::uint64_t kTime = (std::uint64_t{1} << 47) - 1;
};

/// How messages pass between two ranks, which the lower one decides for both: by class of their
/// size, the Way and 1, or 0 where it has not.
struct alignas(64) Decisions {
  std::atomic<std::uint8_t> ways[WayChoice::kClasses];
};

class Slots {
 public:
  static constexpr int kLanes = 4096;
  static constexpr std::size_t kBufferBytes = 32 << 10;
  /// Lanes share buffers: a lane whose buffer is taken sends through cells.
  static constexpr std::size_t kBufferLanes = 4;

  static std::size_t bytes_for(Rank ranks) {
    return pairs(ranks) * (kSlotsBytes + kBuffersBytes + sizeof(Decisions));
  }

  /// `memory`: bytes_for(ranks) of zeros, at first.
  Slots(std::byte* memory, Rank ranks) : memory_(memory), ranks_(ranks) {}

  SharedSlot& slot(int lane, Rank source, Rank target) const {
    const std::size_t at = static_cast<std::size_t>(lane) * pairs(ranks_) + pair(source, target);
    return *reinterpret_cast<SharedSlot*>(memory_ + at * sizeof(SharedSlot));
  }
  std::byte* buffer(int lane, Rank source, Rank target, std::uint64_t number) const {
    const std::size_t at =
        (pair(source, target) * kBufferLanes + static_cast<std::size_t>(lane) % kBufferLanes) *
            SharedSlot::kCells +
        number % SharedSlot::kCells;
    return memory_ + pairs(ranks_) * kSlotsBytes + at * kBufferBytes;
  }

  Decisions& decisions(Rank lower, Rank higher) const {
    return *reinterpret_cast<Decisions*>(memory_ + pairs(ranks_) * (kSlotsBytes + kBuffersBytes) +
                                         pair(lower, higher) * sizeof(Decisions));
  }

 private:
  static constexpr std::size_t kSlotsBytes = kLanes * sizeof(SharedSlot);
  static constexpr std::size_t kBuffersBytes = kBufferLanes * SharedSlot::kCells * kBufferBytes;
  static std::size_t pairs(Rank ranks) {
    return static_cast<std::size_t>(ranks) * static_cast<std::size_t>(ranks);
  }
  std::size_t pair(Rank source, Rank target) const {
    return static_cast<std::size_t>(target) * static_cast<std::size_t>(ranks_) +
           static_cast<std::size_t>(source);
  }

  std::byte* memory_;
  Rank ranks_;
};

}  // namespace arlab::collectives
