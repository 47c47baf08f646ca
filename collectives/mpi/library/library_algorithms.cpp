#include "collectives/mpi/library/library_algorithms.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <limits>
#include <string_view>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "algorithms/base/parameters.hpp"
#include "algorithms/base/quantities.hpp"
#include "algorithms/base/text.hpp"

namespace arlab::collectives {
namespace {

constexpr const char* kDynamicRules = "coll_tuned_use_dynamic_rules";
constexpr const char* kMpichAlgorithm = "MPIR_CVAR_ALLREDUCE_INTRA_ALGORITHM";

// MPICH describes its values in the order of their numbers: "auto - Internal ...", "ring - Force
// ring algorithm". MPICH 4.0 leaves out the line breaks: the word "algorithm" then stands before a
// name.
std::vector<std::string> described_values(const std::string& description) {
  constexpr std::string_view kDash = " - ", kBefore = "algorithm";
  const auto is_word = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  std::vector<std::string> names;
  for (std::size_t dash = description.find(kDash); dash != std::string::npos;
       dash = description.find(kDash, dash + 1)) {
    std::size_t end = dash + 1;
    while (end > 0 && description[end - 1] == ' ') --end;
    std::size_t begin = end;
    while (begin > 0 && is_word(description[begin - 1])) --begin;
    std::string name = description.substr(begin, end - begin);
    if (name.size() > kBefore.size() && name.starts_with(kBefore)) name.erase(0, kBefore.size());
    if (!name.empty()) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

void LibraryAlgorithms::prepare() {
  setenv("OMPI_MCA_coll_tuned_use_dynamic_rules", "1", 0);
  setenv("MPIR_CVAR_DEVICE_COLLECTIVES", "percoll", 0);  // else the device decides first
  setenv("MPIR_CVAR_COLLECTIVE_FALLBACK", "print", 0);   // else another one runs silently
}

LibraryAlgorithms::LibraryAlgorithms() {
  read_open_mpi();
  if (!algorithm_) read_mpich();
  if (!algorithm_)
    why_none_ =
        "the MPI library names no algorithms of its allreduce: use Open MPI (with coll_tuned) or "
        "MPICH 4";
}

LibraryAlgorithms::~LibraryAlgorithms() {
  for (auto& [spec, comm] : duplicates_) MPI_Comm_free(&comm);
}

void LibraryAlgorithms::read_open_mpi() {
  algorithm_ = tools_.control("coll_tuned_allreduce_algorithm");
  if (!algorithm_) return;
  per_communicator_ = true;
  segment_ = tools_.control("coll_tuned_allreduce_algorithm_segmentsize");
  for (const ToolVariables::Value& value : algorithm_->values) {
    if (value.number == 0) {
      undecided_ = value;
    } else {
      algorithms_.push_back(value);
    }
  }
  const auto rules = tools_.control(kDynamicRules);
  if (!rules || tools_.read(*rules) == 0)
    why_none_ = concat("Open MPI ignores a choice of its algorithms while ", kDynamicRules,
                       " is off: start it with `mpirun --mca ", kDynamicRules, " 1`");
}

void LibraryAlgorithms::read_mpich() {
  algorithm_ = tools_.control(kMpichAlgorithm);
  if (!algorithm_) return;
  if (std::getenv(kMpichAlgorithm)) {
    why_none_ =
        concat(kMpichAlgorithm, " is set, which hides the value that lets MPICH decide: unset it");
    return;
  }
  device_ = tools_.control("MPIR_CVAR_ALLREDUCE_DEVICE_COLLECTIVE");
  // The values follow that of "auto", which holds now.
  const std::vector<std::string> names = described_values(algorithm_->description);
  const auto decides = std::find(names.begin(), names.end(), "auto");
  if (decides == names.end()) {
    why_none_ = "this version of MPICH does not describe its algorithms: use MPICH 4";
    return;
  }
  const int now = tools_.read(*algorithm_);
  for (auto name = names.begin(); name != names.end(); ++name) {
    ToolVariables::Value value{now + static_cast<int>(name - decides), *name};
    if (name == decides) {
      undecided_ = std::move(value);
    } else {
      algorithms_.push_back(std::move(value));
    }
  }
}

std::vector<std::string> LibraryAlgorithms::names() const {
  if (!why_none_.empty()) fail(Blame::environment, why_none_);
  std::vector<std::string> all;
  for (const ToolVariables::Value& value : algorithms_) all.push_back(value.name);
  return all;
}

LibraryAlgorithms::Choice LibraryAlgorithms::parse(const std::string& spec) const {
  names();  // throws if there are none
  const NamedSettings parts = parse_spec(spec);
  Choice choice;
  choice.algorithm = find_named(algorithms_, parts.name, "algorithm of the MPI library").number;
  for (const Setting& setting : parts.settings) {
    const std::string what = "segment of " + std::string(parts.name);
    if (setting.name != "segment" || !segment_)
      fail(Blame::usage,
           "the MPI library's " + std::string(parts.name) + " has no setting '" +
               std::string(setting.name) + "'" +
               (segment_ ? ": use segment=BYTES, or leave it out" : ": leave it out"));
    const std::int64_t bytes = parse_count(setting.value, what);
    if (bytes < 0 || bytes > std::numeric_limits<int>::max())
      fail(Blame::usage, what + " is " + std::string(setting.value) + ": give 0 to 2147483647");
    choice.segment_bytes = static_cast<int>(bytes);
  }
  return choice;
}

MPI_Comm LibraryAlgorithms::use(MPI_Comm comm, const std::string& spec) {
  if (spec.empty() && (per_communicator_ || !why_none_.empty())) return comm;
  const Choice choice = spec.empty() ? Choice{undecided_.number} : parse(spec);
  if (!per_communicator_) {
    tools_.write(*algorithm_, choice.algorithm);
    if (device_) tools_.write(*device_, spec.empty() ? 1 : 0);
    return comm;
  }
  return duplicate(comm, spec, choice);
}

MPI_Comm LibraryAlgorithms::duplicate(MPI_Comm comm, const std::string& spec, Choice choice) {
  if (const auto known = duplicates_.find(spec); known != duplicates_.end()) return known->second;
  const int segment_before = segment_ ? tools_.read(*segment_) : 0;
  tools_.write(*algorithm_, choice.algorithm);
  if (segment_) tools_.write(*segment_, choice.segment_bytes);
  MPI_Comm made = MPI_COMM_NULL;
  const int code = MPI_Comm_dup(comm, &made);
  tools_.write(*algorithm_, undecided_.number);
  if (segment_) tools_.write(*segment_, segment_before);
  if (code != MPI_SUCCESS)
    fail(Blame::environment, "MPI failed in MPI_Comm_dup for its algorithm " + spec);
  duplicates_[spec] = made;
  return made;
}

}  // namespace arlab::collectives
