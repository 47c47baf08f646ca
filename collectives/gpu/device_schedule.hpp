// DeviceSchedule: a plan as work on real memory: who copies, who reduces from where, and when.
//
// A receiver reads the sender's memory and reduces directly into its own. Memory that a round both
// sends and changes is sent from a copy, so that the message has the value at the round's start. A
// message is staged in scratch if earlier ones in listed order must be applied first, or if the
// receiver's device cannot read the sender's memory.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "collectives/reduce/dtype.hpp"
#include "collectives/schedule/matched_schedule.hpp"

namespace arlab::collectives {

/// One range of work, on the stream of one rank's lane. `index` is a round or a message of the
/// plan, or the first of `count` messages that are reduced into the same memory, in their order.
struct DeviceWork {
  enum class Kind : std::uint8_t {
    begin,  ///< a round: its copies can be made, others may read
    read,   ///< a message: from the sender's memory into the receiver's
    stage,  ///< a message: from the sender's memory to the receiver's scratch
    apply,  ///< a message: from the receiver's scratch into its memory
    end,    ///< a round: others have read
  };
  Kind kind = Kind::begin;
  std::uint32_t index = 0;
  std::uint32_t count = 1;
};

/// Calls begin(round), read(message, count), stage(message), apply(message), or end(round) of
/// `performer` for each range of work, in order.
template <class Performer>
void perform(std::span<const DeviceWork> work, Performer& performer) {
  for (const auto& [kind, index, count] : work) switch (kind) {
      case DeviceWork::Kind::begin:
        performer.begin(index);
        break;
      case DeviceWork::Kind::read:
        performer.read(index, count);
        break;
      case DeviceWork::Kind::stage:
        performer.stage(index);
        break;
      case DeviceWork::Kind::apply:
        performer.apply(index);
        break;
      case DeviceWork::Kind::end:
        performer.end(index);
        break;
    }
}

/// Where in the memory of its rank: the vector itself, or scratch.
struct DevicePlace {
  bool in_scratch = false;
  std::size_t offset = 0;  ///< bytes
};

struct DeviceSchedule {
  /// What a round copies before others may read.
  struct Copy {
    ElementRange range;
    std::size_t offset = 0;  ///< in the rank's scratch, bytes
  };

  MatchedSchedule plan;
  Operand operand;
  std::vector<DeviceWork> work;           ///< in an order in which it can be enqueued
  std::vector<std::vector<Copy>> copies;  ///< of each round
  std::vector<DevicePlace> sources;       ///< of each message: where its receiver reads
  std::vector<std::size_t> staging;       ///< of each message: offset in the receiver's scratch
  std::vector<std::size_t> scratch;       ///< bytes that each rank needs
  double traffic = 0;  ///< bytes that all ranks read and write in device memory, in all
};

/// The elements of 64 bytes: chunks of devices begin at multiples of them. Kernels, NCCL's too,
/// move 16 bytes at once only where both ends are on such a boundary, else single elements or
/// bytes.
inline Count granule_of(DType dtype) { return 64 / static_cast<Count>(size_of(dtype)); }

/// `reads(target, source)`: whether the device of one rank reads that of the other.
DeviceSchedule schedule_on_devices(MatchedSchedule plan, Operand operand,
                                   const std::function<bool(Rank, Rank)>& reads);

}  // namespace arlab::collectives
