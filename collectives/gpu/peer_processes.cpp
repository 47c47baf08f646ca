#include "collectives/gpu/peer_processes.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <string>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"
#include "collectives/gpu/peer_run.hpp"
#include "collectives/host/gatherv.hpp"

namespace arlab::collectives {
namespace {

using Text = std::array<char, 256>;  // as ranks exchange it: shorter, and then zeros
using Offer = std::array<SharedDeviceMemory, 3>;

Text text_of(const std::string& whole) {
  Text text{};
  std::copy_n(whole.begin(), std::min(whole.size(), text.size() - 1), text.begin());
  return text;
}

/// Returns every rank's value, by rank. All ranks call it together.
template <class T>
std::vector<T> all_of(Communicator& control, const T& mine) {
  static_assert(std::is_trivially_copyable_v<T>);
  std::vector<T> all(static_cast<std::size_t>(control.ranks()), mine);
  T sent = mine;
  std::vector<ByteMessage> messages;
  for (Rank peer = 0; peer < control.ranks(); ++peer) {
    if (peer == control.rank()) continue;
    messages.push_back({ActionKind::send, peer, std::as_writable_bytes(std::span(&sent, 1))});
    messages.push_back(
        {ActionKind::replace, peer,
         std::as_writable_bytes(std::span(&all[static_cast<std::size_t>(peer)], 1))});
  }
  transmit(control, messages);
  return all;
}

}  // namespace

PeerProcesses::PeerProcesses(Communicator& control, Device& device, const PeerOptions& options)
    : control_(control), device_(device), options_(options) {
  options_.apart = true;
  const std::vector<Rank> machines = control.machines();
  for (std::size_t rank = 0; rank < machines.size(); ++rank)
    if (machines[rank] != machines[0])
      fail(Blame::environment, concat("GPUs that read one another's memory are on one machine, but "
                                      "rank 0 and rank ",
                                      rank, " are on two: use nccl"));
  agree(device.why_not_shared());
  const std::vector<Text> gpus = all_of(control, text_of(device.identity()));
  for (std::size_t b = 0; b < gpus.size(); ++b)
    for (std::size_t a = 0; a < b; ++a)
      if (gpus[a] == gpus[b])
        fail(Blame::environment,
             concat("rank ", a, " and rank ", b,
                    " share a GPU, which runs their kernels in turn, while each waits for the "
                    "other: start at most one rank per GPU, or run it without mpirun, with all "
                    "ranks in one process"));
}

PeerProcesses::~PeerProcesses() {
  if (aborted_ || std::uncaught_exceptions() > 0) return;  // others may never come
  try {
    free_memory();
  } catch (const std::exception&) {  // another rank has failed: the memory stays
  }
}

int PeerProcesses::least(int value) { return -static_cast<int>(control_.max(-value)); }

void PeerProcesses::free_memory() {
  control_.barrier();
  device_.free_shared();
}

void PeerProcesses::agree(const std::string& problem) {
  const std::vector<Text> all = all_of(control_, text_of(problem));
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    if (all[rank][0] != 0)
      fail(Blame::environment, concat("rank ", rank, ": ", std::string(all[rank].data())));
}

PeerProcesses::Opened PeerProcesses::exchange_memory(const PeerSpaces& mine, const Wanted& wanted) {
  Offer offer;
  std::string problem;
  try {
    for (std::size_t space = 0; space < offer.size(); ++space)
      if (mine[space]) offer[space] = device_.share(mine[space]);
  } catch (const Error& error) {
    problem = error.what();
  }
  agree(problem);
  const std::vector<Offer> offers = all_of(control_, offer);
  device_.free_shared();  // all have come, and so have closed it

  Opened opened{std::vector<PeerSpaces>(offers.size()), {}};
  opened.memory[static_cast<std::size_t>(rank())] = mine;
  try {
    for (std::size_t rank = 0; rank < offers.size(); ++rank)
      for (std::size_t space = 0; space < offer.size(); ++space) {
        if (!wanted[rank][space]) continue;
        const SharedDeviceMemory& its = offers[rank][space];
        opened.open.push_back(device_.open_shared(its));
        opened.memory[rank][space] = opened.open.back().data() + its.offset;
      }
  } catch (const Error& error) {
    problem = error.what();
  }
  agree(problem);
  return opened;
}

void PeerProcesses::exchange(std::span<const SendRecv>, DeviceStream&) {
  fail(Blame::check, "internal error, please report: kernels carry these messages themselves");
}

std::shared_ptr<PeerRun> PeerProcesses::plan(const DeviceSchedule& schedule, std::byte* data,
                                             std::byte* scratch) {
  return std::make_shared<PeerRun>(schedule, *this, data, scratch, options_);
}

}  // namespace arlab::collectives
