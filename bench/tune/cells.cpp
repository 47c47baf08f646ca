#include "bench/tune/cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <map>
#include <tuple>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "bench/results/result_file.hpp"
#include "bench/run/child.hpp"
#include "bench/run/launches.hpp"
#include "bench/text/say.hpp"
#include "bench/text/words.hpp"
#include "bench/tune/match.hpp"
#include "collectives/backends/backend.hpp"

namespace arlab::bench {
namespace {

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

void add_option(std::vector<std::string>& words, const char* name,
                const std::vector<std::string>& values) {
  if (values.empty()) return;
  words.emplace_back(name);
  words.push_back(fmt::format("{}", fmt::join(values, ",")));
}

void run_or_fail(const std::vector<std::string>& words) {
  if (const int code = run_child(words); code != 0)
    fail(code == 1 ? Blame::check : Blame::environment,
         fmt::format("`{}` ended with status {}: its message is above",
                     fmt::join(without_options(words, {"--json", "--raw"}), " "), code));
}

const collectives::Backend& backend_of(const TuneOptions& options) {
  if (!options.backend.empty()) return collectives::find_backend(options.backend);
  for (const collectives::Backend& backend : collectives::backends())
    if (backend.default_in_job) return backend;
  fail(Blame::environment, "this build has no backend for MPI jobs: give --backend");
}

std::vector<std::string> candidate_words(const TuneOptions& options, const char* command,
                                         const JobSpec& job) {
  std::vector<std::string> words{command};
  words.insert(words.end(), job.names.begin(), job.names.end());
  add_option(words, "--segments", job.segments);
  add_option(words, "-n", {fmt::format("{}", fmt::join(job.elements, ","))});
  add_option(words, "-t", options.sweep.dtypes);
  add_option(words, "--op", options.sweep.ops);
  return words;
}

void measure_job(const TuneOptions& options, Rank ranks, const JobSpec& job,
                 const std::vector<std::string>& more, const TemporaryFolder& folder,
                 CellBuilder& builder) {
  if (job.elements.empty()) return;
  const std::string file = folder.file("run.jsonl"), samples = folder.file("samples.jsonl");
  std::vector<std::string> words = candidate_words(options, "run", job);
  for (std::string& word : measure_words(options)) words.push_back(std::move(word));
  words.insert(words.end(), more.begin(), more.end());
  for (const auto& [name, value] :
       {std::pair("--seed", std::string("1")), {"--json", file}, {"--raw", samples}})
    add_option(words, name, {value});
  if (!options.backend.empty()) add_option(words, "-b", {options.backend});
  if (uses_launcher(options)) {
    run_or_fail(on_ranks(options, ranks, words));
  } else {
    add_option(words, "-p", {fmt::to_string(ranks)});
    words.insert(words.begin(), own_program());
    run_or_fail(words);
  }
  const SamplesByKey times = read_samples(samples);
  for (const Json& record : read_results(file).records) builder.add(record, times);
  std::filesystem::remove(file);  // the next job writes new ones
  std::filesystem::remove(samples);
}

// All candidates in all sizes.
JobSpec whole_sweep(const TuneOptions& options) {
  return {options.sweep.algorithms, options.sweep.segments,
          options.sweep.parsed_elements(options.sweep.parsed_dtypes().front())};
}

void simulate_into(const TuneOptions& options, const JobSpec& job, const TemporaryFolder& folder,
                   CellBuilder& builder) {
  std::vector<std::string> words = candidate_words(options, "simulate", job);
  words.insert(words.begin(), own_program());
  add_option(words, "-p", options.sweep.ranks);
  if (options.network.starts_with("-"))
    for (const std::string_view word : bench::words_of(options.network)) words.emplace_back(word);
  else if (!options.network.empty())
    add_option(words, "--network", {options.network});
  const std::string file = folder.file("simulated.jsonl");
  add_option(words, "--json", {file});
  run_or_fail(words);
  for (const Json& record : read_results(file).records) builder.add(record, {});
}

void expect_same(std::map<std::string, Json>& shared, const Json& record,
                 std::initializer_list<const char*> keys) {
  for (const char* key : keys) {
    const auto found = record.find(key);
    const Json value = found == record.end() ? Json() : *found;
    if (shared.try_emplace(key, value).first->second != value)
      fail(Blame::usage, fmt::format("tune takes one {}: start it once for each", key));
  }
}

}  // namespace

void CellBuilder::add(const Json& record, const SamplesByKey& samples) {
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
  candidate.refits = refitted_time(record);
  if (candidate.refits) candidate.messages = record["messages"].get<Count>();
  cell.candidates.push_back(std::move(candidate));
}

std::vector<TuneCell> CellBuilder::cells() const {
  std::vector<TuneCell> all;
  for (const auto& [place, one] : cells_) all.push_back(one.cell);
  return all;
}

Collective CellBuilder::collective() const {
  const auto found = problem_.find("collective");
  return found == problem_.end()
             ? Collective::allreduce
             : find_named(kCollectives, found->second.get<std::string>(), "collective");
}

TuneCell& CellBuilder::cell_of(const Json& record) {
  const auto ranks = record["ranks"].get<Rank>();
  const auto bytes = record["bytes"].get<Bytes>();
  auto& [cell, network] = cells_[{ranks, bytes}];
  expect_same(problem_, record, {"collective", "root", "dtype", "op"});
  expect_same(network, record, {"topology", "model", "machine", "disturbance"});
  cell.ranks = ranks;
  cell.bytes = bytes;
  cell.elements = record["elements"].get<Count>();
  if (record["groups"].is_number()) cell.nodes = record["groups"].get<Rank>();
  return cell;
}

bool uses_launcher(const TuneOptions& options) {
  return !options.simulated() && backend_of(options).joins_job;
}

std::vector<std::string> on_ranks(const TuneOptions& options, Rank ranks,
                                  const std::vector<std::string>& arguments) {
  std::vector<std::string> words = launcher_words(options.launcher, ranks);
  words.push_back(own_program());
  words.insert(words.end(), arguments.begin(), arguments.end());
  return words;
}

std::vector<std::string> measure_words(const TuneOptions& options) {
  std::vector<std::string> words{"--runs", fmt::to_string(options.runs)};
  if (!options.mode.empty()) add_option(words, "--mode", {options.mode});
  if (!options.place.empty()) add_option(words, "--buffers", {options.place});
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

// Long runs are streamed in pairs: what a barrier adds to them is little, and twenty would take
// minutes.
void measure_into(const TuneOptions& options, Rank ranks, const JobSpec& job,
                  const TemporaryFolder& folder, CellBuilder& builder) {
  constexpr Count kLong = 1 << 20;  // bytes
  if (options.mode != "streaming") return measure_job(options, ranks, job, {}, folder, builder);
  JobSpec brief = job, longer = job;
  const auto width =
      static_cast<Count>(collectives::size_of(options.sweep.parsed_dtypes().front()));
  std::erase_if(brief.elements, [&](Count elements) { return elements * width >= kLong; });
  std::erase_if(longer.elements, [&](Count elements) { return elements * width < kLong; });
  measure_job(options, ranks, brief, {}, folder, builder);
  measure_job(options, ranks, longer, {"--mode", "repeats=2"}, folder, builder);
}

std::vector<TuneCell> tune_cells(const TuneOptions& options, const TemporaryFolder& folder) {
  CellBuilder builder;
  const JobSpec all = whole_sweep(options);
  if (options.simulated()) {
    simulate_into(options, all, folder, builder);
    return builder.cells();
  }
  for (const Rank ranks : options.sweep.parsed_ranks()) {
    say("measuring on {} ranks\n", ranks);
    measure_into(options, ranks, all, folder, builder);
  }
  return builder.cells();
}

}  // namespace arlab::bench
