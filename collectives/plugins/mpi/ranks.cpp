#include "collectives/plugins/mpi/ranks.hpp"

#include <array>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"
#include "collectives/mpi/check.hpp"
#include "collectives/mpi/communicator.hpp"

namespace arlab::collectives {

std::atomic<std::uint64_t> freed_communicators{0};

namespace {

std::optional<DType> dtype_of(MPI_Datatype type) {
  static constexpr bool kLongIs64 = sizeof(long) == 8;
  static const std::array<std::pair<MPI_Datatype, DType>, 23> kTypes{{
      {MPI_DOUBLE, DType::float64},
      {MPI_FLOAT, DType::float32},
      {MPI_INT, DType::int32},
      {MPI_LONG, kLongIs64 ? DType::int64 : DType::int32},
      {MPI_INT64_T, DType::int64},
      {MPI_INT32_T, DType::int32},
      {MPI_LONG_LONG, DType::int64},
      {MPI_UNSIGNED, DType::uint32},
      {MPI_UNSIGNED_LONG, kLongIs64 ? DType::uint64 : DType::uint32},
      {MPI_UINT64_T, DType::uint64},
      {MPI_UINT32_T, DType::uint32},
      {MPI_UNSIGNED_LONG_LONG, DType::uint64},
      {MPI_SIGNED_CHAR, DType::int8},
      {MPI_INT8_T, DType::int8},
      {MPI_UNSIGNED_CHAR, DType::uint8},
      {MPI_UINT8_T, DType::uint8},
      {MPI_DOUBLE_PRECISION, DType::float64},
      {MPI_REAL, DType::float32},
      {MPI_INTEGER, DType::int32},
      {MPI_REAL8, DType::float64},
      {MPI_REAL4, DType::float32},
      {MPI_INTEGER8, DType::int64},
      {MPI_INTEGER4, DType::int32},
  }};
  for (const auto& [known, dtype] : kTypes)
    if (known == type) return dtype;
  return {};
}

std::optional<Op> op_of(MPI_Op op) {
  if (op == MPI_SUM) return Op::sum;
  if (op == MPI_MAX) return Op::max;
  if (op == MPI_MIN) return Op::min;
  if (op == MPI_PROD) return Op::prod;
  return {};
}

std::atomic<bool> job_ends{false};

// Frees the state with its communicator, which all ranks free together. Those that the program
// leaves to MPI_Finalize stay: it may not be called back into by then.
int free_ranks(MPI_Comm, int, void* value, void*) {
  ++freed_communicators;
  if (!job_ends) delete static_cast<PluginRanks*>(value);
  return MPI_SUCCESS;
}

int count_freed(MPI_Comm, int, void*, void*) {
  ++freed_communicators;
  return MPI_SUCCESS;
}

int note_end(MPI_Comm, int, void*, void*) {
  job_ends = true;
  return MPI_SUCCESS;
}

int new_keyval(MPI_Comm_delete_attr_function* when_deleted) {
  int keyval = MPI_KEYVAL_INVALID;
  check_mpi(MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, when_deleted, &keyval, nullptr),
            "MPI_Comm_create_keyval");
  return keyval;
}

// MPI_Finalize frees MPI_COMM_SELF first.
int make_keyval() {
  check_mpi(MPI_Comm_set_attr(MPI_COMM_SELF, new_keyval(note_end), nullptr), "MPI_Comm_set_attr");
  return new_keyval(free_ranks);
}

}  // namespace

std::optional<Operand> operand_of(MPI_Datatype type, MPI_Op op) {
  const auto operation = op_of(op);
  if (!operation) return {};
  const auto dtype = dtype_of(type);
  if (!dtype) return {};
  return Operand{*dtype, *operation};
}

PluginRanks::PluginRanks(MPI_Comm comm)
    : watch_({.seconds = 0}, {}),
      communicator_(mpi_communicator(watch_, comm)),
      groups_(groups_by_machine(*communicator_)),
      plans_(communicator_->rank()) {}

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
                            Count elements, Operand operand) {
  const std::size_t bytes = static_cast<std::size_t>(elements) * size_of(operand.dtype);
  HostPlan& its = plans_.get(algorithm, problem(elements), operand);
  if (from)
    its.run(*communicator_, std::span(from, bytes), std::span(into, bytes));
  else
    its.run(*communicator_, std::span(into, bytes));
}

void forget_when_freed(MPI_Comm comm) {
  static const int keyval = new_keyval(count_freed);
  void* value = nullptr;
  int found = 0;
  check_mpi(MPI_Comm_get_attr(comm, keyval, &value, &found), "MPI_Comm_get_attr");
  if (found == 0) check_mpi(MPI_Comm_set_attr(comm, keyval, nullptr), "MPI_Comm_set_attr");
}

PluginRanks* plugin_ranks(MPI_Comm comm) {
  static const int keyval = make_keyval();
  void* value = nullptr;
  int found = 0;
  check_mpi(MPI_Comm_get_attr(comm, keyval, &value, &found), "MPI_Comm_get_attr");
  if (found != 0) return static_cast<PluginRanks*>(value);
  int inter = 0;
  check_mpi(MPI_Comm_test_inter(comm, &inter), "MPI_Comm_test_inter");
  if (inter != 0) return nullptr;
  auto made = std::make_unique<PluginRanks>(comm);
  check_mpi(MPI_Comm_set_attr(comm, keyval, made.get()), "MPI_Comm_set_attr");
  return made.release();
}

}  // namespace arlab::collectives
