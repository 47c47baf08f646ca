#include "bench/training/profiled/old_train.hpp"

#include <CLI/CLI.hpp>

#include "bench/options/words/old_names.hpp"

namespace arlab::bench {
namespace {

// The options of train that tell what it is to do.
struct Told {
  CLI::App app;
  std::string backend, model, workers;
  std::vector<std::string> others;  ///< all words but those of the backend

  bool parse(const std::vector<std::string>& words) {
    CLI::App of_backend;
    const auto last = CLI::MultiOptionPolicy::TakeLast;
    of_backend.add_option("-b,--backend", backend)->multi_option_policy(last);
    app.add_option("-m,--model", model)->multi_option_policy(last);
    app.add_option("-w,-p,--workers,--ranks", workers)->multi_option_policy(last);
    others = words;
    for (CLI::App* one : {&of_backend, &app}) {
      one->set_help_flag();
      one->allow_extras();
      try {
        one->parse(std::vector<std::string>(others.rbegin(), others.rend()));
      } catch (const CLI::ParseError&) {
        return false;  // the command says what is wrong
      }
      if (one == &of_backend) others = one->remaining();
    }
    return true;
  }
};

}  // namespace

void use_command_of_profile(std::vector<std::string>& words) {
  if (words.size() < 2 || words[1] != "train") return;
  Told told;
  if (!told.parse({words.begin() + 2, words.end()})) return;
  const bool simulated = told.backend == "simulated";
  if (!simulated && !told.model.starts_with("profile:")) return;
  if (!simulated && !told.backend.empty()) {
    words[1] = "replay";
    note_old_name("`arlab train` of a profile with a backend", "`arlab replay`");
    return;
  }
  note_old_name("`arlab train` of a profile", "`arlab plan --breakdown`");
  std::vector<std::string> plan{words[0], "plan", "--breakdown"};
  if (told.workers.empty()) plan.push_back("--gpus=8");
  plan.insert(plan.end(), told.others.begin(), told.others.end());
  words = std::move(plan);
}

}  // namespace arlab::bench
