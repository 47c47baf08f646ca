#include "collectives/plugins/mpi/levels.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <exception>
#include <numeric>
#include <string>
#include <vector>

#include "algorithms/base/error.hpp"
#include "algorithms/chunks.hpp"
#include "collectives/mpi/library/check.hpp"
#include "collectives/plugins/mpi/plugin.hpp"

namespace arlab::collectives {
namespace {

constexpr Bytes kOneSlice = 16 << 10;  // of a vector that one rank per machine carries
// Of a slice: few messages up to here; above, pieces that follow one another around a ring.
constexpr Bytes kButterfly = 2 << 10, kRabenseifner = 64 << 10;
// Open MPI sends up to 64 KiB over TCP without asking the receiver first.
constexpr Bytes kRingMessage = 60 << 10;
constexpr int kMostSegments = 64;
// Of a slice that goes along a chain of the machines, unless a tree has it there earlier.
constexpr Bytes kChainPiece = 8 << 10;
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
  if (was_opened_) return is_open_;
  was_opened_ = true;
  const Rank me = rank_in(comm_);
  const Rank machine = machines_.group_of(me);
  double probe = 0;
  is_open_ = all_make([&] { share_within(machine, me); }) &&
             all_make([&] { probe = connect(machine, machines_.place_of(me)); });
  has_slow_network_ = is_open_ && most_of(probe, comm_) >= kSlowProbe;
  return is_open_;
}

// Returns whether all ranks have made it. If not, rank 0 says why.
bool Levels::all_make(const std::function<void()>& make) {
  std::string why;
  try {
    make();
  } catch (const std::exception& error) {
    why = error.what();
  }
  if (most_of(why.empty() ? 0 : 1, comm_) == 0) return true;
  say_once(!why.empty() ? why
                        : "another rank cannot make what collectives by level need; they are the "
                          "library's",
           comm_);
  return false;
}

void Levels::share_within(Rank machine, Rank me) {
  MPI_Comm here = part_of(comm_, machine, me);
  try {
    within_.emplace(here, crowded_);
  } catch (const Error&) {
    MPI_Comm_free(&here);
    throw;
  }
  check_mpi(MPI_Comm_free(&here), "MPI_Comm_free");
}

// Returns the seconds of a message, on one rank per machine.
double Levels::connect(Rank machine, Rank place) {
  most_slices_ = least_ranks(machines_);
  slices_.resize(static_cast<std::size_t>(machines_.size_of(machine)));
  between_ = part_of(comm_, place < most_slices_ ? place : MPI_UNDEFINED, machine);
  if (between_ != MPI_COMM_NULL) carriers_ = std::make_unique<PluginRanks>(between_);
  return place == 0 ? seconds_of_message(between_) : 0;
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

int Levels::pieces_in_chain(Bytes bytes) const {
  const Bytes pieces = std::min<Bytes>(bytes / kChainPiece, kMostSegments);
  const auto machines = static_cast<unsigned>(machines_.count());
  const Bytes rounds_of_tree = std::bit_width(machines - 1);
  return pieces + machines - 2 <= pieces * rounds_of_tree ? static_cast<int>(pieces) : 0;
}

void Levels::broadcast_between(Rank source, std::byte* slice, int bytes) {
  static const Algorithm& chain = find_algorithm("chain");
  if (const int pieces = pieces_in_chain(bytes); pieces > 0)
    carriers_->broadcast(chain, source, slice, bytes, pieces);
  else
    check_mpi(PMPI_Bcast(slice, bytes, MPI_BYTE, source, between_), "MPI_Bcast");
}

// In place at the target; what the others have there changes.
void Levels::reduce_between(Rank target, std::byte* slice, int elements,
                            const LocalReduction& reduction) {
  static const Algorithm& chain = find_algorithm("chain");
  const int pieces = pieces_in_chain(Bytes{elements} * static_cast<Bytes>(reduction.element_bytes));
  if (reduction.operand && pieces > 0)
    carriers_->reduce(chain, target, slice, elements, *reduction.operand, pieces);
  else
    check_mpi(PMPI_Reduce(rank_in(between_) == target ? MPI_IN_PLACE : slice, slice, elements,
                          reduction.type, reduction.op, target, between_),
              "MPI_Reduce");
}

// Sets the slices of a vector, by rank of this machine. Returns where this rank's begins.
Count Levels::cut(Count elements, std::size_t element_bytes) {
  const bool is_short = elements * static_cast<Bytes>(element_bytes) <= kOneSlice;
  const Blocks slices(elements, is_short ? 1 : most_slices_);
  for (std::size_t rank = 0; rank < slices_.size(); ++rank) {
    const auto slice = static_cast<Count>(rank);
    slices_[rank] = slice < slices.parts ? static_cast<int>(slices.size(slice)) : 0;
  }
  return slices.begin(std::min<Count>(within_->steps.me(), slices.parts));
}

void Levels::allreduce(const std::byte* from, std::byte* into, int elements,
                       const LocalReduction& reduction) {
  StepCollectives& steps = within_->steps;
  const auto me = static_cast<std::size_t>(steps.me());
  std::byte* const slice =
      into + cut(elements, reduction.element_bytes) * static_cast<Bytes>(reduction.element_bytes);
  steps.reduce_scatter(from ? from : into, slice, slices_, reduction.in_steps());
  if (slices_[me] > 0) sum_between(slice, slices_[me], reduction);
  steps.allgather_blocks(into, slices_, reduction.element_bytes);
}

Rank Levels::me() const { return rank_in(comm_); }

void Levels::broadcast(Rank root, std::byte* data, std::size_t bytes) {
  StepCollectives& steps = within_->steps;
  const Rank source = machines_.group_of(root);
  const bool is_here = machines_.group_of(me()) == source;
  if (is_here) steps.broadcast(machines_.place_of(root), data, bytes);
  std::byte* const slice = data + cut(static_cast<Count>(bytes), 1);
  if (const int mine = slices_[static_cast<std::size_t>(steps.me())]; mine > 0)
    broadcast_between(source, slice, mine);
  if (!is_here) steps.allgather_blocks(data, slices_, 1);
}

void Levels::reduce(Rank root, const std::byte* from, std::byte* into, std::size_t elements,
                    const LocalReduction& reduction) {
  StepCollectives& steps = within_->steps;
  const Rank target = machines_.group_of(root);
  const bool is_here = machines_.group_of(me()) == target;
  cut(static_cast<Count>(elements), reduction.element_bytes);
  const int mine = slices_[static_cast<std::size_t>(steps.me())];
  std::vector<std::byte> slice(static_cast<std::size_t>(std::max(mine, 1)) *
                               reduction.element_bytes);
  steps.reduce_scatter(from, slice.data(), slices_, reduction.in_steps());
  if (mine > 0) reduce_between(target, slice.data(), mine, reduction);
  if (is_here)
    steps.gather_blocks(machines_.place_of(root), slice.data(), into, slices_,
                        reduction.element_bytes);
}

// The blocks of all ranks, in the order of who carries them: the rank of a machine at place s
// carries those of its machine's ranks at s, s + slices, ...; between machines, those of all at s.
struct Levels::Carried {
  Rank slices = 1;
  std::vector<Rank> order;
  std::vector<int> by_place;            // elements that each rank of this machine carries
  std::vector<int> by_machine;          // of each machine, what this rank carries
  std::vector<int> machine_begins;      // of them
  std::vector<int> own;                 // of this machine's blocks, what each of its ranks carries
  std::vector<std::size_t> own_begins;  // of the blocks of this machine's ranks, in the same order
  std::size_t begin = 0;                // of all that this rank carries
};

auto Levels::carried(std::span<const int> elements, std::size_t element_bytes) -> Carried {
  const StepCollectives& steps = within_->steps;
  const Rank here = machines_.group_of(me());
  const Bytes sum = std::accumulate(elements.begin(), elements.end(), Bytes{0});
  Carried its;
  its.slices = sum * static_cast<Bytes>(element_bytes) <= kOneSlice ? 1 : most_slices_;
  its.by_place.resize(slices_.size());
  its.own.resize(slices_.size());
  its.own_begins.resize(slices_.size());
  std::size_t before = 0, own_before = 0;
  for (Rank place = 0; place < its.slices; ++place) {
    int& carries = its.by_place[static_cast<std::size_t>(place)];
    for (Rank machine = 0; machine < machines_.count(); ++machine) {
      const int begin = carries;
      for (Rank p = place; p < machines_.size_of(machine); p += its.slices) {
        its.order.push_back(machines_.member(machine, p));
        const int size = elements[static_cast<std::size_t>(its.order.back())];
        carries += size;
        if (machine != here) continue;
        its.own[static_cast<std::size_t>(place)] += size;
        its.own_begins[static_cast<std::size_t>(p)] = own_before;
        own_before += static_cast<std::size_t>(size);
      }
      if (place != steps.me()) continue;
      its.machine_begins.push_back(begin);
      its.by_machine.push_back(carries - begin);
    }
    if (place == steps.me()) its.begin = before;
    before += static_cast<std::size_t>(carries);
  }
  return its;
}

void Levels::allgather(const std::byte* mine, std::byte* all, std::size_t bytes_each) {
  StepCollectives& steps = within_->steps;
  const std::vector<int> elements(static_cast<std::size_t>(ranks()), static_cast<int>(bytes_each));
  const Carried its = carried(elements, 1);
  const std::byte* const block = mine ? mine : all + static_cast<std::size_t>(me()) * bytes_each;
  std::vector<std::byte> here, blocks(elements.size() * bytes_each);
  if (its.slices < steps.ranks()) {  // else each rank carries its own
    here.resize(slices_.size() * bytes_each);
    steps.allgather(block, here.data(), bytes_each);
  }
  if (!its.by_machine.empty()) {
    const auto machine = static_cast<std::size_t>(machines_.group_of(me()));
    std::byte* at = blocks.data() + its.begin + its.machine_begins[machine];
    for (Rank p = steps.me(); p < steps.ranks(); p += its.slices, at += bytes_each)
      std::memcpy(at, here.empty() ? block : here.data() + static_cast<std::size_t>(p) * bytes_each,
                  bytes_each);
    check_mpi(PMPI_Allgatherv(MPI_IN_PLACE, 0, MPI_DATATYPE_NULL, blocks.data() + its.begin,
                              its.by_machine.data(), its.machine_begins.data(), MPI_BYTE, between_),
              "MPI_Allgatherv");
  }
  steps.allgather_blocks(blocks.data(), its.by_place, 1);
  const std::byte* at = blocks.data();
  for (const Rank rank : its.order) {
    std::memcpy(all + static_cast<std::size_t>(rank) * bytes_each, at, bytes_each);
    at += bytes_each;
  }
}

void Levels::reduce_scatter(const std::byte* from, std::byte* into, std::span<const int> elements,
                            const LocalReduction& reduction) {
  StepCollectives& steps = within_->steps;
  const std::size_t element = reduction.element_bytes;
  const Carried its = carried(elements, element);
  const std::byte* const input = from ? from : into;
  std::vector<const std::byte*> inputs;  // by rank
  std::size_t total = 0;
  for (const int size : elements) {
    inputs.push_back(input + total);
    total += static_cast<std::size_t>(size) * element;
  }
  std::vector<std::byte> blocks;
  blocks.reserve(total);
  for (const Rank rank : its.order) {
    const auto r = static_cast<std::size_t>(rank);
    blocks.insert(blocks.end(), inputs[r],
                  inputs[r] + static_cast<std::size_t>(elements[r]) * element);
  }
  steps.reduce_scatter(blocks.data(), blocks.data() + its.begin * element, its.by_place,
                       reduction.in_steps());
  // Of this machine's ranks.
  const auto place = static_cast<std::size_t>(steps.me());
  const auto own = std::accumulate(its.own.begin(), its.own.end(), std::size_t{0});
  std::vector<std::byte> sums(std::max<std::size_t>(own, 1) * element);
  if (!its.by_machine.empty())
    check_mpi(PMPI_Reduce_scatter(blocks.data() + its.begin * element,
                                  sums.data() + its.own_begins[place] * element,
                                  its.by_machine.data(), reduction.type, reduction.op, between_),
              "MPI_Reduce_scatter");
  if (its.slices < steps.ranks()) steps.allgather_blocks(sums.data(), its.own, element);
  const std::byte* const result = sums.data() + its.own_begins[place] * element;
  std::copy_n(result, static_cast<std::size_t>(elements[static_cast<std::size_t>(me())]) * element,
              into);
}

}  // namespace arlab::collectives
