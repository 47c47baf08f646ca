#include "bench/run/launches.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <sstream>

#include "algorithms/base/error.hpp"
#include "bench/results/context.hpp"
#include "bench/results/result_file.hpp"
#include "bench/run/child.hpp"
#include "bench/run/temporary_folder.hpp"
#include "bench/text/say.hpp"

namespace arlab::bench {
namespace {

// How many words an option of the list takes here: 0 if the word is none.
int words_taken(const std::string& word, const std::vector<std::string>& options) {
  for (const std::string& option : options) {
    if (word == option) return 2;
    const bool is_long = option.starts_with("--");
    if (word.starts_with(is_long ? option + "=" : option)) return 1;
  }
  return 0;
}

// Where options can be added: words after the program's -- are arguments. A launcher before the
// program may have a -- of its own.
std::vector<std::string>::iterator end_of_options(std::vector<std::string>& words) {
  return std::find(std::ranges::find(words, own_program()), words.end(), "--");
}

// Copies a job's lines to the file, and returns its records. The job's own command names a
// temporary file, so its context gets the command that started all jobs.
std::vector<Json> keep(const std::string& job_file, const LaunchPlan& plan,
                       std::optional<ResultFile>& file) {
  Results results = read_results(job_file);
  for (Json& context : results.contexts) {
    if (plan.json.empty()) break;
    context["command"] = plan.command;
    if (file)
      file->add(context);
    else
      file.emplace(plan.json, ResultFile::Mode::fresh, context);
  }
  for (Json& record : results.records) {
    record.erase("context");
    if (file) file->add(record);
  }
  return std::move(results.records);
}

}  // namespace

std::vector<std::string> launcher_words(const std::string& launcher, Rank ranks) {
  std::vector<std::string> words;
  bool placed = false;
  std::istringstream in(launcher);
  for (std::string word; in >> word;) {
    if (const std::size_t at = word.find("{}"); at != std::string::npos) {
      word.replace(at, 2, fmt::to_string(ranks));
      placed = true;
    }
    words.push_back(std::move(word));
  }
  if (!placed)
    fail(Blame::usage,
         fmt::format("launcher is '{}': write {{}} where the number of ranks belongs, as in "
                     "'mpirun -n {{}}'",
                     launcher));
  return words;
}

std::vector<std::string> without_options(const std::vector<std::string>& words,
                                         const std::vector<std::string>& options) {
  std::vector<std::string> rest;
  bool are_arguments = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    are_arguments = are_arguments || words[i] == "--";
    const int taken = are_arguments ? 0 : words_taken(words[i], options);
    if (taken == 0)
      rest.push_back(words[i]);
    else
      i += static_cast<std::size_t>(taken) - 1;
  }
  return rest;
}

LaunchResults run_launches(const LaunchPlan& plan) {
  const TemporaryFolder folder;
  LaunchResults all;
  std::optional<ResultFile> file;
  for (int launch = 1; launch <= plan.launches; ++launch) {
    say("launch {} of {}\n", launch, plan.launches);
    std::vector<Json>& records = all.records.emplace_back();
    for (std::vector<std::string> words : plan.jobs) {
      const std::string job_file = folder.file("job.jsonl"), started = shell_quoted(words);
      std::filesystem::remove(job_file);  // of the job before
      words.insert(end_of_options(words), {"--json", job_file});
      const int code = run_child(words);
      if (code != 0 && code != 1)
        fail(code == 2 ? Blame::usage : Blame::environment,
             fmt::format("launch {}: `{}` ended with status {}: its message is above", launch,
                         started, code));
      all.wrong |= code == 1;
      for (Json& record : keep(job_file, plan, file)) records.push_back(std::move(record));
    }
  }
  return all;
}

}  // namespace arlab::bench
