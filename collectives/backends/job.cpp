#include "collectives/backends/job.hpp"

#include <cstdlib>

#include "algorithms/base/error.hpp"
#ifdef ARLAB_HAS_MPI
#include "collectives/mpi/mpi.hpp"
#endif

namespace arlab::collectives {

#ifdef ARLAB_HAS_MPI

std::string why_no_mpi() { return ""; }
std::string mpi_library() { return Mpi::library(); }
void prepare_library_algorithms() { Mpi::prepare_algorithms(); }
void prepare_message_counts() { Mpi::prepare_message_counts(); }

namespace {

std::unique_ptr<Mpi>& kept_mpi() {
  static std::unique_ptr<Mpi> kept;
  return kept;
}

std::unique_ptr<Mpi> mpi_of_job(const Patience& patience) {
  if (!Mpi::launched()) return nullptr;
  return Mpi::runs() ? Mpi::join(patience) : std::make_unique<Mpi>(patience);
}

}  // namespace

void keep_mpi() {
  if (Mpi::launched() && !Mpi::runs()) kept_mpi() = std::make_unique<Mpi>();
}
void end_mpi() { kept_mpi().reset(); }

struct Job::State {
  explicit State(const Patience& patience) : mpi(mpi_of_job(patience)) {}
  std::unique_ptr<Mpi> mpi;
};

Rank Job::ranks() const { return state_->mpi ? state_->mpi->world().ranks() : 0; }

Communicator& Job::world() const {
  if (!state_->mpi) fail(Blame::usage, "this process is not part of an MPI job: use mpirun");
  return state_->mpi->world();
}

void Job::on_first(Rank ranks, const std::function<void()>& body) {
  if (ranks >= this->ranks()) return body();
  state_->mpi->on_first(ranks, body);
}

Rank Job::local_rank() const { return state_->mpi ? state_->mpi->local_rank() : 0; }

void Job::end(int code) {
  if (state_->mpi) state_->mpi->abort(code);
  std::exit(code);
}

#else

std::string why_no_mpi() {
  return "built without MPI: apt install libopenmpi-dev (or libmpich-dev), then configure again";
}
std::string mpi_library() { return ""; }
void prepare_library_algorithms() {}
void prepare_message_counts() {}
void keep_mpi() {}
void end_mpi() {}

struct Job::State {
  explicit State(const Patience&) {}
};

Rank Job::ranks() const { return 0; }
Communicator& Job::world() const { fail(Blame::environment, why_no_mpi()); }
void Job::on_first(Rank, const std::function<void()>& body) { body(); }
Rank Job::local_rank() const { return 0; }
void Job::end(int code) { std::exit(code); }

#endif

Job::Job(const Patience& patience) : state_(std::make_unique<State>(patience)) {}
Job::~Job() = default;

}  // namespace arlab::collectives
