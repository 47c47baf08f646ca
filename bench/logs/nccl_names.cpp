#include "bench/logs/nccl_names.hpp"

#include <iterator>

#include "bench/logs/words.hpp"

namespace arlab::bench {
namespace {

using collectives::DType, collectives::Op;

constexpr std::pair<std::string_view, DType> kTypes[] = {{"float", DType::float32},
                                                         {"double", DType::float64},
                                                         {"half", DType::float16},
                                                         {"bfloat16", DType::bfloat16},
                                                         {"int8", DType::int8},
                                                         {"char", DType::int8},
                                                         {"uint8", DType::uint8},
                                                         {"int32", DType::int32},
                                                         {"int", DType::int32},
                                                         {"uint32", DType::uint32},
                                                         {"int64", DType::int64},
                                                         {"uint64", DType::uint64},
                                                         {"f8e4m3", DType::float8_e4m3},
                                                         {"f8e5m2", DType::float8_e5m2},
                                                         {"fp8_e4m3", DType::float8_e4m3},
                                                         {"fp8_e5m2", DType::float8_e5m2}};

constexpr std::pair<std::string_view, NcclOp> kOps[] = {
    {"sum", {Op::sum}}, {"prod", {Op::prod}}, {"min", {Op::min}},          {"max", {Op::max}},
    {"avg", {Op::avg}}, {"none", {}},         {"mulsum", {.known = false}}};

constexpr std::pair<std::string_view, std::optional<Collective>> kPrograms[] = {
    {"all_reduce", Collective::allreduce},
    {"reduce_scatter", Collective::reduce_scatter},
    {"all_gather", Collective::all_gather},
    {"broadcast", Collective::broadcast},
    {"reduce", Collective::reduce},
    {"alltoall", {}},
    {"alltoallv", {}},
    {"sendrecv", {}},
    {"gather", {}},
    {"scatter", {}},
    {"hypercube", {}}};

}  // namespace

std::optional<DType> nccl_type(std::string_view word) { return named(kTypes, word); }

std::optional<NcclOp> nccl_op(std::string_view word) { return named(kOps, word); }

std::string nccl_program(std::string_view path) {
  constexpr std::string_view kEnd = "_perf";
  path.remove_prefix(path.rfind('/') + 1);
  if (path.ends_with("_mpi")) path.remove_suffix(4);
  if (!path.ends_with(kEnd)) return "";
  path.remove_suffix(kEnd.size());
  return named(kPrograms, path) ? std::string(path) : "";
}

std::optional<Collective> nccl_collective(std::string_view program) {
  return named(kPrograms, program).value_or(std::nullopt);
}

std::string nccl_call(Collective collective) {
  constexpr std::string_view kNames[] = {"ncclAllReduce", "ncclReduceScatter", "ncclAllGather",
                                         "ncclReduce", "ncclBroadcast"};
  static_assert(std::size(kNames) == std::size(kCollectives));
  return std::string(kNames[static_cast<std::size_t>(collective)]);
}

std::string_view nccl_program_of_call(std::string_view call) {
  for (const auto& [program, collective] : kPrograms)
    if (collective && nccl_call(*collective) == call) return program;
  return {};
}

}  // namespace arlab::bench
