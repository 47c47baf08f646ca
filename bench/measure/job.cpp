#include "bench/measure/job.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <exception>
#include <string_view>
#include <vector>

#include "algorithms/base/error.hpp"

namespace arlab::bench {

using collectives::Backend;
using collectives::Placement;

bool is_root_by_environment() {
  for (const char* variable : {"OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK", "SLURM_PROCID"})
    if (const char* rank = std::getenv(variable)) return std::string_view(rank) == "0";
  return true;
}

std::string backend_names(const std::function<bool(const Backend&)>& use,
                          std::string_view conjunction) {
  std::vector<std::string_view> names;
  for (const Backend& b : collectives::backends())
    if (use(b)) names.push_back(b.name);
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i)
    text += fmt::format("{}{}",
                        i == 0                  ? std::string_view()
                        : i + 1 == names.size() ? conjunction
                                                : std::string_view(", "),
                        names[i]);
  return text;
}

const Backend& Job::backend(const std::string& name) const {
  return name.empty() ? collectives::default_backend(job_) : collectives::find_backend(name);
}

std::shared_ptr<const Groups> Job::groups() const {
  return ranks() > 0 ? collectives::groups_by_machine(job_.world()) : nullptr;
}

Rank Job::default_ranks(const Backend& backend) const {
  constexpr Rank kRanks = 4;
  if (ranks() > 0 && backend.joins_job) return ranks();
  if (backend.rank_per_device && backend.unavailable_reason().empty()) return backend.max_ranks();
  return kRanks;
}

void Job::check(const Backend& backend, Rank ranks) const {
  if (const std::string why = backend.unavailable_reason(); !why.empty())
    fail(Blame::environment, fmt::format("backend {} is off: {}", backend.name, why));
  if (placement(backend) == Placement::processes) {
    if (this->ranks() == 0)
      fail(Blame::usage,
           fmt::format("backend {} needs a job: start it as `mpirun -n {} arlab run ...`",
                       backend.name, ranks));
    if (ranks != this->ranks())
      fail(Blame::usage,
           fmt::format(
               "ranks is {}, but the MPI job has {}: leave out -p, or start it with mpirun -n {}",
               ranks, this->ranks(), ranks));
    return;
  }
  if (this->ranks() > 1)
    fail(Blame::usage,
         fmt::format("backend {} in each of {} MPI processes: run it without mpirun, "
                     "or use --backend {}",
                     backend.name, this->ranks(), backend_names([&](const Backend& b) {
                       return b.joins_job && !b.devices == !backend.devices;
                     })));
  const Rank max = backend.max_ranks();
  if (ranks <= max) return;
  if (backend.rank_per_device)
    fail(Blame::usage,
         fmt::format(
             "ranks is {}, but backend {} has one GPU per rank and sees {}: use at most {}, "
             "or --backend {}, whose ranks share GPUs",
             ranks, backend.name, max, max,
             backend_names([](const Backend& b) { return b.placement == Placement::colocated; })));
  fail(Blame::usage, fmt::format("ranks is {}, but backend {} has at most {}: use fewer, or mpirun",
                                 ranks, backend.name, max));
}

void Job::run(const Backend& backend, const collectives::RunOptions& options,
              const Backend::Body& body) {
  check(backend, options.ranks);
  backend.run(job_, options, body);
}

int in_job(const std::function<int(Job&)>& body, const collectives::Patience& patience) {
  Job job(patience);
  try {
    return body(job);
  } catch (const std::exception& e) {
    if (job.ranks() < 2) throw;
    const auto* known = dynamic_cast<const Error*>(&e);
    if (job.is_root() || !known || known->blame() != Blame::usage)
      fmt::print(stderr, "error: {}\n", e.what());
    job.leave(known ? static_cast<int>(known->blame()) : 3);
  }
}

}  // namespace arlab::bench
