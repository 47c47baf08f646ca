#include "collectives/plugins/mpi/ranks.hpp"

#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"
#include "collectives/mpi/communicator.hpp"
#include "collectives/mpi/library/check.hpp"

namespace arlab::collectives {

std::atomic<std::uint64_t> freed_communicators{0};

namespace {

std::atomic<bool> has_ended{false};

// Frees the state with its communicator, which all ranks free together. Those that the program
// leaves to MPI_Finalize stay: it may not be called back into by then.
int free_ranks(MPI_Comm, int, void* value, void*) {
  ++freed_communicators;
  if (!has_ended) delete static_cast<PluginRanks*>(value);
  return MPI_SUCCESS;
}

int count_freed(MPI_Comm, int, void*, void*) {
  ++freed_communicators;
  return MPI_SUCCESS;
}

int note_end(MPI_Comm, int, void*, void*) {
  has_ended = true;
  return MPI_SUCCESS;
}

int new_keyval(MPI_Comm_delete_attr_function* when_deleted) {
  int keyval = MPI_KEYVAL_INVALID;
  check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, when_deleted, &keyval, nullptr),
            "MPI_Comm_create_keyval");
  return keyval;
}

// MPI_Finalize frees MPI_COMM_SELF first.
void watch_for_end() {
  [[maybe_unused]] static const int keyval = [] {
    const int made = new_keyval(note_end);
    check_mpi(MPI_Comm_set_attr(MPI_COMM_SELF, made, nullptr), "MPI_Comm_set_attr");
    return made;
  }();
}

}  // namespace

bool job_ends() { return has_ended; }

PluginRanks::PluginRanks(MPI_Comm comm)
    : watch_({.seconds = 0}, {}),
      communicator_(mpi_communicator(watch_, comm)),
      groups_(groups_by_machine(*communicator_)),
      plans_(communicator_->rank()) {
  watch_for_end();
}

Problem PluginRanks::problem(Count elements) const {
  return {.ranks = communicator_->ranks(), .elements = elements, .groups = groups_.get()};
}

std::string PluginRanks::why_not(const Algorithm& algorithm, Count elements) const {
  const bool on_even_machines = groups_ && groups_->even_size() != 0;
  if (algorithm.grouped && !on_even_machines)  // the program has no option for other groups
    return concat(algorithm.name,
                  " needs several machines with the same number of ranks on each, at least 2");
  return unsupported(algorithm, problem(elements));
}

void PluginRanks::allreduce(const Algorithm& algorithm, const std::byte* from, std::byte* into,
                            Count elements, Operand operand, int segments) {
  const std::size_t bytes = static_cast<std::size_t>(elements) * size_of(operand.dtype);
  HostPlan& its = plans_.get(algorithm, problem(elements), operand, segments);
  if (from)
    its.run(*communicator_, std::span(from, bytes), std::span(into, bytes));
  else
    its.run(*communicator_, std::span(into, bytes));
}

void PluginRanks::broadcast(const Algorithm& algorithm, Rank root, std::byte* data, Count bytes,
                            int segments) {
  Problem its = problem(bytes);
  its.collective = Collective::broadcast;
  its.root = root;
  plans_.get(algorithm, its, {DType::byte, Op::sum}, segments)
      .run(*communicator_, std::span(data, static_cast<std::size_t>(bytes)));
}

void PluginRanks::reduce(const Algorithm& algorithm, Rank root, std::byte* data, Count elements,
                         Operand operand, int segments) {
  Problem its = problem(elements);
  its.collective = Collective::reduce;
  its.root = root;
  const std::size_t bytes = static_cast<std::size_t>(elements) * size_of(operand.dtype);
  plans_.get(algorithm, its, operand, segments).run(*communicator_, std::span(data, bytes));
}

void forget_when_freed(MPI_Comm comm) {
  static const int keyval = new_keyval(count_freed);
  void* value = nullptr;
  int found = 0;
  check_mpi(MPI_Comm_get_attr(comm, keyval, &value, &found), "MPI_Comm_get_attr");
  if (found == 0) check_mpi(MPI_Comm_set_attr(comm, keyval, nullptr), "MPI_Comm_set_attr");
}

bool is_of_this_job(MPI_Comm comm) {
  MPI_Group its = MPI_GROUP_NULL, world = MPI_GROUP_NULL, both = MPI_GROUP_NULL;
  check_mpi(MPI_Comm_group(comm, &its), "MPI_Comm_group");
  check_mpi(MPI_Comm_group(MPI_COMM_WORLD, &world), "MPI_Comm_group");
  check_mpi(MPI_Group_intersection(its, world, &both), "MPI_Group_intersection");
  int ranks = 0, ranks_of_both = 0;
  MPI_Group_size(its, &ranks);
  MPI_Group_size(both, &ranks_of_both);
  for (MPI_Group* const group : {&its, &world, &both}) MPI_Group_free(group);
  return ranks == ranks_of_both;
}

PluginRanks* plugin_ranks(MPI_Comm comm) {
  static const int keyval = new_keyval(free_ranks);
  void* value = nullptr;
  int found = 0;
  check_mpi(MPI_Comm_get_attr(comm, keyval, &value, &found), "MPI_Comm_get_attr");
  if (found != 0) return static_cast<PluginRanks*>(value);
  int inter = 0;
  check_mpi(MPI_Comm_test_inter(comm, &inter), "MPI_Comm_test_inter");
  if (inter != 0 || !is_of_this_job(comm)) return nullptr;
  auto made = std::make_unique<PluginRanks>(comm);
  check_mpi(MPI_Comm_set_attr(comm, keyval, made.get()), "MPI_Comm_set_attr");
  return made.release();
}

}  // namespace arlab::collectives
