#include "bench/backends.hpp"

#include <fmt/format.h>

#include <cstdlib>

#include "algorithms/algorithm.hpp"
#include "algorithms/error.hpp"
#include "collectives/threads.hpp"
#ifdef ARLAB_HAS_MPI
#include "collectives/mpi.hpp"
#endif

namespace arlab {

#ifdef ARLAB_HAS_MPI

namespace {
constexpr std::string_view kMpiOff;
}

struct Job::State {
  std::unique_ptr<Mpi> mpi = Mpi::launched() ? std::make_unique<Mpi>() : nullptr;
};

std::string mpi_library() { return Mpi::library(); }

Rank Job::ranks() const { return state_->mpi ? state_->mpi->world().ranks() : 0; }
bool Job::speaks() const { return !state_->mpi || state_->mpi->world().rank() == 0; }

void Job::leave(int code) {
  if (state_->mpi) state_->mpi->abort(code);
  std::exit(code);
}

static void run_mpi(Mpi& mpi, const std::function<void(Communicator&)>& body) { body(mpi.world()); }

#else

namespace {
constexpr std::string_view kMpiOff =
    "built without MPI: apt install libopenmpi-dev (or libmpich-dev), then configure again";
}

struct Job::State {
  std::unique_ptr<int> mpi;  // never one
};

std::string mpi_library() { return ""; }

Rank Job::ranks() const { return 0; }
bool Job::speaks() const { return true; }
void Job::leave(int code) { std::exit(code); }

static void run_mpi(int&, const std::function<void(Communicator&)>&) {}

#endif

bool speaks_by_environment() {
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* rank = std::getenv(variable)) return std::string_view(rank) == "0";
  return true;
}

std::vector<Backend> backends() {
  return {{"threads", "every rank is a thread of this process; needs nothing else", ""},
          {"mpi", "every rank is a process, started by mpirun or srun", std::string(kMpiOff)}};
}

Job::Job() : state_(std::make_unique<State>()) {}
Job::~Job() = default;

std::string_view Job::default_backend() const { return state_->mpi ? "mpi" : "threads"; }

void Job::check(std::string_view backend, Rank ranks) const {
  std::vector<std::string_view> names;
  for (const Backend& b : backends()) {
    names.push_back(b.name);
    if (b.name == backend && !b.off.empty())
      fail(Blame::environment, fmt::format("backend {} is off: {}", backend, b.off));
  }
  if (backend == "threads") {
    if (this->ranks() > 1)
      fail(Blame::usage,
           fmt::format("backend threads in each of {} MPI processes: run it without mpirun, or use "
                       "--backend mpi",
                       this->ranks()));
    if (ranks > kMaxThreadRanks)
      fail(Blame::usage,
           fmt::format("ranks is {}, but backend threads has at most {}: use fewer, or mpirun",
                       ranks, kMaxThreadRanks));
    return;
  }
  if (backend != "mpi")
    fail(Blame::usage, fmt::format("unknown backend '{}'{} (`arlab list backends` names all)",
                                   backend, did_you_mean(backend, names)));
  if (!state_->mpi)
    fail(Blame::usage,
         fmt::format("backend mpi needs a job: start it as `mpirun -n {} arlab run ...`", ranks));
  if (ranks != this->ranks())
    fail(Blame::usage,
         fmt::format(
             "ranks is {}, but the MPI job has {}: leave out -p, or start it with mpirun -n {}",
             ranks, this->ranks(), ranks));
}

void Job::run(std::string_view backend, Rank ranks,
              const std::function<void(Communicator&)>& body) {
  check(backend, ranks);
  if (backend == "mpi")
    run_mpi(*state_->mpi, body);
  else
    on_threads(ranks, body);
}

}  // namespace arlab
