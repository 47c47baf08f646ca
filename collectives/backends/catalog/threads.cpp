// threads: every rank is a thread of this process.
#include "collectives/threads/threads.hpp"

#include "collectives/backends/backend.hpp"
#include "collectives/backends/gloo.hpp"
#include "collectives/host/host_executor.hpp"
#include "collectives/start_thread.hpp"

namespace arlab::collectives::backend_catalog {
namespace {

std::string no_note() { return ""; }
Rank max_ranks() { return kMaxThreadRanks; }

void run(Job&, const RunOptions& options, const Backend::Body& body) {
  on_threads(
      options.ranks,
      [&](Communicator& communicator) {
        HostExecutor executor(communicator, connect_gloo(options.patience));
        body(executor);
      },
      options.patience);
}

}  // namespace

Backend threads() {
  return {.name = "threads",
          .summary = "every rank is a thread of this process; needs no other software",
          .placement = Placement::threads,
          .default_alone = true,
          .unavailable_reason = no_threads_reason,
          .note = no_note,
          .max_ranks = max_ranks,
          .run = run};
}

}  // namespace arlab::collectives::backend_catalog
