#include "collectives/gpu/peer_run.hpp"

#include <algorithm>
#include <cstring>
#include <limits>
#include <string>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"
#include "algorithms/verify/action_text.hpp"
#include "collectives/patience.hpp"

namespace arlab::collectives {
namespace {

constexpr std::size_t kAlignment = 256;

std::size_t aligned(std::size_t bytes) {
  return (bytes + kAlignment - 1) / kAlignment * kAlignment;
}

std::size_t at(Rank rank) { return static_cast<std::size_t>(rank); }

using Space = PeerPlace::Space;
std::size_t in_space(Space space) { return static_cast<std::size_t>(space); }

template <class T>
std::size_t bytes_of(const std::vector<T>& values) {
  return aligned(values.size() * sizeof(T));
}

/// Appends an array to `image`, and returns where it will be.
template <class T>
const T* put(const std::vector<T>& values, std::vector<std::byte>& image, const std::byte* base) {
  const std::size_t begin = image.size();
  image.resize(begin + bytes_of(values));
  if (!values.empty()) std::memcpy(&image[begin], values.data(), values.size() * sizeof(T));
  return reinterpret_cast<const T*>(base + begin);
}

void upload(const std::vector<std::byte>& image, Device& device, std::byte* into) {
  const DeviceMemory host = device.allocate(image.size(), MemoryKind::pinned);
  std::memcpy(host.data(), image.data(), image.size());
  const auto stream = device.make_stream();
  stream->copy(into, host.data(), image.size());
  stream->synchronize();
}

}  // namespace

PeerRun::PeerRun(const DeviceSchedule& schedule, std::span<Device* const> homes,
                 std::span<std::byte* const> data, std::span<std::byte* const> scratch,
                 const PeerOptions& options)
    : options_(options), operand_(schedule.operand) {
  find_parts(homes);
  choose_grid();
  limit_blocks(schedule);
  schedule_ = peer_schedule(schedule, options, grid_.blocks);
  for (std::size_t rank = 0; rank < homes.size(); ++rank)
    memory_.push_back({data[rank], scratch[rank], nullptr});
  for (Part& part : parts_) allocate(part);
  for (Part& part : parts_) fill_tables(part);
}

// Allocating may wait for the kernels of peers, which may wait for this rank: nobody runs before
// all have their memory.
PeerRun::PeerRun(const DeviceSchedule& schedule, PeerProcesses& processes, std::byte* data,
                 std::byte* scratch, const PeerOptions& options)
    : options_(options), operand_(schedule.operand) {
  const Rank me = processes.rank();
  Part& part = parts_.emplace_back();
  part.device = &processes.device();
  part.first = me;
  part.ranks = 1;
  choose_grid();
  grid_ = {processes.least(grid_.blocks), processes.least(grid_.threads)};
  limit_blocks(schedule);
  schedule_ = peer_schedule(schedule, options, grid_.blocks);
  memory_.resize(at(processes.ranks()));
  memory_[at(me)] = {data, scratch, nullptr};
  allocate(part);
  const PeerSpaces mine = memory_[at(me)];
  opened_ = processes.exchange_memory(mine, wanted_by(me));
  memory_ = opened_.memory;
  fill_tables(part);
  processes.barrier();
}

void PeerRun::find_parts(std::span<Device* const> homes) {
  for (Rank rank = 0; rank < std::ssize(homes); ++rank) {
    Device* const home = homes[at(rank)];
    if (parts_.empty() || parts_.back().device != home) {
      parts_.emplace_back();
      parts_.back().device = home;
      parts_.back().first = rank;
    }
    ++parts_.back().ranks;
  }
  for (const Part& a : parts_)
    for (const Part& b : parts_)
      if (!a.device->reads(*b.device))
        fail(Blame::environment,
             "a plan that GPUs run by themselves needs GPUs that reach one another's memory, and "
             "those of rank " +
                 std::to_string(a.first) + " and rank " + std::to_string(b.first) +
                 " do not: use cuda or nccl");
}

void PeerRun::choose_grid() {
  // Blocks of fewer threads fit, too.
  grid_ = {std::numeric_limits<int>::max(), std::numeric_limits<int>::max()};
  for (const Part& part : parts_) {
    const PeerGrid its = part.device->peer_grid(part.ranks, operand_);
    grid_.blocks = std::min(grid_.blocks, its.blocks);
    grid_.threads = std::min(grid_.threads, its.threads);
  }
}

/// No more blocks than have something to do: one of them needs no order among blocks.
void PeerRun::limit_blocks(const DeviceSchedule& schedule) {
  std::size_t most = 1;
  for (const MatchedMessage& message : schedule.plan.messages)
    most = std::max(most, static_cast<std::size_t>(message.elements) * size_of(operand_.dtype));
  const std::size_t one = options_.block_bytes;
  grid_.blocks =
      static_cast<int>(std::min(static_cast<std::size_t>(grid_.blocks), (most + one - 1) / one));
}

std::size_t PeerRun::flag_bytes() const {
  return aligned(static_cast<std::size_t>(grid_.blocks) * sizeof(PeerFlag));
}

PeerFlag* PeerRun::flags(Rank rank) const {
  return reinterpret_cast<PeerFlag*>(memory_[at(rank)][in_space(Space::words)]);
}

std::byte* PeerRun::address(const PeerPlace& place) const {
  std::byte* const base = memory_[at(place.rank)][in_space(place.space)];
  return base + (place.space == Space::words ? flag_bytes() : 0) + place.offset;
}

void PeerRun::allocate(Part& part) {
  std::size_t end = aligned(sizeof(PeerControl));
  std::vector<std::size_t> begins;
  for (Rank rank = part.first; rank < part.first + part.ranks; ++rank) {
    begins.push_back(end);
    end += flag_bytes() + aligned(schedule_.words[at(rank)]);
  }
  part.shared = part.device->allocate(end);
  upload(std::vector<std::byte>(end), *part.device, part.shared.data());
  for (std::size_t k = 0; k < begins.size(); ++k)
    memory_[at(part.first) + k][in_space(Space::words)] = part.shared.data() + begins[k];
  part.stall = part.device->allocate(sizeof(PeerStall), MemoryKind::pinned);
  std::memset(part.stall.data(), 0, sizeof(PeerStall));
}

/// What a rank's steps use of others.
PeerProcesses::Wanted PeerRun::wanted_by(Rank rank) const {
  PeerProcesses::Wanted wanted(memory_.size());
  const auto want = [&](Rank other, Space space) {
    if (other != rank) wanted[at(other)][in_space(space)] = true;
  };
  for (const PeerSchedule::Step& step : schedule_.steps[at(rank)]) {
    want(step.into.rank, step.into.space);
    for (const PeerPlace& source : step.sources) want(source.rank, source.space);
    for (const auto& wait : step.waits) want(wait.rank, Space::words);
  }
  return wanted;
}

void PeerRun::fill_tables(Part& part) {
  std::vector<PeerRank> ranks;
  std::vector<PeerStep> steps;
  std::vector<PeerWait> waits;
  std::vector<const std::byte*> sources;
  std::vector<Rank> senders;
  for (Rank rank = part.first; rank < part.first + part.ranks; ++rank) {
    const auto& its = schedule_.steps[at(rank)];
    ranks.push_back({rank, static_cast<std::uint32_t>(steps.size()),
                     static_cast<std::uint32_t>(its.size()), flags(rank)});
    for (const PeerSchedule::Step& step : its) {
      steps.push_back({step.kind, step.publishes, static_cast<std::uint32_t>(sources.size()),
                       static_cast<std::uint32_t>(step.sources.size()),
                       static_cast<std::uint32_t>(waits.size()),
                       static_cast<std::uint32_t>(step.waits.size()), step.elements,
                       address(step.into), step.divisor});
      for (const PeerPlace& source : step.sources) sources.push_back(address(source));
      senders.insert(senders.end(), step.senders.begin(), step.senders.end());
      for (const auto& wait : step.waits)
        waits.push_back({flags(wait.rank), wait.progress, wait.rank, wait.all_blocks});
    }
  }
  part.tables = part.device->allocate(bytes_of(ranks) + bytes_of(steps) + bytes_of(waits) +
                                      bytes_of(sources) + bytes_of(senders));
  std::vector<std::byte> image;
  const std::byte* const base = part.tables.data();
  part.plan = {.ranks = put(ranks, image, base),
               .steps = put(steps, image, base),
               .waits = put(waits, image, base),
               .sources = put(sources, image, base),
               .senders = put(senders, image, base),
               .control = reinterpret_cast<PeerControl*>(part.shared.data()),
               .stall = reinterpret_cast<PeerStall*>(part.stall.data()),
               .ranks_here = static_cast<int>(part.ranks),
               .blocks = grid_.blocks,
               .granule = granule_of(operand_.dtype),
               .patience = options_.patience};
  upload(image, *part.device, part.tables.data());
}

void PeerRun::launch(std::size_t device, DeviceStream& stream) const {
  stream.run_plan(parts_[device].plan, grid_.threads, operand_);
}

void PeerRun::check() const {
  for (const Part& part : parts_) {
    PeerStall stall;
    std::memcpy(&stall, part.stall.data(), sizeof(stall));
    if (stall.happened == 0) continue;
    std::memset(part.stall.data(), 0, sizeof(PeerStall));
    const PeerSchedule::Step& step = schedule_.steps[at(stall.rank)][stall.step];
    throw Stalled(concat(
        step.round > 0 ? place_text(stall.rank, step.round) : concat("rank ", stall.rank, ": "),
        "waited ", seconds_text(options_.patience), " for rank ", stall.peer, " before step ",
        stall.step, " of its plan", step.lane > 0 ? concat(", in lane ", step.lane) : "",
        ": the GPU of that rank does not run, or is far slower"));
  }
}

}  // namespace arlab::collectives
