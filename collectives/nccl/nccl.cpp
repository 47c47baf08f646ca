#include "collectives/nccl/nccl.hpp"

#include <map>
#include <optional>

#include "algorithms/base/error.hpp"
#include "algorithms/base/text.hpp"
#include "collectives/cuda/check.hpp"
#include "collectives/cuda/device.hpp"
#include "collectives/nccl/float8_support.hpp"
#include "collectives/nccl/library_choice.hpp"
#include "collectives/nccl/nccl_comm.hpp"
#include "collectives/nccl/nccl_memory.hpp"
#include "collectives/nccl/tuning_log.hpp"
#include "collectives/reduce/reduce.hpp"

namespace arlab::collectives {
namespace {

ncclDataType_t nccl_type(DType dtype) {
  switch (dtype) {
    case DType::float32:
      return ncclFloat32;
    case DType::float64:
      return ncclFloat64;
    case DType::float16:
      return ncclFloat16;
    case DType::bfloat16:
      return ncclBfloat16;
    case DType::int32:
      return ncclInt32;
    case DType::int64:
      return ncclInt64;
    case DType::int8:
      return ncclInt8;
    case DType::uint8:
      return ncclUint8;
    case DType::uint32:
      return ncclUint32;
    case DType::uint64:
      return ncclUint64;
    case DType::float8_e4m3:
    case DType::float8_e5m2:
#if NCCL_VERSION_CODE >= NCCL_VERSION(2, 24, 0)
      return dtype == DType::float8_e4m3 ? ncclFloat8e4m3 : ncclFloat8e5m2;
#else
      break;  // float8_refusal() has said so
#endif
    case DType::byte:
      break;
  }
  fail(Blame::usage, "bytes cannot be reduced: choose an element type");
}

// What only moves has a type of its size in every version.
ncclDataType_t moved_type(DType dtype) {
  return size_of(dtype) == 1 ? ncclUint8 : nccl_type(dtype);
}

bool is_float8(DType dtype) { return is_small_float(dtype) && size_of(dtype) == 1; }

// avg is a sum here; our own kernel divides at the end, as in all backends.
ncclRedOp_t nccl_op(Op op) {
  switch (op) {
    case Op::prod:
      return ncclProd;
    case Op::min:
      return ncclMin;
    case Op::max:
      return ncclMax;
    default:
      return ncclSum;
  }
}

/// Of the linked library, as NCCL counts; 0 if it does not say.
int version() {
  int number = 0;
  return ncclGetVersion(&number) == ncclSuccess ? number : 0;
}

class NcclTransport final : public DeviceTransport, private Baseline {
 public:
  NcclTransport(Communicator& control, Device& device, RankExecutor::Seconds patience,
                RankExecutor::Seconds to_start)
      // In a graph NCCL's threads, one per group of a communicator that does not block, start at
      // the capture only.
      : DeviceTransport({.is_capturable = true}),
        control_(control),
        device_(device),
        patience_(patience),
        to_start_(to_start),
        comm_(control, device, patience, to_start),
        element_(device.allocate(sizeof(double))) {}

  void exchange(std::span<const SendRecv> calls, DeviceStream& stream) override {
    const cudaStream_t on = cuda::handle(stream);
    comm_.group("ncclGroupEnd", [&](ncclComm_t comm, auto checked) {
      for (const SendRecv& call : calls)
        if (call.sends)
          checked(ncclSend(call.data, call.bytes, ncclUint8, call.peer, comm, on), "ncclSend");
        else
          checked(ncclRecv(call.data, call.bytes, ncclUint8, call.peer, comm, on), "ncclRecv");
    });
  }

  void check() override {
    comm_.check();
    if (native_ != &comm_) native_->check();
  }

  void abort() override {
    comm_.abort();
    for (auto& [spec, comm] : chosen_) comm.abort();
  }

  Baseline& baseline(DeviceStream& stream) override {
    stream_ = &stream;
    return *this;
  }
  DeviceMemory allocate(Device& device, std::size_t bytes) override {
    return memory_.allocate(device, bytes);
  }

 private:
  // Baseline
  std::string choice(Count bytes) const override {
    const std::string chosen = chosen_in_log(tuning_log(), bytes);
    const bool registered = native_ == &comm_ && memory_.is_registered(native_data_);
    return concat(chosen, chosen.empty() ? "" : ", ",
                  registered ? "registered" : "memory without a window");
  }

  std::vector<std::string> algorithms() override { return nccl_algorithms(version()); }

  // Registered memory is NCCL's own choice alone: on it, NCCL does not keep to another one.
  void use(const std::string& algorithm) override {
    native_ = &comm_;
    if (algorithm.empty()) return memory_.register_all();
    if (!chosen_.contains(algorithm)) with_choice(algorithm, [] {});
    native_ = &chosen_.at(algorithm);
  }

  // Of an algorithm NCCL finds out in the call itself.
  std::string unsupported(const std::string& spec, Operand operand) override {
    if (is_float8(operand.dtype) && !float8_refusal().empty()) return float8_refusal();
    if (spec.empty()) return "";
    const auto said = [&](const char* what) {
      return concat("NCCL cannot run ", spec, " for ", name(operand.op), " of ",
                    name(operand.dtype), what);
    };
    parse_nccl_choice(spec);
    if (control_.ranks() == 1) return said(" on one rank: it copies");
    // NCCL calls a refusal a wrong use only while the variables are set; else an error of its own.
    bool accepted = false;
    with_choice(spec, [&] {
      accepted = chosen_.at(spec).accepts("ncclAllReduce", [&](ncclComm_t comm) {
        return ncclAllReduce(element_.data(), element_.data(), 1, nccl_type(operand.dtype),
                             nccl_op(operand.op), comm, cuda::handle(*stream_));
      });
    });
    if (control_.max(accepted ? 0 : 1) == 0) return "";
    chosen_.at(spec).abort();
    native_ = &comm_;
    chosen_.erase(spec);
    return said(" on these GPUs");
  }

  // NCCL's blocks are of equal size.
  std::string name_of(const Problem& p) const override {
    const bool even = p.elements % p.ranks == 0;
    switch (p.collective) {
      case Collective::allreduce:
        return "ncclAllReduce";
      case Collective::reduce_scatter:
        return even ? "ncclReduceScatter" : "";
      case Collective::all_gather:
        return even ? "ncclAllGather" : "";
      case Collective::reduce:
        return "ncclReduce";
      case Collective::broadcast:
        return "ncclBroadcast";
    }
    return "";
  }

  void run(const Problem& p, const std::byte* from, std::byte* data, Operand operand) override {
    expects(from == data, "NCCL's own collectives run in place");
    DeviceStream& stream = *stream_;
    const std::string called = name_of(p);
    if (called.empty())
      fail(Blame::usage,
           "NCCL needs blocks of equal size: choose an algorithm, or a number of "
           "elements that the ranks divide");
    if (p.elements == 0) return;
    if (p.reduces() && is_float8(operand.dtype) && !float8_refusal().empty())
      fail(Blame::environment, float8_refusal());
    const AverageDivisors divisors =
        p.reduces() ? divisors_of(operand, p.ranks) : AverageDivisors{};
    if (divisors.before != 1) stream.scale(data, p.elements, operand.dtype, divisors.before);
    // As a group: a lone call may return too early in old versions.
    NcclComm& comm = p.collective == Collective::allreduce ? *native_ : comm_;
    native_data_ = data;
    comm.group(called.c_str(), [&](ncclComm_t handle, auto checked) {
      checked(enqueue(p, data, operand, handle, cuda::handle(stream)), called.c_str());
    });
    if (divisors.after == 1) return;
    const Count block = p.elements / p.ranks;
    if (p.collective == Collective::reduce_scatter)
      stream.scale(own_block(p, data, operand), block, operand.dtype, divisors.after);
    else if (p.shares() || control_.rank() == p.root)
      stream.scale(data, p.elements, operand.dtype, divisors.after);
  }

  /// Why NCCL does not reduce 8-bit floats here; empty if it does. All ranks call it together.
  const std::string& float8_refusal() {
    if (!float8_refusal_) {
      int major = 0, minor = 0;
      const int gpu = cuda::index_of(device_);
      cuda::check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, gpu),
                  "cudaDeviceGetAttribute");
      cuda::check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, gpu),
                  "cudaDeviceGetAttribute");
      const auto least = [&](int mine) { return static_cast<int>(-control_.max(-mine)); };
      float8_refusal_ =
          why_no_float8(least(NCCL_VERSION_CODE), least(version()), least(10 * major + minor));
    }
    return *float8_refusal_;
  }

  std::byte* own_block(const Problem& p, std::byte* data, Operand operand) const {
    return data + static_cast<std::size_t>(p.elements / p.ranks * control_.rank()) *
                      size_of(operand.dtype);
  }

  ncclResult_t enqueue(const Problem& p, std::byte* data, Operand operand, ncclComm_t comm,
                       cudaStream_t on) {
    const ncclDataType_t type = p.reduces() ? nccl_type(operand.dtype) : moved_type(operand.dtype);
    const ncclRedOp_t op = nccl_op(operand.op);
    const auto all = static_cast<std::size_t>(p.elements);
    const std::size_t block = all / static_cast<std::size_t>(p.ranks);
    switch (p.collective) {
      case Collective::allreduce:
        return ncclAllReduce(data, data, all, type, op, comm, on);
      case Collective::reduce_scatter:
        return ncclReduceScatter(data, own_block(p, data, operand), block, type, op, comm, on);
      case Collective::all_gather:
        return ncclAllGather(own_block(p, data, operand), data, block, type, comm, on);
      case Collective::reduce:
        return ncclReduce(data, data, all, type, op, p.root, comm, on);
      case Collective::broadcast:
        return ncclBroadcast(data, data, all, type, p.root, comm, on);
    }
    return ncclInvalidArgument;
  }

  /// Makes the communicator of the choice, if there is none yet, and calls body(), both with the
  /// choice in the environment. All ranks call it together.
  template <class Body>
  void with_choice(const std::string& spec, Body body) {
    const NcclChoice choice = parse_nccl_choice(spec);
    ChoiceInEnvironment environment;
    control_.barrier();
    environment.set(choice);
    control_.barrier();
    chosen_.try_emplace(spec, control_, device_, patience_, to_start_);
    body();
    control_.barrier();
    environment.restore();
    control_.barrier();
  }

  Communicator& control_;
  Device& device_;
  RankExecutor::Seconds patience_, to_start_;
  NcclComm comm_;
  std::map<std::string, NcclComm> chosen_;  // by spec: with an algorithm of the user's choice
  NcclComm* native_ = &comm_;               // of the allreduce
  NcclMemory memory_{comm_};
  const std::byte* native_data_ = nullptr;  // of the last collective of NCCL's own
  const DeviceMemory element_;              // on which it finds out what NCCL runs
  DeviceStream* stream_ = nullptr;          // of the baseline
  std::optional<std::string> float8_refusal_;
};

}  // namespace

std::string nccl_version() {
  const int number = version();
  if (number == 0) return "unknown";
  return concat(number / 10000, ".", number / 100 % 100, ".", number % 100);
}

std::unique_ptr<DeviceTransport> nccl_transport(Communicator& control, Device& device,
                                                RankExecutor::Seconds patience,
                                                RankExecutor::Seconds to_start) {
  return std::make_unique<NcclTransport>(control, device, patience, to_start);
}

}  // namespace arlab::collectives
