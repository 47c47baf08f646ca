// PeerProcesses: ranks in processes of one machine, each with a GPU of its own, whose kernels run
// plans (PeerRun) by themselves, on one another's memory.
//
// Ranks exchange handles of their memory over the host, and open the memory of those whose memory
// their steps use. Memory that a rank frees stays until all others have closed it: at the next
// exchange, or free_memory(), to which a rank comes when it has dropped the plans on it.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "collectives/communicator.hpp"
#include "collectives/gpu/device_transport.hpp"
#include "collectives/gpu/peer_schedule.hpp"

namespace arlab::collectives {

/// A rank's memory by PeerPlace::Space, as this process reaches it; null: not at all.
using PeerSpaces = std::array<std::byte*, 3>;

class PeerProcesses final : public DeviceTransport {
 public:
  /// All ranks call it together. Throws Error(environment), on all of them, if they are not on one
  /// machine, share a GPU, or a GPU shares no memory.
  PeerProcesses(Communicator& control, Device& device, const PeerOptions& options = {});
  ~PeerProcesses() override;
  PeerProcesses(const PeerProcesses&) = delete;
  PeerProcesses& operator=(const PeerProcesses&) = delete;

  Rank rank() const { return control_.rank(); }
  Rank ranks() const { return control_.ranks(); }
  Device& device() const { return device_; }
  /// The least of all ranks' values.
  int least(int value);
  void barrier() { control_.barrier(); }

  /// Which spaces of each rank are wanted.
  using Wanted = std::vector<std::array<bool, 3>>;
  struct Opened {
    std::vector<PeerSpaces> memory;  ///< of each rank
    std::vector<DeviceMemory> open;  ///< keeps it
  };
  /// Offers this rank's memory to all, and opens what is wanted of others. All ranks call it
  /// together. Throws Error(environment), on all of them, with the reason of the first that cannot.
  Opened exchange_memory(const PeerSpaces& mine, const Wanted& wanted);

  // DeviceTransport
  void exchange(std::span<const SendRecv> calls, DeviceStream& stream) override;
  std::shared_ptr<PeerRun> plan(const DeviceSchedule& schedule, std::byte* data,
                                std::byte* scratch) override;
  void free_memory() override;
  /// What others may have open then stays until the process ends.
  void abort() override { aborted_ = true; }

 private:
  /// Throws the first rank's problem on all, if there is any.
  void agree(const std::string& problem);

  Communicator& control_;
  Device& device_;
  PeerOptions options_;
  bool aborted_ = false;
};

}  // namespace arlab::collectives
