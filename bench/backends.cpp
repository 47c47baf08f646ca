#include "bench/backends.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <exception>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "algorithms/error.hpp"
#include "bench/device_subject.hpp"
#include "bench/gpu.hpp"
#include "collectives/threads.hpp"
#ifdef ARLAB_HAS_MPI
#include "collectives/mpi.hpp"
#endif

namespace arlab {

#ifdef ARLAB_HAS_MPI

namespace {
std::string why_no_mpi() { return ""; }
}  // namespace

struct Job::State {
  std::unique_ptr<Mpi> mpi = Mpi::launched() ? std::make_unique<Mpi>() : nullptr;
};

std::string mpi_library() { return Mpi::library(); }

#else

namespace {

std::string why_no_mpi() {
  return "built without MPI: apt install libopenmpi-dev (or libmpich-dev), then configure again";
}

/// What is asked of MPI only where check() has let it through, so never.
struct Mpi {
  Communicator& world() { fail(Blame::environment, why_no_mpi()); }
  Rank local_rank() const { return 0; }
  std::string why_not_from(Device&) { return ""; }
  std::unique_ptr<Wires> wires(Device&, bool) { return nullptr; }
  [[noreturn]] void abort(int code) { std::exit(code); }
};

}  // namespace

struct Job::State {
  std::unique_ptr<Mpi> mpi;  // never one
};

std::string mpi_library() { return ""; }

#endif

namespace {

using Body = std::function<void(Subject&, const std::string&)>;

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

/// Throws Error(usage) naming the nearest where there is none of that name.
const Backend& find_backend(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Backend& b : kBackends) {
    if (b.name == name) return b;
    names.push_back(b.name);
  }
  fail(Blame::usage, fmt::format("unknown backend '{}'{} (`arlab list backends` names all)", name,
                                 did_you_mean(name, names)));
}

bool is_virtual(std::string_view backend) { return backend == "cuda" || backend == "cuda-streams"; }
bool needs_job(std::string_view backend) { return backend == "mpi" || backend == "mpi-cuda"; }

// Ranks of one machine take its GPUs in turn: with more ranks than GPUs some share one, which NCCL
// refuses, unless it takes them for different machines.
Device& device_of(Devices& devices, Rank local) {
  return *devices[static_cast<std::size_t>(local) % devices.size()];
}

void run_nccl(Communicator& control, Device& device, const Body& body) {
  const auto wires = connect_nccl(control, device);
  body(*rank_on_device(control, device, *wires), "nccl");
}

void run_mpi_cuda(Mpi& mpi, Device& device, const Body& body) {
  const bool directly = mpi.why_not_from(device).empty();
  const auto wires = mpi.wires(device, directly);
  body(*rank_on_device(mpi.world(), device, *wires),
       directly ? "mpi-cuda (direct)" : "mpi-cuda (staged)");
}

}  // namespace

bool speaks_by_environment() {
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* rank = std::getenv(variable)) return std::string_view(rank) == "0";
  return true;
}

std::span<const Backend> backends() { return kBackends; }

Job::Job() : state_(std::make_unique<State>()) {}
Job::~Job() = default;

Rank Job::ranks() const { return state_->mpi ? state_->mpi->world().ranks() : 0; }
std::shared_ptr<const Groups> Job::groups() const {
  return state_->mpi ? groups_by_machine(state_->mpi->world()) : nullptr;
}

bool Job::speaks() const { return !state_->mpi || state_->mpi->world().rank() == 0; }

void Job::leave(int code) {
  if (state_->mpi) state_->mpi->abort(code);
  std::exit(code);
}

std::string_view Job::default_backend() const { return state_->mpi ? "mpi" : "threads"; }

Rank Job::default_ranks(std::string_view backend) const {
  constexpr Rank kRanks = 4;
  if (ranks() > 0 && (needs_job(backend) || backend == "nccl")) return ranks();
  if (backend == "nccl" && why_no_nccl().empty()) return static_cast<Rank>(gpus().size());
  return kRanks;
}

void Job::check(std::string_view backend, Rank ranks) const {
  if (const std::string why = find_backend(backend).why_off(); !why.empty())
    fail(Blame::environment, fmt::format("backend {} is off: {}", backend, why));
  const bool in_job = needs_job(backend) || (backend == "nccl" && state_->mpi);
  if (in_job && !state_->mpi)
    fail(Blame::usage,
         fmt::format("backend {} needs a job: start it as `mpirun -n {} arlab run ...`", backend,
                     ranks));
  if (in_job && ranks != this->ranks())
    fail(Blame::usage,
         fmt::format(
             "ranks is {}, but the MPI job has {}: leave out -p, or start it with mpirun -n {}",
             ranks, this->ranks(), ranks));
  if (in_job) return;
  if (this->ranks() > 1)
    fail(Blame::usage,
         fmt::format("backend {} in each of {} MPI processes: run it without mpirun, or use "
                     "--backend {}",
                     backend, this->ranks(), is_virtual(backend) ? "nccl or mpi-cuda" : "mpi"));
  if (backend == "nccl") {
    const auto count = static_cast<Rank>(gpus().size());
    if (ranks > count)
      fail(
          Blame::usage,
          fmt::format("ranks is {}, but backend nccl has a GPU a rank and sees {}: use at most {}, "
                      "or --backend cuda, whose ranks share GPUs",
                      ranks, count, count));
    return;
  }
  const Rank most = is_virtual(backend) ? kMaxDeviceRanks : kMaxThreadRanks;
  if (ranks > most)
    fail(Blame::usage,
         fmt::format("ranks is {}, but backend {} has at most {}: use fewer, or mpirun", ranks,
                     backend, most));
}

void Job::run_on_host(std::string_view backend, Rank ranks,
                      const std::function<void(Communicator&)>& body) {
  check(backend, ranks);
  if (backend == "threads") return on_threads(ranks, body);
  if (backend == "mpi") return body(state_->mpi->world());
  fail(Blame::usage,
       fmt::format("backend {} has its vectors on GPUs: use --backend threads or mpi", backend));
}

void Job::run(std::string_view backend, Rank ranks, const Body& body) {
  if (backend == "threads" || backend == "mpi")
    return run_on_host(backend, ranks, [&](Communicator& communicator) {
      body(*subject_of(communicator), std::string(backend));
    });
  check(backend, ranks);
  Devices devices = gpus();
  if (is_virtual(backend))
    return body(*virtual_ranks(devices, ranks, backend == "cuda"), std::string(backend));
  if (backend == "mpi-cuda")
    return run_mpi_cuda(*state_->mpi, device_of(devices, state_->mpi->local_rank()), body);
  if (state_->mpi)
    return run_nccl(state_->mpi->world(), device_of(devices, state_->mpi->local_rank()), body);
  on_threads(ranks, [&](Communicator& communicator) {
    run_nccl(communicator, device_of(devices, communicator.rank()), body);
  });
}

int in_job(const std::function<int(Job&)>& body) {
  Job job;
  try {
    return body(job);
  } catch (const std::exception& e) {
    if (job.ranks() < 2) throw;
    const auto* known = dynamic_cast<const Error*>(&e);
    if (job.speaks() || !known || known->blame() != Blame::usage)
      fmt::print(stderr, "error: {}\n", e.what());
    job.leave(known ? static_cast<int>(known->blame()) : 3);
  }
}

}  // namespace arlab
