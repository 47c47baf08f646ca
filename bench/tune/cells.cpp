#include "bench/tune/cells.hpp"

#include <fmt/format.h>

#include <fstream>
#include <map>
#include <sstream>
#include <tuple>

#include "algorithms/base/error.hpp"
#include "bench/cli/say.hpp"
#include "bench/identify/match.hpp"
#include "bench/results/result_file.hpp"
#include "collectives/backends/backend.hpp"

namespace arlab::bench {
namespace {

using SampleKey =
    std::tuple<std::string, int, Rank, Count>;  // algorithm, segments, ranks, elements
using SamplesByKey = std::map<SampleKey, std::vector<double>>;

SampleKey key_of(const Json& json) {
  return {json["algorithm"].get<std::string>(), json["segments"].get<int>(),
          json["ranks"].get<Rank>(), json["elements"].get<Count>()};
}

// The time of each run, which the lines of all its ranks repeat.
SamplesByKey read_samples(const std::string& path) {
  SamplesByKey all;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    const Json json = Json::parse(line, nullptr, false);
    if (json.is_discarded())
      fail(Blame::environment,
           fmt::format("the samples in {} are damaged: free space there", path));
    if (json["rank"].is_null() || json["rank"] == 0)
      all[key_of(json)].push_back(json["time_us"].get<double>());
  }
  return all;
}

// "MPI_Allreduce:ring" is native:ring.
TunedChoice choice_of(const Json& record) {
  TunedChoice choice{record["algorithm"].get<std::string>(), record["segments"].get<int>()};
  if (record["family"] != "native") return choice;
  const std::size_t colon = choice.algorithm.find(':');
  choice.algorithm =
      colon == std::string::npos ? "native" : "native" + choice.algorithm.substr(colon);
  return choice;
}

class CellBuilder {
 public:
  void add(const Json& record, const SamplesByKey& samples) {
    if (!record["skipped"].is_null() || record["time_us"].is_null()) return;
    if (record["wrong"].is_number() && record["wrong"] > 0)
      fail(Blame::check, fmt::format("{} gives wrong results: see `arlab verify`",
                                     record["algorithm"].get<std::string>()));
    TuneCell& cell = cell_of(record);
    TuneCandidate candidate{choice_of(record), record["time_us"]["median"].get<double>()};
    const LibraryProblem problem{cell.ranks, cell.elements,
                                 cell.bytes / std::max<Count>(1, cell.elements), 0};
    constexpr std::string_view kOwn = "native:";
    if (candidate.choice.algorithm.starts_with(kOwn) &&
        !fallback_of(candidate.choice.algorithm.substr(kOwn.size()), problem).empty())
      return;
    if (const auto found = samples.find(key_of(record)); found != samples.end())
      candidate.samples_us = found->second;
    cell.candidates.push_back(std::move(candidate));
  }
  std::vector<TuneCell> cells() {
    std::vector<TuneCell> all;
    for (auto& [place, cell] : cells_) all.push_back(std::move(cell));
    return all;
  }

 private:
  TuneCell& cell_of(const Json& record) {
    const auto ranks = record["ranks"].get<Rank>();
    const auto bytes = record["bytes"].get<Bytes>();
    TuneCell& cell = cells_[{ranks, bytes}];
    cell.ranks = ranks;
    cell.bytes = bytes;
    cell.elements = record["elements"].get<Count>();
    return cell;
  }
  std::map<std::pair<Rank, Bytes>, TuneCell> cells_;
};

std::vector<std::string> words_of(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

void add_option(std::vector<std::string>& words, const char* name,
                const std::vector<std::string>& values) {
  if (values.empty()) return;
  words.emplace_back(name);
  words.push_back(fmt::format("{}", fmt::join(values, ",")));
}

void run_or_fail(const std::vector<std::string>& words) {
  if (const int code = run_child(words); code != 0)
    fail(code == 1 ? Blame::check : Blame::environment,
         fmt::format("`{}` ended with status {}: its message is above", fmt::join(words, " "),
                     code));
}

const collectives::Backend& backend_of(const TuneOptions& options) {
  if (!options.backend.empty()) return collectives::find_backend(options.backend);
  for (const collectives::Backend& backend : collectives::backends())
    if (backend.default_in_job) return backend;
  fail(Blame::environment, "this build has no backend for MPI jobs: give --backend");
}

std::vector<std::string> candidate_words(const TuneOptions& options, const char* command) {
  std::vector<std::string> words{command};
  words.insert(words.end(), options.sweep.positional.begin(), options.sweep.positional.end());
  for (const std::string& name : options.sweep.algorithms) {
    words.emplace_back("-a");
    words.push_back(name);
  }
  add_option(words, "--segments", options.sweep.segments);
  const std::vector<std::string> problem = problem_words(options);
  words.insert(words.end(), problem.begin(), problem.end());
  return words;
}

}  // namespace

bool uses_launcher(const TuneOptions& options) {
  return !options.simulated && backend_of(options).joins_job;
}

std::vector<std::string> on_ranks(const TuneOptions& options, Rank ranks,
                                  const std::vector<std::string>& arguments) {
  std::vector<std::string> words;
  bool placed = false;
  for (std::string word : words_of(options.launcher)) {
    if (const std::size_t at = word.find("{}"); at != std::string::npos) {
      word.replace(at, 2, fmt::to_string(ranks));
      placed = true;
    }
    words.push_back(std::move(word));
  }
  if (!placed)
    fail(Blame::usage,
         fmt::format("--launcher is '{}': write {{}} where the number of ranks belongs, as in "
                     "'mpirun -n {{}}'",
                     options.launcher));
  words.push_back(own_program());
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

std::vector<std::string> problem_words(const TuneOptions& options) {
  std::vector<std::string> words;
  add_option(words, "-s", options.sweep.sizes);
  add_option(words, "-n", options.sweep.elements);
  add_option(words, "-t", options.sweep.dtypes);
  add_option(words, "--op", options.sweep.ops);
  return words;
}

std::vector<TuneCell> tune_cells(const TuneOptions& options, const TemporaryFolder& folder) {
  CellBuilder builder;
  const auto add_file = [&](const std::string& path, const SamplesByKey& samples) {
    for (const Json& record : read_results(path).records) builder.add(record, samples);
  };
  if (options.simulated) {
    std::vector<std::string> words = candidate_words(options, "simulate");
    words.insert(words.begin(), own_program());
    add_option(words, "-p", options.sweep.ranks);
    for (std::string& word : words_of(options.network)) words.push_back(std::move(word));
    const std::string file = folder.file("simulated.jsonl");
    add_option(words, "--json", {file});
    run_or_fail(words);
    add_file(file, {});
    return builder.cells();
  }
  for (const Rank ranks : options.sweep.parsed_ranks()) {
    const std::string file = folder.file(fmt::format("run-{}.jsonl", ranks));
    const std::string samples = folder.file(fmt::format("samples-{}.jsonl", ranks));
    std::vector<std::string> words = candidate_words(options, "run");
    for (const std::string& word :
         {std::string("--runs"), fmt::to_string(options.runs), std::string("--seed"),
          std::string("1"), std::string("--json"), file, std::string("--samples"), samples})
      words.push_back(word);
    if (!options.backend.empty()) add_option(words, "-b", {options.backend});
    say("measuring on {} ranks\n", ranks);
    if (uses_launcher(options)) {
      run_or_fail(on_ranks(options, ranks, words));
    } else {
      add_option(words, "-p", {fmt::to_string(ranks)});
      words.insert(words.begin(), own_program());
      run_or_fail(words);
    }
    add_file(file, read_samples(samples));
  }
  return builder.cells();
}

}  // namespace arlab::bench
