#include "collectives/mpi/mpi.hpp"

#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <numeric>
#include <string_view>
#include <utility>
#include <vector>

#include "algorithms/base/error.hpp"
#include "algorithms/base/printable.hpp"
#include "collectives/mpi/communicator.hpp"
#include "collectives/mpi/library/check.hpp"
#include "collectives/mpi/library/library_algorithms.hpp"
#include "collectives/mpi/library/message_counter.hpp"
#include "collectives/mpi/subset.hpp"

namespace arlab::collectives {

Mpi::Mpi(Patience patience, std::function<void(const std::string&)> stop, Start start)
    : exceptions_(std::uncaught_exceptions()) {
  int was = 0, provided = 0;
  MPI_Initialized(&was);
  if (was != 0 && start == Start::own)
    fail(Blame::environment, "MPI is already initialized: create one Mpi object only");
  finalizes_ = was == 0;
  watch_ = std::make_unique<Watch>(std::move(patience), std::move(stop));
  const Watch::Blocked blocked(*watch_, "MPI_Init_thread");
  if (finalizes_)
    check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_SERIALIZED, &provided),
              "MPI_Init_thread");
  else
    check_mpi(MPI_Query_thread(&provided), "MPI_Query_thread");
  if (!finalizes_ && provided < MPI_THREAD_SERIALIZED)
    fail(Blame::environment,
         "MPI runs already, but only one thread may call it: initialize it with "
         "MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE");
  watch_->join_job();
  world_ = mpi_communicator(*watch_);
}

std::unique_ptr<Mpi> Mpi::join(Patience patience, std::function<void(const std::string&)> stop) {
  return std::unique_ptr<Mpi>(new Mpi(std::move(patience), std::move(stop), Start::join));
}

Mpi::~Mpi() {
  if (std::uncaught_exceptions() > exceptions_) MPI_Abort(MPI_COMM_WORLD, 3);
  const Watch::Blocked blocked(*watch_, "MPI_Finalize");
  world_.reset();
  if (finalizes_) MPI_Finalize();
}

bool Mpi::launched() {
  for (const char* variable : {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_RANK"})
    if (std::getenv(variable)) return true;
  return false;
}

bool Mpi::runs() {
  int began = 0, ended = 0;
  MPI_Initialized(&began);
  MPI_Finalized(&ended);
  return began != 0 && ended == 0;
}

std::string Mpi::library() {
  char text[MPI_MAX_LIBRARY_VERSION_STRING] = "";
  int length = 0;
  MPI_Get_library_version(text, &length);
  std::string name;
  for (const char c : std::string_view(text, static_cast<std::size_t>(length))) {
    if (c == ',' || c == '\n') break;
    const char plain = c == '\t' ? ' ' : c;
    if (plain != ' ' || !name.ends_with(' ')) name += plain;
  }
  return name;
}

void Mpi::prepare_algorithms() { LibraryAlgorithms::prepare(); }
void Mpi::prepare_message_counts() { MessageCounter::prepare(); }

Communicator& Mpi::world() { return *world_; }

void Mpi::on_first(Rank ranks, const std::function<void()>& body) {
  if (world_->rank() < ranks) {
    std::vector<Rank> members(static_cast<std::size_t>(ranks));
    std::iota(members.begin(), members.end(), 0);
    auto part = subset_of(*world_, members);
    std::swap(world_, part);
    body();  // what it throws ends the job
    std::swap(world_, part);
  }
  meet_at_rest(*world_);
}

// Not by Communicator::machines(): emulated machines share the GPUs of the real one.
Rank Mpi::local_rank() const {
  const Watch::Blocked blocked(*watch_, "MPI_Comm_split_type");
  MPI_Comm machine = MPI_COMM_NULL;
  check_mpi(MPI_Comm_split_type(comm_of(*world_), MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &machine),
            "MPI_Comm_split_type");
  const Rank local = rank_in(machine);
  check_mpi(MPI_Comm_free(&machine), "MPI_Comm_free");
  return local;
}

void Mpi::stop_process(const std::string& text) {
  std::fprintf(stderr, "error: %s\n", printable_message(text).c_str());
  std::fflush(nullptr);
  std::_Exit(static_cast<int>(Blame::environment));
}

void Mpi::abort(int code) {
  MPI_Abort(MPI_COMM_WORLD, code);
  std::abort();  // MPI_Abort does not return
}

}  // namespace arlab::collectives
