#include "collectives/shm/shared_channels.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <functional>
#include <string>

#include "algorithms/base/error.hpp"
#include "collectives/copy/stream_copy.hpp"

namespace arlab::collectives {
namespace {

using SteadyClock = std::chrono::steady_clock;

}  // namespace

void SharedChannels::use(int lane) {
  if (lane < 0 || lane >= Slots::kLanes)
    fail(Blame::usage, "lane " + std::to_string(lane) + " of shared memory: there are at most " +
                           std::to_string(Slots::kLanes) + " lanes, use fewer segments");
  const auto index = static_cast<std::size_t>(lane);
  if (index >= lanes_.size()) lanes_.resize(index + 1);
  if (!lanes_[index].empty()) return;
  for (const Rank peer : places_) {
    if (peer < 0)
      lanes_[index].emplace_back();
    else
      lanes_[index].push_back(
          {&slots_.slot(lane, place_of(me_), peer), &slots_.slot(lane, peer, place_of(me_))});
  }
}

std::size_t SharedChannels::add_region(std::byte* memory, std::size_t bytes) {
  auto place = std::find_if(regions_.begin(), regions_.end(),
                            [](const Region& region) { return !region.memory; });
  if (place == regions_.end()) place = regions_.emplace(place);
  *place = {memory, bytes};
  return static_cast<std::size_t>(place - regions_.begin());
}

const SharedChannels::Region* SharedChannels::region_of(const std::byte* data) const {
  const std::less<const std::byte*> before;
  for (const Region& region : regions_)
    if (region.memory && !before(data, region.memory) && before(data, region.memory + region.bytes))
      return &region;
  return nullptr;
}

void SharedChannels::place(Rank from, std::uint64_t address, std::byte* into, std::size_t bytes) {
  constexpr std::size_t kBlockBytes = 128 << 10;  // stays in the cache until it is stored
  const auto [way, measured] = placing_.pick(bytes);
  const auto start = measured ? SteadyClock::now() : SteadyClock::time_point{};
  if (way == Way::streamed) {
    block_.resize(kBlockBytes);
    for (std::size_t at = 0; at < bytes; at += kBlockBytes) {
      const std::size_t part = std::min(kBlockBytes, bytes - at);
      read(from, address + at, block_.data(), part);
      stream_copy(into + at, block_.data(), part);
    }
  } else {
    read(from, address, into, bytes);
  }
  if (!measured) return;
  const std::chrono::duration<double, std::nano> took = SteadyClock::now() - start;
  placing_.learn(bytes, way, took.count());
}

// The receiver's count is on a cache line that it writes: it is read only if it must have changed.
Cell* SharedChannels::free_cell(End& its) {
  if (its.sent - its.known_taken >= SharedSlot::kCells) {
    its.known_taken = its.to->taken.load(std::memory_order_acquire);
    if (its.sent - its.known_taken >= SharedSlot::kCells) return nullptr;
  }
  return &its.to->cell(its.sent + 1);
}

bool SharedChannels::takes_buffer(int lane, Rank to, std::uint64_t number) {
  const auto shared_by = static_cast<std::size_t>(lane) % Slots::kBufferLanes;
  BufferUser& user =
      users_[(static_cast<std::size_t>(to) * Slots::kBufferLanes + shared_by) * SharedSlot::kCells +
             number % SharedSlot::kCells];
  if (user.number != 0 && user.lane != lane && !is_taken(user.lane, to, user.number)) return false;
  user = {lane, number};
  return true;
}

std::size_t SharedChannels::post(int lane, Rank to, const std::byte* data, std::size_t bytes,
                                 std::size_t total, Passing passing) {
  End& its = end(lane, to);
  Cell* const cell = free_cell(its);
  if (!cell) return 0;
  const std::uint64_t number = its.sent + 1;
  const bool buffered = bytes > Cell::kBytes && takes_buffer(lane, to, number);
  const std::size_t posted = std::min(bytes, buffered ? Slots::kBufferBytes : Cell::kBytes);
  const bool is_sample = passing.sample != 0;
  const auto start = is_sample ? SteadyClock::now() : SteadyClock::time_point{};
  if (buffered)
    copy_by(passing.streams ? Way::streamed : Way::copied, buffer(lane, me_, to, number), data,
            posted);
  else
    std::memcpy(cell->data, data, posted);
  if (is_sample) passings_.posted(place_of(to), SteadyClock::now() - start);
  cell->total = total;
  cell->bytes = static_cast<std::uint32_t>(posted);
  cell->place = buffered ? MessagePlace::buffer : MessagePlace::cell;
  cell->sample = passing.sample;
  cell->number.store(number, std::memory_order_release);
  its.sent = number;
  return posted;
}

std::uint64_t SharedChannels::post_address(int lane, Rank to, const std::byte* data,
                                           std::size_t bytes, Passing passing) {
  End& its = end(lane, to);
  Cell* const cell = free_cell(its);
  if (!cell) return 0;
  cell->total = bytes;
  cell->sample = passing.sample;
  if (const Region* const region = region_of(data)) {
    cell->region = static_cast<std::uint64_t>(region - regions_.data());
    cell->address = static_cast<std::uint64_t>(data - region->memory);
    cell->place = MessagePlace::region;
  } else {
    cell->address = reinterpret_cast<std::uint64_t>(data);
    cell->place = MessagePlace::sender;
  }
  cell->number.store(++its.sent, std::memory_order_release);
  return its.sent;
}

bool SharedChannels::is_taken(int lane, Rank to, std::uint64_t number) {
  End& its = end(lane, to);
  if (its.known_taken < number) its.known_taken = its.to->taken.load(std::memory_order_acquire);
  return its.known_taken >= number;
}

const Cell* SharedChannels::arrived(int lane, Rank from) {
  const End& its = end(lane, from);
  const Cell& cell = its.from->cell(its.taken + 1);
  return cell.number.load(std::memory_order_acquire) == its.taken + 1 ? &cell : nullptr;
}

void SharedChannels::take(int lane, Rank from) {
  End& its = end(lane, from);
  its.from->taken.store(++its.taken, std::memory_order_release);
}

}  // namespace arlab::collectives
