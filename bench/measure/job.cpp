#include "bench/measure/job.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <exception>

#include "algorithms/base/error.hpp"
#include "bench/measure/backends.hpp"
#include "bench/measure/device_target.hpp"
#include "bench/measure/gpu.hpp"
#include "collectives/threads/threads.hpp"
#ifdef ARLAB_HAS_MPI
#include "collectives/mpi/mpi.hpp"
#endif

namespace arlab::bench {

#ifdef ARLAB_HAS_MPI

struct Job::State {
  std::unique_ptr<collectives::Mpi> mpi =
      collectives::Mpi::launched() ? std::make_unique<collectives::Mpi>() : nullptr;
};

#else

namespace {

/// What is asked of MPI only where check() has let it through, so never.
struct collectives::Mpi {
  collectives::Communicator& world() { fail(Blame::environment, why_no_mpi()); }
  Rank local_rank() const { return 0; }
  std::string why_not_from(collectives::Device&) { return ""; }
  std::unique_ptr<collectives::DeviceTransport> wires(collectives::Device&, bool) {
    return nullptr;
  }
  [[noreturn]] void abort(int code) { std::exit(code); }
};

}  // namespace

struct Job::State {
  std::unique_ptr<collectives::Mpi> mpi;  // never one
};

#endif

namespace {

bool is_virtual(std::string_view backend) { return backend == "cuda" || backend == "cuda-streams"; }
bool needs_job(std::string_view backend) { return backend == "mpi" || backend == "mpi-cuda"; }

// Ranks of one machine take its GPUs in turn: with more ranks than GPUs some share one, which NCCL
// refuses, unless it takes them for different machines.
collectives::Device& device_of(collectives::Devices& devices, Rank local) {
  return *devices[static_cast<std::size_t>(local) % devices.size()];
}

// What a rank with a GPU of its own has; `name` is the backend's, with how messages travel.
using OnGpu = std::function<void(collectives::Communicator& control, collectives::Device&,
                                 collectives::DeviceTransport&, const std::string& name)>;

void on_nccl(collectives::Communicator& control, collectives::Device& device, const OnGpu& use) {
  const auto wires = connect_nccl(control, device);
  use(control, device, *wires, "nccl");
}

void on_mpi_cuda(collectives::Mpi& mpi, collectives::Device& device, const OnGpu& use) {
  const bool directly = mpi.why_not_from(device).empty();
  const auto wires = mpi.wires(device, directly);
  use(mpi.world(), device, *wires, directly ? "mpi-cuda (direct)" : "mpi-cuda (staged)");
}

// On every rank that is here of a backend with a GPU a rank. `mpi`: the job; null outside of one.
void on_gpus(collectives::Mpi* mpi, std::string_view backend, Rank ranks, const OnGpu& use) {
  collectives::Devices devices = gpus();
  if (!mpi)
    return collectives::on_threads(ranks, [&](collectives::Communicator& communicator) {
      on_nccl(communicator, device_of(devices, communicator.rank()), use);
    });
  collectives::Device& mine = device_of(devices, mpi->local_rank());
  if (backend == "nccl") return on_nccl(mpi->world(), mine, use);
  on_mpi_cuda(*mpi, mine, use);
}

}  // namespace

bool speaks_by_environment() {
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* rank = std::getenv(variable)) return std::string_view(rank) == "0";
  return true;
}

Job::Job() : state_(std::make_unique<State>()) {}
Job::~Job() = default;

Rank Job::ranks() const { return state_->mpi ? state_->mpi->world().ranks() : 0; }
std::shared_ptr<const Groups> Job::groups() const {
  return state_->mpi ? collectives::groups_by_machine(state_->mpi->world()) : nullptr;
}

bool Job::speaks() const { return !state_->mpi || state_->mpi->world().rank() == 0; }

void Job::leave(int code) {
  if (state_->mpi) state_->mpi->abort(code);
  std::exit(code);
}

std::string_view Job::default_backend() const { return state_->mpi ? "mpi" : "threads"; }

std::string_view Job::host_backend(std::string_view backend) const {
  return needs_job(backend) || (backend == "nccl" && state_->mpi) ? "mpi" : "threads";
}

Rank Job::default_ranks(std::string_view backend) const {
  constexpr Rank kRanks = 4;
  if (ranks() > 0 && (needs_job(backend) || backend == "nccl")) return ranks();
  if (backend == "nccl" && why_no_nccl().empty()) return static_cast<Rank>(gpus().size());
  return kRanks;
}

void Job::check(std::string_view backend, Rank ranks) const {
  if (const std::string why = find_backend(backend).why_off(); !why.empty())
    fail(Blame::environment, fmt::format("backend {} is off: {}", backend, why));
  const bool in_job = host_backend(backend) == "mpi";
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
  const Rank most =
      is_virtual(backend) ? collectives::kMaxDeviceRanks : collectives::kMaxThreadRanks;
  if (ranks > most)
    fail(Blame::usage,
         fmt::format("ranks is {}, but backend {} has at most {}: use fewer, or mpirun", ranks,
                     backend, most));
}

void Job::run_on_host(std::string_view backend, Rank ranks,
                      const std::function<void(collectives::Communicator&)>& body) {
  check(backend, ranks);
  if (backend == "threads") return collectives::on_threads(ranks, body);
  if (backend == "mpi") return body(state_->mpi->world());
  fail(Blame::usage,
       fmt::format("backend {} has its vectors on GPUs: use --backend threads or mpi", backend));
}

void Job::run(std::string_view backend, Rank ranks,
              const std::function<void(BenchmarkTarget&, const std::string&)>& body) {
  if (backend == "threads" || backend == "mpi")
    return run_on_host(backend, ranks, [&](collectives::Communicator& communicator) {
      body(*subject_of(communicator), std::string(backend));
    });
  check(backend, ranks);
  if (is_virtual(backend)) {
    collectives::Devices devices = gpus();
    return body(*virtual_ranks(devices, ranks, backend == "cuda"), std::string(backend));
  }
  on_gpus(state_->mpi.get(), backend, ranks,
          [&](collectives::Communicator& control, collectives::Device& device,
              collectives::DeviceTransport& wires,
              const std::string& name) { body(*rank_on_device(control, device, wires), name); });
}

void Job::run_training(
    std::string_view backend, Rank ranks,
    const std::function<void(collectives::Communicator&, collectives::StagedExecutor*)>& body) {
  if (backend == "threads" || backend == "mpi")
    return run_on_host(backend, ranks, [&](collectives::Communicator& communicator) {
      body(communicator, nullptr);
    });
  check(backend, ranks);
  if (is_virtual(backend))
    fail(Blame::usage, fmt::format("backend {} has virtual ranks, which train no replicas: use "
                                   "--backend threads, mpi, nccl or mpi-cuda",
                                   backend));
  constexpr collectives::RankExecutor::Seconds kPatience(
      600);  // another rank may be saving a checkpoint
  on_gpus(state_->mpi.get(), backend, ranks,
          [&](collectives::Communicator& control, collectives::Device& device,
              collectives::DeviceTransport& wires, const std::string&) {
            collectives::StagedExecutor staged(control, device, wires, kPatience);
            body(control, &staged);
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

}  // namespace arlab::bench
