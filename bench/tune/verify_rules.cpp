#include "bench/tune/verify_rules.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "algorithms/base/error.hpp"
#include "bench/results/result_file.hpp"
#include "bench/run/child.hpp"
#include "bench/text/say.hpp"
#include "bench/text/table.hpp"
#include "bench/text/units.hpp"
#include "bench/tune/match.hpp"

namespace arlab::bench {
namespace {

using Environment = std::map<std::string, std::string>;

constexpr double kSmallestGain = 0.02;

class RulesVerifier {
 public:
  RulesVerifier(const TuneOptions& options, const std::string& file, const TemporaryFolder& folder)
      : options_(options),
        folder_(folder),
        with_file_{{"OMPI_MCA_coll_tuned_use_dynamic_rules", "1"},
                   {"OMPI_MCA_coll_tuned_dynamic_rules_filename",
                    std::filesystem::absolute(file).string()}} {}

  void identify(Rank ranks, const TuningTable& table, std::vector<RuleCheck>& checks) {
    const std::vector<Json> usual = records(ranks, {"identify"}, {}, "identify-default");
    const std::vector<Json> ruled = records(ranks, {"identify"}, with_file_, "identify-file");
    if (usual.size() != ruled.size())
      fail(Blame::check, "the job with the rules file identified other sizes than the one without");
    for (std::size_t i = 0; i < ruled.size(); ++i) {
      RuleCheck check{.ranks = ranks,
                      .elements = ruled[i]["elements"].get<Count>(),
                      .bytes = ruled[i]["bytes"].get<Bytes>(),
                      .rule = {},
                      .by_default = usual[i]["ran"].get<std::vector<std::string>>(),
                      .with_file = ruled[i]["ran"].get<std::vector<std::string>>(),
                      .verdict = {}};
      const std::string& choice = table.choice(ranks, check.bytes).algorithm;
      if (choice != "native") check.rule = choice.substr(std::string("native:").size());
      check.taken = check.rule.empty() ? check.with_file == check.by_default
                                       : names_spec(check.with_file, name_of_spec(check.rule));
      checks.push_back(std::move(check));
    }
  }

  // Launches take turns, so that a slow phase of the machine affects both.
  void time(Rank ranks, std::vector<RuleCheck>& checks) {
    std::vector<std::string> words{"run", "native"};
    for (std::string& word : measure_words(options_)) words.push_back(std::move(word));
    std::vector<Json> usual, ruled;
    for (int launch = 0; launch < options_.launches; ++launch) {
      for (Json& one : records(ranks, words, {}, fmt::format("time-default-{}", launch)))
        usual.push_back(std::move(one));
      for (Json& one : records(ranks, words, with_file_, fmt::format("time-file-{}", launch)))
        ruled.push_back(std::move(one));
    }
    for (const TimeComparison& c : compare_records(usual, ruled, kSmallestGain).all)
      for (RuleCheck& check : checks)
        if (check.ranks == ranks && check.bytes == c.record["bytes"].get<Bytes>()) {
          check.before_us = c.old_us;
          check.after_us = c.new_us;
          if (!check.rule.empty()) check.verdict = name(c.verdict);  // else nothing was changed
        }
  }

 private:
  std::vector<Json> records(Rank ranks, std::vector<std::string> words,
                            const Environment& environment, const std::string& name) {
    const std::string file = folder_.file(fmt::format("{}-{}.jsonl", name, ranks));
    const std::vector<std::string> problem = problem_words(options_);
    words.insert(words.end(), problem.begin(), problem.end());
    for (const char* word : {"--json", file.c_str()}) words.emplace_back(word);
    const std::vector<std::string> command = on_ranks(options_, ranks, words);
    const int code = run_child(command, environment);
    if (code != 0)
      fail(environment.empty() ? Blame::environment : Blame::check,
           fmt::format("`{}` ended with status {}{}: its message is above", fmt::join(command, " "),
                       code, environment.empty() ? "" : " when Open MPI read the rules file"));
    return read_results(file).records;
  }

  const TuneOptions& options_;
  const TemporaryFolder& folder_;
  Environment with_file_;
};

}  // namespace

std::vector<RuleCheck> verify_rules(const TuneOptions& options, const TuningTable& table,
                                    const std::string& file, bool timed,
                                    const TemporaryFolder& folder) {
  RulesVerifier verifier(options, file, folder);
  std::vector<RuleCheck> checks;
  for (const Rank ranks : options.sweep.parsed_ranks()) {
    say("running the library with {} on {} ranks\n", file, ranks);
    verifier.identify(ranks, table, checks);
    if (timed) verifier.time(ranks, checks);
  }
  return checks;
}

std::string table_of_checks(const std::vector<RuleCheck>& checks) {
  const auto text = [](const std::vector<std::string>& ran) {
    return ran.empty() ? std::string("unknown") : fmt::format("{}", fmt::join(ran, " or "));
  };
  std::vector<std::vector<std::string>> rows;
  for (const RuleCheck& c : checks)
    rows.push_back(
        {fmt::to_string(c.ranks), show_bytes(c.bytes),
         c.rule.empty() ? "the library decides" : c.rule, text(c.by_default), text(c.with_file),
         c.taken ? "yes" : "NO", c.before_us > 0 ? show_time(c.before_us) : "",
         c.after_us > 0 ? show_time(c.after_us) : "",
         c.after_us > 0 ? fmt::format("{:.3f}", c.after_us / c.before_us) : "", c.verdict});
  return compact({"ranks", "size", "rule", "ran by default", "ran with the file", "taken",
                  "time before", "time after", "after/before", "verdict"},
                 rows);
}

}  // namespace arlab::bench
