#include "collectives/plugins/mpi/levels.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include "algorithms/base/error.hpp"
#include "algorithms/chunks.hpp"
#include "collectives/mpi/check.hpp"
#include "collectives/plugins/mpi/plugin.hpp"

namespace arlab::collectives {
namespace {

constexpr Bytes kOneSlice = 16 << 10;  // of a vector that one rank per machine carries
// Of a slice: few messages up to here; above, pieces that follow one another around a ring.
constexpr Bytes kButterfly = 2 << 10, kRabenseifner = 64 << 10;
// Open MPI sends up to 64 KiB over TCP without asking the receiver first.
constexpr Bytes kRingMessage = 60 << 10;
constexpr int kMostSegments = 64;
// A message that tells how fast the network is, and how long it takes where levels were measured:
// 2.4 Gbit/s.
constexpr int kProbe = 64 << 10;
constexpr double kSlowProbe = kProbe / 0.3e9;

Rank least_ranks(const Groups& machines) {
  Rank least = machines.size_of(0);
  for (Rank machine = 1; machine < machines.count(); ++machine)
    least = std::min(least, machines.size_of(machine));
  return least;
}

Rank most_ranks(const Groups& machines) {
  Rank most = 0;
  for (Rank machine = 0; machine < machines.count(); ++machine)
    most = std::max(most, machines.size_of(machine));
  return most;
}

// Errors are thrown here, and handled by the handler of the program's communicator.
MPI_Comm part_of(MPI_Comm comm, int color, Rank order) {
  MPI_Comm part = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split(comm, color, order, &part), "MPI_Comm_split");
  if (part != MPI_COMM_NULL)
    check_mpi(MPI_Comm_set_errhandler(part, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  return part;
}

double most_of(double value, MPI_Comm comm) {
  check_mpi(PMPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, comm), "MPI_Allreduce");
  return value;
}

// Around the ranks, each of which is on a machine of its own; after a first one, for which
// connections are made.
double seconds_of_message(MPI_Comm ranks) {
  const Rank me = rank_in(ranks), all = ranks_of(ranks);
  std::vector<std::byte> out(kProbe), in(kProbe);
  double start = 0;
  for (const int bytes : {1, kProbe}) {
    start = MPI_Wtime();
    check_mpi(MPI_Sendrecv(out.data(), bytes, MPI_BYTE, (me + 1) % all, 0, in.data(), bytes,
                           MPI_BYTE, (me + all - 1) % all, 0, ranks, MPI_STATUS_IGNORE),
              "MPI_Sendrecv");
  }
  return MPI_Wtime() - start;
}

}  // namespace

const char* why_not_by_level(const Groups& machines) {
  const Rank most = most_ranks(machines);
  return most == 1             ? "mpi: one rank per machine"
         : most > kMostSharing ? "mpi: more than 128 ranks on a machine"
                               : "";
}

bool Levels::open() {
  if (was_opened_) return within_.has_value();
  was_opened_ = true;
  const Rank me = rank_in(comm_);
  const Rank machine = machines_.group_of(me), place = machines_.place_of(me);
  if (!share_within(machine, me)) return false;
  most_slices_ = least_ranks(machines_);
  slices_.resize(static_cast<std::size_t>(machines_.size_of(machine)));
  between_ = part_of(comm_, place < most_slices_ ? place : MPI_UNDEFINED, machine);
  if (between_ != MPI_COMM_NULL) carriers_ = std::make_unique<PluginRanks>(between_);
  has_slow_network_ = most_of(place == 0 ? seconds_of_message(between_) : 0, comm_) >= kSlowProbe;
  return true;
}

bool Levels::share_within(Rank machine, Rank me) {
  MPI_Comm here = part_of(comm_, machine, me);
  std::string why;
  try {
    within_.emplace(here, crowded_);
  } catch (const Error& error) {
    why = error.what();
  }
  check_mpi(MPI_Comm_free(&here), "MPI_Comm_free");
  if (most_of(why.empty() ? 0 : 1, comm_) == 0) return true;
  within_.reset();
  say_once(!why.empty() ? why
                        : "the ranks of another machine cannot share memory; "
                          "their collectives are the library's");
  return false;
}

Levels::~Levels() {
  if (between_ != MPI_COMM_NULL) MPI_Comm_free(&between_);
}

void Levels::sum_between(std::byte* slice, int elements, const LocalReduction& reduction) {
  if (!reduction.operand) {
    check_mpi(PMPI_Allreduce(MPI_IN_PLACE, slice, elements, reduction.type, reduction.op, between_),
              "MPI_Allreduce");
    return;
  }
  static const Algorithm& butterfly = find_algorithm("butterfly");
  static const Algorithm& rabenseifner = find_algorithm("rabenseifner");
  static const Algorithm& ring = find_algorithm("ring");
  const Bytes bytes = Bytes{elements} * static_cast<Bytes>(reduction.element_bytes);
  const bool in_ring = bytes > kRabenseifner;
  const Algorithm& algorithm = bytes <= kButterfly ? butterfly : in_ring ? ring : rabenseifner;
  const Bytes segments = (bytes / machines_.count() + kRingMessage - 1) / kRingMessage;
  carriers_->allreduce(algorithm, nullptr, slice, elements, *reduction.operand,
                       in_ring ? static_cast<int>(std::min<Bytes>(segments, kMostSegments)) : 1);
}

void Levels::allreduce(const std::byte* from, std::byte* into, int elements,
                       const LocalReduction& reduction) {
  const auto element = static_cast<Bytes>(reduction.element_bytes);
  const Blocks slices(elements, Bytes{elements} * element <= kOneSlice ? 1 : most_slices_);
  for (std::size_t rank = 0; rank < slices_.size(); ++rank) {
    const auto slice = static_cast<Count>(rank);
    slices_[rank] = slice < slices.parts ? static_cast<int>(slices.size(slice)) : 0;
  }
  StepCollectives& steps = within_->steps;
  const auto me = static_cast<std::size_t>(steps.me());
  const Count begin = slices.begin(std::min<Count>(steps.me(), slices.parts));
  std::byte* const slice = into + begin * element;
  steps.reduce_scatter(from ? from : into, slice, slices_, reduction.in_steps());
  if (slices_[me] > 0) sum_between(slice, slices_[me], reduction);
  steps.allgather_blocks(into, slices_, reduction.element_bytes);
}

}  // namespace arlab::collectives
