#include "training/emulation/backend.hpp"

#include <utility>

#include "collectives/host/host_executor.hpp"
#include "training/emulation/emulated_ranks.hpp"

namespace arlab::training {

collectives::Backend emulated_backend(RunEmulated run) {
  return {.name = "virtual",
          .summary = "threads in simulated time, on a simulated network",
          .placement = collectives::Placement::emulated,
          .unavailable_reason = [] { return std::string(); },
          .note = [] { return std::string(); },
          .max_ranks = [] { return kMaxEmulatedRanks; },
          .run =
              [run = std::move(run)](collectives::Job&, const collectives::RunOptions& options,
                                     const collectives::Backend::Body& body) {
                run(options.ranks, [&](collectives::Communicator& communicator) {
                  collectives::HostExecutor executor(communicator);
                  body(executor);
                });
              }};
}

}  // namespace arlab::training
