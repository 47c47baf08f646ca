#include "bench/measure/binding.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <sstream>

#include "algorithms/base/error.hpp"
#include "algorithms/base/quantities.hpp"
#include "algorithms/groups.hpp"
#include "collectives/host/gatherv.hpp"

namespace arlab::bench {
namespace {

constexpr int kMostProcessors = CPU_SETSIZE;

// Those on which this thread may run.
std::vector<int> allowed_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> all;
  if (sched_getaffinity(0, sizeof set, &set) != 0) return all;
  for (int cpu = 0; cpu < kMostProcessors; ++cpu)
    if (CPU_ISSET(static_cast<std::size_t>(cpu), &set)) all.push_back(cpu);
  return all;
}

// "0-1,4".
std::string ranges_text(const std::vector<int>& processors) {
  std::string text;
  for (std::size_t i = 0; i < processors.size();) {
    std::size_t end = i + 1;
    while (end < processors.size() && processors[end] == processors[end - 1] + 1) ++end;
    text += text.empty() ? "" : ",";
    text += end - i == 1 ? fmt::format("{}", processors[i])
                         : fmt::format("{}-{}", processors[i], processors[end - 1]);
    i = end;
  }
  return text;
}

int parse_processor(const std::string& text) {
  const std::int64_t cpu = parse_count(text, "--backend bind");
  if (cpu < 0 || cpu >= kMostProcessors)
    fail(Blame::usage,
         fmt::format("--backend bind names processor {}: give 0 to {}", cpu, kMostProcessors - 1));
  return static_cast<int>(cpu);
}

}  // namespace

std::vector<int> parse_binding(const std::string& text) {
  if (text == "none") return {};
  if (text == "core") return allowed_processors();
  std::vector<int> all;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t dash = part.find('-');
    const int first = parse_processor(part.substr(0, dash));
    const int last = dash == std::string::npos ? first : parse_processor(part.substr(dash + 1));
    if (last < first)
      fail(Blame::usage,
           fmt::format("--backend bind has {}: give the smaller processor first", part));
    for (int cpu = first; cpu <= last; ++cpu) all.push_back(cpu);
  }
  if (all.empty())
    fail(
        Blame::usage,
        fmt::format("--backend bind is '{}': give core, none or processors such as 0,2,4-7", text));
  return all;
}

void bind_rank(collectives::Executor& executor, const std::vector<int>& processors) {
  if (processors.empty()) return;
  collectives::Communicator& control = executor.control();
  const auto place = static_cast<std::size_t>(Groups(control.machines()).place_of(control.rank()));
  const int cpu = processors[place % processors.size()];
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(cpu), &set);
  if (sched_setaffinity(0, sizeof set, &set) != 0)
    fail(Blame::environment,
         fmt::format("cannot bind rank {} to processor {} ({}): this process may use {}",
                     control.rank(), cpu, std::strerror(errno), ranges_text(allowed_processors())));
}

std::string binding_of_all(collectives::Executor& executor) {
  const std::vector<std::string> all =
      collectives::gather(executor.control(), ranges_text(allowed_processors()));
  if (all.size() > 1 && std::equal(all.begin() + 1, all.end(), all.begin()))
    return fmt::format("{} x{}", all.front(), all.size());
  return fmt::format("{}", fmt::join(all, "|"));
}

}  // namespace arlab::bench
