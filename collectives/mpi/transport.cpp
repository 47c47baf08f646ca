#include "collectives/mpi/transport.hpp"

#include <mpi.h>

#if defined(OPEN_MPI)
#include <mpi-ext.h>
#endif

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "algorithms/base/error.hpp"
#include "collectives/mpi/communicator.hpp"
#include "collectives/mpi/library/check.hpp"
#include "collectives/mpi/library/native_collective.hpp"
#include "collectives/reduce/reduce.hpp"

namespace arlab::collectives {
namespace {

constexpr int kTag = 0;  // of this communicator, which is for nothing else

class MpiTransport final : public DeviceTransport, private Baseline {
 public:
  MpiTransport(Communicator& world, Device& device, bool directly)
      : DeviceTransport({.description = directly ? "direct" : "staged"}),
        world_(world),
        device_(device),
        directly_(directly) {
    check_mpi(MPI_Comm_dup(comm_of(world), &comm_), "MPI_Comm_dup");
    check_mpi(MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  }
  ~MpiTransport() override { MPI_Comm_free(&comm_); }

  // The stream cannot wait for MPI, so the host waits for both. The last group has left staging
  // memory once the stream is idle.
  void exchange(std::span<const SendRecv> calls, DeviceStream& stream) override {
    std::size_t staged = 0;
    for (const SendRecv& call : calls) staged += directly_ ? 0 : call.bytes;
    reserve(staged, stream);
    std::vector<std::byte*> buffers;
    std::size_t used = 0;
    for (const SendRecv& call : calls) {
      buffers.push_back(directly_ ? call.data : staging_.data() + used);
      if (directly_) continue;
      if (call.sends) stream.copy(buffers.back(), call.data, call.bytes);
      used += call.bytes;
    }
    stream.synchronize();
    requests_.clear();
    const Watch::Blocked blocked(watch_of(world_), "MPI_Waitall");
    for (std::size_t i = 0; i < calls.size(); ++i) post(calls[i], buffers[i]);
    check_mpi(
        MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
        "MPI_Waitall");
    if (directly_) return;
    for (std::size_t i = 0; i < calls.size(); ++i)
      if (!calls[i].sends) stream.copy(calls[i].data, buffers[i], calls[i].bytes);
  }

  Baseline& baseline(DeviceStream& stream) override {
    stream_ = &stream;
    return *this;
  }

 private:
  // Baseline: that of the host's memory, on the device's.
  std::string name_of(const Problem& problem) const override {
    return world_.baseline().name_of(problem);
  }
  std::vector<std::string> algorithms() override { return world_.baseline().algorithms(); }
  void use(const std::string& algorithm) override { world_.baseline().use(algorithm); }

  // Our own MPI operation, which reduces small floats, works on host memory.
  void run(const Problem& p, const std::byte* from, std::byte* data, Operand operand) override {
    expects(from == data, "on a device's memory, MPI runs in place");
    DeviceStream& stream = *stream_;
    const Operand summed{operand.dtype, operand.op == Op::avg ? Op::sum : operand.op};
    const std::size_t bytes = static_cast<std::size_t>(p.elements) * size_of(operand.dtype);
    const AverageDivisors divisors =
        p.reduces() ? divisors_of(operand, world_.ranks()) : AverageDivisors{};
    if (divisors.before != 1) stream.scale(data, p.elements, operand.dtype, divisors.before);
    if (directly_ && !is_small_float(operand.dtype) && leaves_data_to_mpi(p)) {
      stream.synchronize();
      world_.baseline().run(p, data, data, summed);
    } else {
      reserve(bytes, stream);
      stream.copy(staging_.data(), data, bytes);
      stream.synchronize();
      world_.baseline().run(p, staging_.data(), staging_.data(), summed);
      stream.copy(data, staging_.data(), bytes);
    }
    if (divisors.after != 1) stream.scale(data, p.elements, operand.dtype, divisors.after);
  }

  void reserve(std::size_t bytes, DeviceStream& stream) {
    if (staging_.size() >= bytes) return;
    stream.synchronize();  // it may still read the old one
    staging_ = device_.allocate(bytes, MemoryKind::pinned);
  }

  void post(const SendRecv& call, std::byte* data) {
    for (std::size_t left = call.bytes; left > 0;) {
      const auto piece = static_cast<int>(std::min(left, kMpiPiece));
      MPI_Request* const request = &requests_.emplace_back(MPI_REQUEST_NULL);
      if (call.sends)
        check_mpi(MPI_Isend(data, piece, MPI_BYTE, call.peer, kTag, comm_, request), "MPI_Isend");
      else
        check_mpi(MPI_Irecv(data, piece, MPI_BYTE, call.peer, kTag, comm_, request), "MPI_Irecv");
      data += piece;
      left -= static_cast<std::size_t>(piece);
    }
  }

  Communicator& world_;
  Device& device_;
  bool directly_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  DeviceMemory staging_;
  DeviceStream* stream_ = nullptr;  // of the baseline
  std::vector<MPI_Request> requests_;
};

// Whether the library claims to be CUDA-aware. Others would read device memory as host memory, and
// crash.
bool claims_support() {
#if defined(MPIX_CUDA_AWARE_SUPPORT) || (defined(MPICH_NUMVERSION) && MPICH_NUMVERSION >= 40000000)
  return MPIX_Query_cuda_support() == 1;
#else
  return false;
#endif
}

/// Sends device memory around all ranks once. Returns whether it arrived as the neighbor sent it.
/// An error of the library is an answer, too; a rank that does not come is noticed by the watch.
bool passes_around(Communicator& world, Device& device) {
  constexpr Count kWords = 100'000;  // too large for the eager protocol
  constexpr std::size_t kBytes = kWords * sizeof(Count);
  const auto stream = device.make_stream();
  const DeviceMemory host = device.allocate(kBytes, MemoryKind::pinned),
                     mine = device.allocate(kBytes), others = device.allocate(kBytes);
  const auto words = std::span(reinterpret_cast<Count*>(host.data()), kWords);
  for (Count i = 0; i < kWords; ++i)
    words[static_cast<std::size_t>(i)] = Count{world.rank()} * kWords + i;
  stream->copy(mine.data(), host.data(), kBytes);
  stream->synchronize();
  const Rank right = (world.rank() + 1) % world.ranks();
  const Rank left = (world.rank() + world.ranks() - 1) % world.ranks();
  MPI_Comm own = MPI_COMM_NULL;
  check_mpi(MPI_Comm_dup(comm_of(world), &own), "MPI_Comm_dup");
  check_mpi(MPI_Comm_set_errhandler(own, MPI_ERRORS_RETURN), "MPI_Comm_set_errhandler");
  int code = MPI_SUCCESS;
  {
    const Watch::Blocked blocked(watch_of(world), "MPI_Sendrecv");
    code = MPI_Sendrecv(mine.data(), static_cast<int>(kBytes), MPI_BYTE, right, kTag, others.data(),
                        static_cast<int>(kBytes), MPI_BYTE, left, kTag, own, MPI_STATUS_IGNORE);
  }
  MPI_Comm_free(&own);
  if (code != MPI_SUCCESS) return false;
  stream->copy(host.data(), others.data(), kBytes);
  stream->synchronize();
  for (Count i = 0; i < kWords; ++i)
    if (words[static_cast<std::size_t>(i)] != Count{left} * kWords + i) return false;
  return true;
}

}  // namespace

std::unique_ptr<DeviceTransport> mpi_transport(Communicator& world, Device& device, bool directly) {
  return std::make_unique<MpiTransport>(world, device, directly);
}

std::string why_mpi_cannot_send_from(Communicator& world, Device& device) {
  const char* const staged = std::getenv("ARLAB_MPI_STAGED");
  if (world.max(staged && *staged && *staged != '0' ? 1 : 0) > 0) return "ARLAB_MPI_STAGED is set";
  if (world.max(claims_support() ? 0 : 1) > 0)
    return "this MPI does not report that it is CUDA-aware (Open MPI: ompi_info --parsable --all | "
           "grep cuda_support)";
  if (world.max(passes_around(world, device) ? 0 : 1) > 0)
    return "this MPI reports that it is CUDA-aware, but a message of device memory arrived damaged";
  return "";
}

}  // namespace arlab::collectives
