#include "collectives/nccl/library_choice.hpp"

#include <cstdlib>
#include <string_view>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "algorithms/base/parameters.hpp"
#include "algorithms/base/text.hpp"

namespace arlab::collectives {
namespace {

constexpr int kKeepsToChoices = 22400;

struct Name {
  std::string_view name;
};
// NCCL's names in lower case; it reads either. Its PAT has no allreduce.
constexpr Name kAlgorithms[] = {{"ring"},     {"tree"},          {"nvls"},
                                {"nvlstree"}, {"collnetdirect"}, {"collnetchain"}};
constexpr Name kProtocols[] = {{"ll"}, {"ll128"}, {"simple"}};

std::optional<std::string> variable(const char* name) {
  const char* const value = std::getenv(name);
  return value ? std::optional<std::string>(value) : std::nullopt;
}

}  // namespace

std::vector<std::string> nccl_algorithms(int version) {
  if (version < kKeepsToChoices)
    fail(Blame::environment,
         concat("NCCL ", version / 10000, ".", version / 100 % 100,
                " may run another algorithm than it is given: use NCCL 2.24 or newer"));
  std::vector<std::string> names;
  for (const Name& algorithm : kAlgorithms) names.emplace_back(algorithm.name);
  return names;
}

NcclChoice parse_nccl_choice(const std::string& spec) {
  const NamedSettings parts = parse_spec(spec);
  NcclChoice choice;
  choice.algorithm = find_named(kAlgorithms, parts.name, "algorithm of NCCL").name;
  for (const Setting& setting : parts.settings) {
    if (setting.name != "proto")
      fail(Blame::usage, concat("NCCL's ", parts.name, " has no setting '", setting.name,
                                "': use proto=ll, ll128 or simple"));
    choice.protocol = find_named(kProtocols, setting.value, "protocol of NCCL").name;
  }
  return choice;
}

ChoiceInEnvironment::ChoiceInEnvironment()
    : before_{{{"NCCL_ALGO", variable("NCCL_ALGO")}, {"NCCL_PROTO", variable("NCCL_PROTO")}}} {}

void ChoiceInEnvironment::set(const NcclChoice& choice) {
  // Other collectives keep all algorithms.
  setenv("NCCL_ALGO", ("allreduce:" + choice.algorithm).c_str(), 1);
  if (choice.protocol.empty())
    unsetenv("NCCL_PROTO");
  else
    setenv("NCCL_PROTO", ("allreduce:" + choice.protocol).c_str(), 1);
}

void ChoiceInEnvironment::restore() {
  for (const auto& [name, value] : before_)
    if (value)
      setenv(name, value->c_str(), 1);
    else
      unsetenv(name);
}

}  // namespace arlab::collectives
