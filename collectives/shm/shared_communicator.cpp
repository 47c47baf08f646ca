#include "collectives/shm/shared_communicator.hpp"

#include <mpi.h>

#include <algorithm>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "algorithms/base/error.hpp"
#include "collectives/emulated_machines.hpp"
#include "collectives/host/shared_slices.hpp"
#include "collectives/mpi/communicator.hpp"
#include "collectives/relax.hpp"
#include "collectives/shm/machine_ranks.hpp"
#include "collectives/shm/peer_memory.hpp"
#include "collectives/shm/shared_memory.hpp"
#include "collectives/shm/split_round.hpp"
#include "collectives/shm/started_rounds.hpp"

namespace arlab::collectives {
namespace {

constexpr Rank kMostRanks = 128;
constexpr const char* kLibrary = "library";

class SharedCommunicator final : public Communicator, private Baseline {
 public:
  SharedCommunicator(Communicator& world, const SharedOptions& options)
      : Communicator(world.rank(), world.ranks(), world.services()),
        world_(world),
        watch_(watch_of(world)),
        here_(world),
        memory_(here_.comm(), Slots::bytes_for(here_.count())),
        peers_(here_.comm()),
        reads_peers_(options.reads_peers && peers_.why_not().empty()),
        channels_(Slots(memory_.data(), here_.count()), world.rank(), here_.places(),
                  reads_peers_ ? &peers_ : nullptr),
        spins_(here_.sharing_processors() <= static_cast<Rank>(std::thread::hardware_concurrency())
                   ? 1000
                   : 4) {
    std::string how = options.maps_vectors  ? "no copy"
                      : reads_peers_        ? "one or two copies"
                      : options.reads_peers ? "two copies: " + peers_.why_not()
                                            : "two copies";
    if (here_.machines() > 1)
      how += " within " + std::to_string(here_.machines()) +
             (ranks_per_emulated_machine() > 0 ? " emulated" : "") + " machines, MPI between them";
    services_.transport = how;
    services_.baseline = this;
    if (options.maps_vectors)
      services_.allocate = [this](std::size_t bytes) { return allocate_mapped(bytes); };
  }

  void start(int lane, std::span<const Transfer> round, Operand operand) override {
    for (const Transfer& t : round)
      expects(t.peer >= 0 && t.peer < ranks() && t.peer != rank(), "a peer must be another rank");
    SplitRound& its = rounds_.of(lane);
    its.start(channels_, world_, lane, round, operand);
    rounds_.add(lane);
    far_parts_ += its.has_far_part() ? 1 : 0;
    watch_.progressed();
  }

  int wait() override {
    expects(!rounds_.empty(), "wait() without a started lane");
    for (int spins = 0; spins < spins_; ++spins) {
      const auto [done, any] = progress();
      if (done >= 0) return done;
      if (any) spins = 0;
      relax();
    }
    const Watch::Waiting waiting(watch_, rounds_.bytes_in_progress());
    for (;;) {
      const auto [done, any] = progress();
      if (done >= 0) return done;
      if (any) {
        watch_.progressed();
        continue;
      }
      if (rounds_.stage_one()) continue;
      watch_.check([this] { return awaited(); });
      std::this_thread::yield();
    }
  }

  void exchange(int lane, std::span<const Transfer> round, Operand operand) override {
    if (is_between_machines(round)) return world_.exchange(lane, round, operand);
    start(lane, round, operand);
    while (wait() != lane) {
    }
  }

  int poll() override {
    const auto [done, any] = progress();
    if (done >= 0) return done;
    if (any || rounds_.stage_one()) {
      watch_.progressed();
    } else {
      watch_.polled();
      watch_.check([this] { return awaited(); });
    }
    return -1;
  }

  void abandon() noexcept override {
    rounds_.abandon();
    if (far_parts_ > 0) world_.abandon();
    far_parts_ = 0;
  }

  std::vector<Rank> machines() override { return world_.machines(); }
  void barrier() override { world_.barrier(); }
  double max(double value) override { return world_.max(value); }
  Count sum(Count value) override { return world_.sum(value); }

 private:
  // Baseline. Between machines, shared slices would be the most messages.
  std::string name_of(const Problem& problem) const override {
    const bool slices = problem.collective == Collective::allreduce && channels_.reaches_all();
    return slices ? kSharedSlices : world_.baseline().name_of(problem);
  }
  void run(const Problem& problem, const std::byte* from, std::byte* into,
           Operand operand) override {
    if (problem.collective != Collective::allreduce || is_by_library())
      return world_.baseline().run(problem, from, into, operand);
    copy_vector(problem, from, into, operand);
    shared_slices(*this, into, problem.elements, operand, slices_);
  }
  std::vector<std::string> algorithms() override {
    std::vector<std::string> all{kLibrary};
    for (std::string& name : world_.baseline().algorithms()) all.push_back(std::move(name));
    return all;
  }
  std::string label(const std::string& algorithm) const override {
    const Baseline& library = world_.baseline();
    return algorithm == kLibrary ? library.name_of_allreduce() : library.label(algorithm);
  }
  void use(const std::string& algorithm) override {
    by_library_ = !algorithm.empty();
    world_.baseline().use(algorithm == kLibrary ? "" : algorithm);
  }

  // Each rank of a machine has its part of a region.
  std::shared_ptr<std::byte[]> allocate_mapped(std::size_t bytes) {
    if (bytes == 0) return std::make_shared<std::byte[]>(bytes);
    constexpr std::size_t kPage = 4096;
    const std::size_t each = (bytes + kPage - 1) / kPage * kPage;
    const std::size_t of_all = each * static_cast<std::size_t>(here_.count());
    const auto memory = std::make_shared<SharedMemory>(here_.comm(), of_all);
    const std::size_t region = channels_.add_region(memory->data(), of_all);
    const Rank place = here_.places()[static_cast<std::size_t>(rank())];
    return {memory->data() + each * static_cast<std::size_t>(place),
            [this, memory, region](std::byte*) { channels_.remove_region(region); }};
  }

  bool is_between_machines(std::span<const Transfer> round) const {
    return !channels_.reaches_all() && !round.empty() &&
           std::none_of(round.begin(), round.end(),
                        [&](const Transfer& t) { return channels_.reaches(t.peer); });
  }

  bool is_by_library() const { return by_library_ || !channels_.reaches_all(); }

  /// Returns a lane that is done, else -1, and whether anything moved.
  std::pair<int, bool> progress() {
    bool any = false;
    if (far_parts_ > 0)
      if (const int lane = world_.poll(); lane >= 0) {
        rounds_.of(lane).far_part_done();
        --far_parts_;
        any = true;
      }
    const auto [done, moved] = rounds_.progress();
    if (done >= 0) rounds_.of(done).finish();
    return {done, any || moved};
  }

  std::string awaited() {
    return "rank " + std::to_string(rank()) + " waits for " + rounds_.first().awaited();
  }

  Communicator& world_;
  Watch& watch_;
  MachineRanks here_;
  SharedMemory memory_;
  PeerMemory peers_;
  bool reads_peers_;
  SharedChannels channels_;
  const int spins_;  // then it yields: the rank that it waits for may need the core
  StartedRounds<SplitRound> rounds_;
  int far_parts_ = 0;  // of started rounds, in progress
  std::vector<Transfer> slices_;
  bool by_library_ = false;
};

}  // namespace

std::string why_not_shared(Communicator& world) {
  const Groups machines(world.machines());
  for (Rank machine = 0; machine < machines.count(); ++machine)
    if (machines.size_of(machine) > kMostRanks)
      return std::to_string(machines.size_of(machine)) +
             " ranks on a machine: shared memory joins at most " + std::to_string(kMostRanks) +
             ", use the backend mpi";
  return "";
}

std::unique_ptr<Communicator> shared_communicator(Communicator& world,
                                                  const SharedOptions& options) {
  if (const std::string why = why_not_shared(world); !why.empty()) fail(Blame::usage, why);
  return std::make_unique<SharedCommunicator>(world, options);
}

}  // namespace arlab::collectives
