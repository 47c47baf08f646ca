#include "bench/measure/backends.hpp"

#include <fmt/format.h>

#include <vector>

#include "algorithms/base/names.hpp"
#include "bench/measure/gpu.hpp"
#ifdef ARLAB_HAS_MPI
#include "collectives/mpi/mpi.hpp"
#endif

namespace arlab::bench {

#ifdef ARLAB_HAS_MPI

std::string why_no_mpi() { return ""; }
std::string mpi_library() { return collectives::Mpi::library(); }

#else

std::string why_no_mpi() {
  return "built without MPI: apt install libopenmpi-dev (or libmpich-dev), then configure again";
}
std::string mpi_library() { return ""; }

#endif

namespace {

std::string always_on() { return ""; }
std::string no_note() { return ""; }

std::string why_no_mpi_on_gpus() {
  const std::string why = why_no_mpi();
  return why.empty() ? why_no_gpu() : why;
}
std::string cuda_note() { return gpu_names() + ", CUDA " + cuda_versions(); }
std::string nccl_note() { return "NCCL " + nccl_of_program(); }

constexpr Backend kBackends[] = {
    {"threads", "every rank is a thread of this process; needs nothing else", always_on, no_note},
    {"mpi", "every rank is a process, started by mpirun or srun", why_no_mpi, mpi_library},
    {"cuda", "virtual ranks on the GPUs of this process, a schedule as one CUDA graph", why_no_gpu,
     cuda_note},
    {"cuda-streams", "the same, every copy and kernel launched by itself", why_no_gpu, cuda_note},
    {"nccl", "a GPU a rank, beside ncclAllReduce; in one process, or started by mpirun or srun",
     why_no_nccl, nccl_note},
    {"mpi-cuda", "a GPU a rank, messages by MPI: directly where it can, else through the host",
     why_no_mpi_on_gpus, mpi_library},
};

}  // namespace

std::span<const Backend> backends() { return kBackends; }

const Backend& find_backend(std::string_view name) {
  return find_named(backends(), name, "backend");
}

}  // namespace arlab::bench
