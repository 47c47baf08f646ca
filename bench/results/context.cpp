#include "bench/results/context.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <fstream>
#include <thread>

#include "bench/results/environment.hpp"
#include "bench/results/version.hpp"
#include "collectives/backends/job.hpp"

namespace arlab::bench {
namespace {

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

std::string cpu_name() {
  const std::string cores = fmt::format("{} cores", std::thread::hardware_concurrency());
  std::ifstream in("/proc/cpuinfo");
  for (std::string line; std::getline(in, line);)
    if (line.starts_with("model name") && line.find(": ") != std::string::npos)
      return line.substr(line.find(": ") + 2) + ", " + cores;
  return cores;
}

}  // namespace

std::string utc_now() {
  return fmt::format(
      "{:%Y-%m-%dT%H:%M:%SZ}",
      fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
}

std::string shell_quoted(const std::vector<std::string>& command) {
  constexpr std::string_view kPlain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  std::string all;
  for (const std::string& word : command) {
    if (!all.empty()) all += ' ';
    if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) {
      all += word;
      continue;
    }
    all += '\'';
    for (const char c : word) all += c == '\'' ? std::string("'\\''") : std::string(1, c);
    all += '\'';
  }
  return all;
}

Json context(const std::vector<std::string>& command, const Json& machine) {
  const std::string mpi = collectives::mpi_library(), governor = frequency_governor();
  Json all{{"schema", kSchema},
           {"kind", "context"},
           {"version", kVersion},
           {"commit", kCommit},
           {"date", utc_now()},
           {"host", host_name()},
           {"cpu", cpu_name()},
           {"gpu", nullptr},
           {"compiler", kCompiler},
           {"build", kBuildType},
           {"mpi", mpi.empty() ? Json(nullptr) : Json(mpi)},
           {"nccl", nullptr},
           {"cuda", nullptr},
           {"governor", governor.empty() ? Json(nullptr) : Json(governor)},
           {"environment", relevant_environment()},
           {"launch", launch_id()},
           {"command", shell_quoted(command)}};
  if (!machine.is_null()) all.update(machine);
  return all;
}

}  // namespace arlab::bench
