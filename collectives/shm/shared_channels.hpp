// SharedChannels: one rank's ends of all slots: what it has sent through each, and taken from it.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "collectives/copy/measured_copy.hpp"
#include "collectives/copy/way_choice.hpp"
#include "collectives/shm/passing.hpp"
#include "collectives/shm/peer_memory.hpp"
#include "collectives/shm/slots.hpp"

namespace arlab::collectives {

class SharedChannels {
 public:
  /// Longer messages stay where they are if that is in a region.
  static constexpr std::size_t kMappedBytes = 2048;

  /// `me`: a rank of the job. `places`: of each rank of the job among those that share the slots;
  /// -1: it does not. `peers`: null if ranks cannot read one another's memory.
  SharedChannels(Slots slots, Rank me, std::vector<Rank> places, const PeerMemory* peers)
      : slots_(slots),
        me_(me),
        places_(std::move(places)),
        peers_(peers),
        reaches_all_(std::find(places_.begin(), places_.end(), -1) == places_.end()),
        users_(places_.size() * Slots::kBufferLanes * SharedSlot::kCells),
        passings_(slots, place_of(me), peers != nullptr) {}

  Rank me() const { return me_; }
  bool reaches(Rank peer) const { return place_of(peer) >= 0; }
  bool reaches_all() const { return reaches_all_; }
  /// Copies from a message in its sender's memory. Throws Error(environment) if the sender has
  /// ended.
  void read(Rank from, std::uint64_t address, std::byte* into, std::size_t bytes) const {
    peers_->read(place_of(from), address, into, bytes);
  }
  /// The same for a long message that is not added to anything: perhaps around the caches.
  void place(Rank from, std::uint64_t address, std::byte* into, std::size_t bytes);
  /// Decides how a message passes that is about to be posted. is_kept: its round does not change
  /// its memory.
  Passing passing(int lane, Rank to, const std::byte* data, std::size_t bytes, bool is_kept) {
    if (bytes > kMappedBytes && is_kept && region_of(data)) return {.stays = true};
    return passings_.choose(lane, place_of(to), bytes);
  }
  /// All ranks add the same regions in the same order. Returns the region's number.
  std::size_t add_region(std::byte* memory, std::size_t bytes);
  void remove_region(std::size_t number) { regions_[number] = {}; }

  /// Throws Error(usage) if there are no such lanes.
  void use(int lane);

  /// Posts the next fragment of a message that has `total` bytes, of which `bytes` at `data`
  /// remain. Returns the bytes of the fragment; 0 if all cells are taken.
  std::size_t post(int lane, Rank to, const std::byte* data, std::size_t bytes, std::size_t total,
                   Passing passing);
  /// Posts a message that stays where it is until it is_taken(). Returns its number; 0 if all cells
  /// are taken.
  std::uint64_t post_address(int lane, Rank to, const std::byte* data, std::size_t bytes,
                             Passing passing);
  bool is_taken(int lane, Rank to, std::uint64_t number);

  /// Returns the next fragment from a rank; null if there is none yet.
  const Cell* arrived(int lane, Rank from);
  /// Not of a message in its sender's memory.
  const std::byte* data_of(const Cell& cell, int lane, Rank from) const {
    return cell.place == MessagePlace::cell     ? cell.data
           : cell.place == MessagePlace::buffer ? buffer(lane, from, me_, cell.number)
                                                : regions_[cell.region].memory + cell.address;
  }
  /// Makes room for another one: its memory may change from now on.
  void take(int lane, Rank from);
  /// Tells the sender of a message what it took.
  void report(int lane, Rank from, const Report& report) {
    end(lane, from).from->report.store(report.packed(), std::memory_order_relaxed);
  }

  /// Copies a message in a region to where it is received.
  void copy(std::byte* into, const std::byte* from, std::size_t bytes) { copy_(into, from, bytes); }

 private:
  // By peer; null for ranks that are not reached.
  struct End {
    SharedSlot* to = nullptr;
    SharedSlot* from = nullptr;
    std::uint64_t sent = 0, known_taken = 0, taken = 0;
  };
  struct Region {
    std::byte* memory = nullptr;  // null: none
    std::size_t bytes = 0;
  };
  const Region* region_of(const std::byte* data) const;

  struct BufferUser {
    int lane = 0;
    std::uint64_t number = 0;  // 0: none yet
  };

  Rank place_of(Rank rank) const { return places_[static_cast<std::size_t>(rank)]; }
  std::byte* buffer(int lane, Rank source, Rank target, std::uint64_t number) const {
    return slots_.buffer(lane, place_of(source), place_of(target), number);
  }
  End& end(int lane, Rank peer) {
    return lanes_[static_cast<std::size_t>(lane)][static_cast<std::size_t>(peer)];
  }
  Cell* free_cell(End& its);
  bool takes_buffer(int lane, Rank to, std::uint64_t number);

  Slots slots_;
  Rank me_;
  std::vector<Rank> places_;
  const PeerMemory* peers_;
  bool reaches_all_;
  std::vector<std::vector<End>> lanes_;
  std::vector<Region> regions_;
  std::vector<BufferUser> users_;  // of the buffers to each peer
  Passings passings_;
  MeasuredCopy copy_;  // of messages in regions, whose receiver copies them
  WayChoice placing_;  // of messages that are read
  std::vector<std::byte> block_;
};

}  // namespace arlab::collectives
