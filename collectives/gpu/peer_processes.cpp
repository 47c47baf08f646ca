#include "collectives/gpu/peer_processes.hpp"

#include <array>
#include <cstring>
#include <exception>
#include <string>
#include <type_traits>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"
#include "collectives/gpu/peer_run.hpp"
#include "collectives/host/gatherv.hpp"

namespace arlab::collectives {
namespace {

using Offer = std::array<SharedDeviceMemory, 3>;

std::string bytes_of(const Offer& offer) {
  static_assert(std::is_trivially_copyable_v<Offer>);
  std::string bytes(sizeof offer, '\0');
  std::memcpy(bytes.data(), &offer, sizeof offer);
  return bytes;
}

}  // namespace

PeerProcesses::PeerProcesses(Communicator& control, Device& device, const PeerOptions& options)
    : DeviceTransport({.description = "CUDA IPC", .is_capturable = true, .runs_plans = true}),
      control_(control),
      device_(device),
      options_(options) {
  options_.apart = true;
  const std::vector<Rank> machines = control.machines();
  for (std::size_t rank = 0; rank < machines.size(); ++rank)
    if (machines[rank] != machines[0])
      fail(Blame::environment, concat("GPUs that read one another's memory are on one machine, but "
                                      "rank 0 and rank ",
                                      rank, " are on two: use nccl"));
  agree(device.why_not_shared());
  const std::vector<std::string> gpus = share_all(control, device.info().identity);
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
  const std::vector<std::string> all = share_all(control_, problem);
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    if (!all[rank].empty()) fail(Blame::environment, concat("rank ", rank, ": ", all[rank]));
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
  std::vector<Offer> offers(static_cast<std::size_t>(control_.ranks()));
  const std::vector<std::string> sent = share_all(control_, bytes_of(offer));
  for (std::size_t rank = 0; rank < sent.size(); ++rank)
    std::memcpy(&offers[rank], sent[rank].data(), sizeof offers[rank]);
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
