#include "collectives/nccl/nccl.hpp"

#include <nccl.h>

#include <array>
#include <cstring>
#include <exception>
#include <thread>
#include <utility>

#include "algorithms/base/error.hpp"
#include "collectives/cuda/check.hpp"
#include "collectives/cuda/device.hpp"
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
    case DType::byte:
      break;
  }
  fail(Blame::usage, "bytes cannot be reduced: choose an element type");
}

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

/// Shares rank 0's id with all ranks, as a sum to which the others add zero.
ncclUniqueId shared_id(Communicator& control) {
  static_assert(sizeof(ncclUniqueId) % sizeof(Count) == 0);
  std::array<Count, sizeof(ncclUniqueId) / sizeof(Count)> words{};
  ncclUniqueId id{};
  ncclResult_t made = ncclSuccess;
  if (control.rank() == 0) {
    made = ncclGetUniqueId(&id);
    std::memcpy(words.data(), &id, sizeof(id));
  }
  // A failure is reported to all ranks, so that none waits for an id forever.
  if (control.max(made == ncclSuccess ? 0 : 1) > 0)
    fail(Blame::environment, std::string("NCCL failed in ncclGetUniqueId: ") +
                                 (made == ncclSuccess ? "on rank 0" : ncclGetLastError(nullptr)));
  for (Count& word : words) word = control.sum(word);
  std::memcpy(&id, words.data(), sizeof(id));
  return id;
}

class NcclTransport final : public DeviceTransport {
 public:
  NcclTransport(Communicator& control, Device& device, RankExecutor::Seconds patience)
      : rank_(control.rank()), ranks_(control.ranks()), patience_(patience) {
    const ncclUniqueId id = shared_id(control);
    cuda::use_device(cuda::index_of(device));
    ncclConfig_t config = NCCL_CONFIG_INITIALIZER;
    config.blocking = 0;
    finish(ncclCommInitRankConfig(&comm_, ranks_, id, rank_, &config), "ncclCommInitRankConfig");
  }

  ~NcclTransport() override {
    if (!comm_) return;
    try {
      if (std::uncaught_exceptions() > 0) {  // peers may never come
        ncclCommAbort(comm_);
        return;
      }
      finish(ncclCommFinalize(comm_), "ncclCommFinalize");
      ncclCommDestroy(comm_);
    } catch (const Error&) {  // finish() has aborted it
    }
  }

  void exchange(std::span<const SendRecv> calls, DeviceStream& stream) override {
    const cudaStream_t on = cuda::handle(stream);
    finish(ncclGroupStart(), "ncclGroupStart");
    for (const SendRecv& call : calls)
      if (call.sends)
        finish_later(ncclSend(call.data, call.bytes, ncclUint8, call.peer, comm_, on), "ncclSend");
      else
        finish_later(ncclRecv(call.data, call.bytes, ncclUint8, call.peer, comm_, on), "ncclRecv");
    finish(ncclGroupEnd(), "ncclGroupEnd");
  }

  // In a graph NCCL's threads, one per group of a communicator that does not block, start at the
  // capture only.
  bool is_capturable() const override { return true; }

  void check() override { state("a message"); }

  void abort() override {
    if (comm_) ncclCommAbort(std::exchange(comm_, nullptr));
  }

  std::string native_name() const override { return "ncclAllReduce"; }
  std::string native_choice(Count bytes) const override {
    return chosen_in_log(tuning_log(), bytes);
  }

  void native_allreduce(std::byte* data, Count elements, Operand operand,
                        DeviceStream& stream) override {
    native_collective({.ranks = ranks_, .elements = elements}, data, operand, stream);
  }

  // NCCL's blocks are of equal size.
  std::string native_name_for(const Problem& p) const override {
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

  void native_collective(const Problem& p, std::byte* data, Operand operand,
                         DeviceStream& stream) override {
    const std::string called = native_name_for(p);
    if (called.empty())
      fail(Blame::usage,
           "NCCL needs blocks of equal size: choose an algorithm, or a number of "
           "elements that the ranks divide");
    if (p.elements == 0) return;
    const AverageDivisors divisors = p.reduces() ? divisors_of(operand, ranks_) : AverageDivisors{};
    if (divisors.before != 1) stream.scale(data, p.elements, operand.dtype, divisors.before);
    finish(ncclGroupStart(), "ncclGroupStart");  // a lone call may return too early in old versions
    finish_later(enqueue(p, data, operand, cuda::handle(stream)), called.c_str());
    finish(ncclGroupEnd(), called.c_str());
    if (divisors.after == 1) return;
    const Count block = p.elements / ranks_;
    if (p.collective == Collective::reduce_scatter)
      stream.scale(own_block(p, data, operand), block, operand.dtype, divisors.after);
    else if (p.shares() || rank_ == p.root)
      stream.scale(data, p.elements, operand.dtype, divisors.after);
  }

 private:
  std::byte* own_block(const Problem& p, std::byte* data, Operand operand) const {
    return data + static_cast<std::size_t>(p.elements / p.ranks * rank_) * size_of(operand.dtype);
  }

  ncclResult_t enqueue(const Problem& p, std::byte* data, Operand operand, cudaStream_t on) {
    const ncclDataType_t type = nccl_type(operand.dtype);
    const ncclRedOp_t op = nccl_op(operand.op);
    const auto all = static_cast<std::size_t>(p.elements);
    const std::size_t block = all / static_cast<std::size_t>(p.ranks);
    switch (p.collective) {
      case Collective::allreduce:
        return ncclAllReduce(data, data, all, type, op, comm_, on);
      case Collective::reduce_scatter:
        return ncclReduceScatter(data, own_block(p, data, operand), block, type, op, comm_, on);
      case Collective::all_gather:
        return ncclAllGather(own_block(p, data, operand), data, block, type, comm_, on);
      case Collective::reduce:
        return ncclReduce(data, data, all, type, op, p.root, comm_, on);
      case Collective::broadcast:
        return ncclBroadcast(data, data, all, type, p.root, comm_, on);
    }
    return ncclInvalidArgument;
  }

  [[noreturn]] void give_up(ncclResult_t code, const char* doing) {
    std::string text = std::string("NCCL failed in ") + doing + " on rank " +
                       std::to_string(rank_) + ": " + ncclGetErrorString(code);
    if (const char* const last = ncclGetLastError(comm_); last && *last)
      text += std::string(", ") + last;
    if (code == ncclInvalidUsage)
      text += " (ranks that share a GPU are refused, unless each process has its own NCCL_HOSTID)";
    else
      text += " (set NCCL_DEBUG=INFO for details)";
    abort();
    fail(Blame::environment, text);
  }

  /// Returns whether all requested calls are set up. Throws NCCL's asynchronous error.
  bool state(const char* doing) {
    if (!comm_) fail(Blame::environment, std::string("NCCL was aborted before ") + doing);
    ncclResult_t now = ncclSuccess;
    const ncclResult_t code = ncclCommGetAsyncError(comm_, &now);
    if (code != ncclSuccess) give_up(code, doing);
    if (now != ncclSuccess && now != ncclInProgress) give_up(now, doing);
    return now == ncclSuccess;
  }

  void finish_later(ncclResult_t code, const char* doing) {
    if (code == ncclSuccess || code == ncclInProgress) return;
    ncclGroupEnd();  // a failed group must be closed, too
    give_up(code, doing);
  }

  /// Waits until the call is set up. The stream then performs the messages.
  void finish(ncclResult_t code, const char* doing) {
    if (code == ncclSuccess) return;
    if (code != ncclInProgress) give_up(code, doing);
    const auto start = std::chrono::steady_clock::now();
    while (!state(doing)) {
      if (std::chrono::steady_clock::now() - start > patience_) {
        abort();
        fail(Blame::environment, std::string(doing) + " on rank " + std::to_string(rank_) +
                                     " has waited for " +
                                     std::to_string(static_cast<int>(patience_.count())) +
                                     " s: is another rank stuck or gone?");
      }
      std::this_thread::yield();
    }
  }

  Rank rank_, ranks_;
  RankExecutor::Seconds patience_;
  ncclComm_t comm_ = nullptr;
};

}  // namespace

std::string nccl_version() {
  int version = 0;
  if (ncclGetVersion(&version) != ncclSuccess) return "unknown";
  return std::to_string(version / 10000) + "." + std::to_string(version / 100 % 100) + "." +
         std::to_string(version % 100);
}

std::unique_ptr<DeviceTransport> nccl_transport(Communicator& control, Device& device,
                                                RankExecutor::Seconds patience) {
  return std::make_unique<NcclTransport>(control, device, patience);
}

}  // namespace arlab::collectives
