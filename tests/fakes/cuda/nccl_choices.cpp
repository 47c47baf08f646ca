// The choice of algorithms by NCCL_ALGO and NCCL_PROTO, as NCCL 2.24 and newer take it.
#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <fstream>

#include "tests/fakes/cuda/comm.hpp"

namespace arlab::fake_cuda {
namespace {

std::string variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? value : "";
}

/// "RING" of "allreduce:ring"; empty if nothing is set.
std::string chosen_by(const char* name) {
  constexpr std::string_view kOf = "allreduce:";
  std::string value = variable(name);
  if (value.empty()) return "";
  if (!value.starts_with(kOf)) {
    machine().complain(std::string(name) + "=" + value + " is not modeled");
    return "";
  }
  value.erase(0, kOf.size());
  std::transform(value.begin(), value.end(), value.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return value;
}

/// What a switch adds: ncclNvlsSupported() of NCCL.
bool switch_adds(const Call& call) {
  switch (call.type) {
    case ncclInt32:
    case ncclUint32:
    case ncclInt64:
    case ncclUint64:
    case ncclFloat16:
    case ncclBfloat16:
      return call.op == ncclSum || call.op == ncclMin || call.op == ncclMax;
    case ncclFloat32:
    case ncclFloat64:
      return call.op == ncclSum;
    default:
      return false;
  }
}

}  // namespace

void read_choice(Comm& comm) {
  if (comm.has_read_choice) return;
  comm.has_read_choice = true;
  comm.algorithm = chosen_by("NCCL_ALGO");
  comm.protocol = chosen_by("NCCL_PROTO");
}

bool runs_choice(const Comm& comm, const Call& call) {
  if (call.kind != Kind::all_reduce || comm.algorithm.empty() || in_window(call)) return true;
  if (comm.algorithm == "RING" || comm.algorithm == "TREE") return true;
  const bool simple = comm.protocol.empty() || comm.protocol == "SIMPLE";
  return comm.algorithm == "NVLS" && simple && switch_adds(call);
}

ncclResult_t refusal() {
  const bool chosen = !variable("NCCL_ALGO").empty() || !variable("NCCL_PROTO").empty();
  return chosen ? ncclInvalidUsage : ncclInternalError;
}

void log_choice(const Comm& comm, const Call& call) {
  const std::string file = variable("NCCL_DEBUG_FILE");
  if (file.empty() || variable("NCCL_DEBUG_SUBSYS") != "TUNING") return;
  const std::size_t bytes = call.count * size_of(call.type);
  std::ofstream log(file, std::ios::app);
  if (in_window(call))
    log << "AllReduce [Symmetric]: " << bytes << " Bytes -> Kernel AllReduce_AGxLL_R nchannels 2\n";
  else
    log << "AllReduce: " << bytes << " Bytes -> Algo "
        << (comm.algorithm.empty() ? "TREE" : comm.algorithm) << " proto "
        << (comm.protocol.empty() ? "SIMPLE" : comm.protocol) << " channel{Lo..Hi}={0..1}\n";
}

}  // namespace arlab::fake_cuda
