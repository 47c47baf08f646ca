#include "bench/measure/job.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <exception>
#include <string_view>
#include <thread>
#include <vector>

#include "algorithms/base/error.hpp"
#include "bench/config/launcher.hpp"
#include "bench/text/say.hpp"
#include "collectives/host/gatherv.hpp"

namespace arlab::bench {

using collectives::Backend;
using collectives::Placement;

namespace {

// FNV-1a, reduced to what a double holds exactly.
double hash_of(std::string_view text) {
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  return static_cast<double>(hash >> 12);
}

}  // namespace

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

void Job::expect_same(const std::string& plan, const std::string& command) const {
  if (ranks() < 2) return;
  collectives::Communicator& world = job_.world();
  const double mine = hash_of(plan);
  const double of_root = world.max(world.rank() == 0 ? mine : -1);
  const bool differs = mine != of_root;
  const auto rank = static_cast<double>(world.rank());
  const double first = -world.max(differs ? -rank : -static_cast<double>(ranks()));
  if (first >= ranks()) return;
  const std::vector<std::string> commands = collectives::gather(world, command);
  const auto other = static_cast<std::size_t>(first);
  fail(Blame::usage,
       is_root()
           ? fmt::format("rank {} is to do something else than rank 0: `{}`, but rank 0 `{}`: "
                         "start all ranks with the same options",
                         other, commands[other], commands[0])
           : std::string("the ranks are to do different things: start all with the same "
                         "options"));
}

void Job::agree(const std::function<std::string()>& plan, const std::string& command) {
  std::exception_ptr failure;
  std::string text;
  try {
    text = plan();
  } catch (const Error& error) {
    if (!passes_on_) throw;
    failure = std::current_exception();
    text = error.what();
  }
  try {
    expect_same(text, command);
  } catch (const Error&) {
    if (!failure) throw;
    std::rethrow_exception(failure);
  }
  fails_alike_ = failure != nullptr;
  if (failure) std::rethrow_exception(failure);
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
           fmt::format("backend {} needs a job: start the program with `mpirun -n {}`",
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

namespace {

// Rank 0 is first: if the others fail alike, it ends them before they repeat the message.
[[noreturn]] void end_ranks(Job& job, const std::exception& e) {
  const auto* known = dynamic_cast<const Error*>(&e);
  if (!job.is_root() && known && known->blame() != Blame::check)
    std::this_thread::sleep_for(std::chrono::seconds(1));
  say("error: {}{}\n", job.is_root() ? std::string() : fmt::format("rank {}: ", job.rank()),
      Message{e.what()});
  job.leave(known ? static_cast<int>(known->blame()) : 3);
}

}  // namespace

int in_job(const std::function<int(Job&)>& body, const collectives::Patience& patience,
           bool passes_on) {
  std::exception_ptr alike;  // thrown after the job, whose end by an exception ends all ranks
  {
    Job job(patience, passes_on);
    try {
      expect_one_job(job.ranks());
      return body(job);
    } catch (const std::exception& e) {
      if (job.ranks() == 0) throw;
      alike = job.fails_alike() ? std::current_exception() : nullptr;
      if (!alike) end_ranks(job, e);
    }
  }
  std::rethrow_exception(alike);
}

}  // namespace arlab::bench
