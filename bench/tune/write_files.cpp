#include "bench/tune/write_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <utility>

#include "algorithms/algorithm.hpp"
#include "algorithms/base/error.hpp"
#include "bench/formats/rules/library_files.hpp"
#include "bench/text/read_file.hpp"
#include "bench/text/write_file.hpp"
#include "collectives/backends/job.hpp"
#include "collectives/plugins/nccl/names.hpp"

namespace arlab::bench {
namespace {

// Algorithms of the catalog that send the same messages as Open MPI's.
constexpr std::pair<std::string_view, std::string_view> kSameMessages[] = {
    {"master_worker", "native:basic_linear"},
    {"butterfly", "native:recursive_doubling"},
    {"ring", "native:ring"},
    {"rabenseifner", "native:rabenseifner"}};

const std::string_view* library_name(const TunedChoice& choice) {
  for (const auto& [ours, of_library] : kSameMessages)
    if (choice.algorithm == ours && choice.segments == 1) return &of_library;
  return nullptr;
}

bool is_of_library(const TunedChoice& choice) { return choice.algorithm.starts_with("native"); }

// The names of those that are of a kind.
std::vector<std::string> candidates(const std::vector<TuneCell>& cells,
                                    const std::function<bool(const TunedChoice&)>& of_kind) {
  std::set<std::string> names;
  for (const TuneCell& cell : cells)
    for (const TuneCandidate& candidate : cell.candidates)
      if (of_kind(candidate.choice)) names.insert(candidate.choice.algorithm);
  return {names.begin(), names.end()};
}

// Per number of ranks. NCCL asks with as many nodes as its communicator has: a line for one ring in
// one node must not hold for rings across nodes.
std::vector<TunedRanks> tuned_ranks(const std::vector<TuneCell>& cells,
                                    const std::vector<std::optional<TuneDecision>>& decisions) {
  std::map<Count, TunedRanks> tuned;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (!decisions[i]) continue;
    const TuneCell& cell = cells[i];
    const auto [at, is_new] =
        tuned.try_emplace(cell.ranks, TunedRanks{cell.ranks, cell.nodes, cell.bytes, cell.bytes});
    at->second.first = std::min<Count>(at->second.first, cell.bytes);
    at->second.last = std::max<Count>(at->second.last, cell.bytes);
  }
  std::vector<TunedRanks> all;
  for (const auto& [ranks, one] : tuned) all.push_back(one);
  return all;
}

void write_nccl_file(const TuneFiles& files, const std::vector<TuneCell>& cells,
                     const std::string& made_by) {
  const auto known = [](const TunedChoice& c) {
    return !collectives::nccl_name(c.algorithm).empty();
  };
  const auto decisions = decide(cells, "", known);
  if (std::none_of(decisions.begin(), decisions.end(), [](const auto& d) { return d.has_value(); }))
    fail(Blame::usage, fmt::format("--nccl needs an algorithm that NCCL has, not {}: name ring, "
                                   "ring:channels=8, nccl_tree or double_tree, too",
                                   fmt::join(unknown_to_nccl(cells), ", ")));
  write_file(files.nccl, nccl_tuner_csv(table_of(cells, decisions, Outside::nearest, made_by),
                                        tuned_ranks(cells, decisions), files.nccl_channels,
                                        files.nccl_protocol));
}

}  // namespace

void check_files(const TuneFiles& files) {
  if (!files.mpich.empty() && files.mpich_base.empty())
    fail(Blame::usage,
         "--mpich needs base, as in out.json:base=shipped.json: MPICH reads all collectives from "
         "the "
         "file, so give the selection file that it ships");
  if (!files.nccl.empty() && files.nccl_channels == 0)
    fail(
        Blame::usage,
        "--nccl needs channels, as in out.csv:channels=8: the tuner plugin uses one channel unless "
        "a line says how many");
  if (files.mpich.empty() && !files.mpich_base.empty())
    fail(Blame::usage, fmt::format("--mpich base={} has no file: write out.json:base={}",
                                   files.mpich_base, files.mpich_base));
  if (files.nccl.empty() && files.nccl_channels != 0)
    fail(Blame::usage, fmt::format("--nccl channels={} has no file: write out.csv:channels={}",
                                   files.nccl_channels, files.nccl_channels));
  check_nccl_protocol(files.nccl_protocol);
  const std::string* const all[] = {&files.table, &files.open_mpi, &files.mpich, &files.nccl};
  for (const std::string* path : all) {
    if (path->empty()) continue;
    if (*path == "-") fail(Blame::usage, "tune writes its tables to stdout: name a file, not -");
    for (const std::string* other : all)
      if (other != path && !other->empty() && same_file(*path, *other))
        fail(Blame::usage, fmt::format("{} is given for two files: name a file for each", *path));
    check_writable(*path);
  }
  if (!files.open_mpi.empty()) version_of(files);
}

OpenMpiVersion version_of(const TuneFiles& files) {
  if (files.version) return *files.version;
  const std::string library = collectives::mpi_library();
  if (const auto version = open_mpi_version(library)) return *version;
  fail(
      Blame::usage,
      fmt::format("the MPI library is {}, not Open MPI: say which release the rules are for, as in "
                  "--open-mpi version=4.1.4",
                  library.empty() ? "missing" : library));
}

bool known_to_runs(const TunedChoice& choice) {
  const std::string_view name =
      std::string_view(choice.algorithm).substr(0, choice.algorithm.find(':'));
  if (std::ranges::find(algorithms(), name, &Algorithm::name) == algorithms().end())
    return true;  // the library's, or one in Python
  const Algorithm& algorithm = find_algorithm(choice.algorithm);
  return !algorithm.forested && !algorithm.gridded && !algorithm.in_network;
}

std::vector<std::optional<TuneDecision>> decide_for_library(const std::vector<TuneCell>& cells,
                                                            bool simulated) {
  if (!simulated) return decide(cells, "native", is_of_library);
  auto decisions =
      decide(cells, "", [](const TunedChoice& c) { return library_name(c) != nullptr; });
  for (auto& decision : decisions)
    if (decision) {
      decision->best.choice.algorithm = *library_name(decision->best.choice);
      decision->fastest = decision->best;
    }
  return decisions;
}

void write_library_files(const TuneFiles& files, const std::vector<TuneCell>& cells,
                         const TuningTable& of_library, const std::string& made_by) {
  if (!files.open_mpi.empty())
    write_file(files.open_mpi, open_mpi_rules(of_library, version_of(files)));
  if (!files.mpich.empty())
    write_file(
        files.mpich,
        mpich_selection(of_library, read_file(files.mpich_base, "give the file that MPICH ships"),
                        files.mpich_base));
  if (!files.nccl.empty()) write_nccl_file(files, cells, made_by);
}

std::vector<std::string> unknown_to_nccl(const std::vector<TuneCell>& cells) {
  return candidates(cells, [](const TunedChoice& c) {
    return !is_of_library(c) && collectives::nccl_name(c.algorithm).empty();
  });
}

std::vector<std::string> unknown_to_runs(const std::vector<TuneCell>& cells) {
  return candidates(cells, [](const TunedChoice& c) { return !known_to_runs(c); });
}

}  // namespace arlab::bench
