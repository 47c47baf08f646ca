#include "bench/options/old_names.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>
#include <string_view>

#include "algorithms/base/error.hpp"
#include "bench/config/launcher.hpp"
#include "bench/options/model_options.hpp"
#include "bench/text/say.hpp"
#include "simulator/models/model.hpp"

namespace arlab::bench {
namespace {

// The new name takes the same values.
struct Renamed {
  const char *old_name, *name;
};

constexpr Renamed kRenamed[] = {{"--plan", "--dry-run"},
                                {"--place", "--buffers"},
                                {"--samples", "--raw"},
                                {"--misses", "--worst"},
                                {"--jitter", "--message-jitter"},
                                {"--launches", "--verify-jobs"},
                                {"--warmup", "--lr-warmup-epochs"},
                                {"--bandwidth", "--network"},
                                {"--topology", "--network"},
                                {"--best-only", "--save=best_only=on"},
                                {"--weights-only", "--save=weights_only=on"}};

// An option that became a setting of another.
struct OldSetting {
  const char *old_name, *option, *setting;
};

constexpr OldSetting kSettings[] = {{"--save-every", "--save", "every"},
                                    {"--keep", "--save", "keep"},
                                    {"--sharding", "--input", "sharding"},
                                    {"--shuffle", "--input", "shuffle"},
                                    {"--shuffle-seed", "--input", "shuffle_seed"},
                                    {"--drop-remainder", "--input", "drop_remainder"},
                                    {"--drop-last", "--input", "drop_remainder"},
                                    {"--prefetch", "--input", "prefetch"},
                                    {"--input-threads", "--input", "threads"}};

// An option that became a parameter of what --strategy names.
struct Moved {
  const char *old_name, *strategy, *parameter;
};

constexpr Moved kMoved[] = {{"--servers", "parameter_server", "servers"},
                            {"--bound", "stale_synchronous", "staleness"},
                            {"--every", "local_sgd", "every"},
                            {"--outer-rate", "diloco", "outer_rate"},
                            {"--outer-momentum", "diloco", "outer_momentum"},
                            {"--fragments", "diloco", "fragments"},
                            {"--delay", "diloco", "delay"},
                            {"--mix", "diloco", "mix"}};

// What --model, --machine and the parameters of models said before --network.
struct OldNetwork {
  std::string model, machine, settings;  ///< "L=5us,o=1us"
  std::size_t at = 0;                    ///< the first of these words

  bool is_given() const { return at > 0; }
  // Returns the name of the network that they mean, if --network has none.
  std::string name(bool has_topology) const {
    if (machine.empty()) return !model.empty() ? model : has_topology ? "fluid" : "alpha_beta";
    if (model.empty() || model == kMachineModel) return machine;
    fail(Blame::usage, fmt::format("{} describes model {}, not {}: leave out one of them", machine,
                                   kMachineModel, model));
  }
};

bool is_parameter(std::string_view name) {
  return std::ranges::any_of(simulator::models(), [&](const simulator::Model& model) {
    return std::ranges::any_of(model.parameters,
                               [&](const Parameter& p) { return p.name == name; });
  });
}

bool has_option(const CLI::App& command, const std::string& name) {
  // CLI11 from 2.4 on takes --o for -o.
  return name != "--o" && command.get_option_no_throw(name) != nullptr;
}

std::string option_of(const std::string& word) { return word.substr(0, word.find('=')); }

// The words of a command line, in which the old names of one command are replaced.
class Replacing {
 public:
  Replacing(const CLI::App& command, std::vector<std::string>& words)
      : command_(command), words_(words) {}

  void run() {
    for (at_ = 1; at_ < words_.size() && words_[at_] != "--"; ++at_)
      if (words_[at_].starts_with("--") && !has_option(command_, option_of(words_[at_])))
        replace(option_of(words_[at_]));
    if (network_.is_given()) name_network();
  }

 private:
  void replace(const std::string& old) {
    for (const auto& [old_name, name] : kRenamed)
      if (old == old_name && has_option(command_, option_of(name))) return rename(old, name);
    for (const auto& [old_name, option, setting] : kSettings)
      if (old == old_name && has_option(command_, option)) return set(old, option, setting);
    if (has_option(command_, "--strategy"))
      for (const auto& [old_name, strategy, parameter] : kMoved)
        if (old == old_name) return move(old, strategy, parameter);
    if (has_option(command_, "--network")) take_network(old);
  }

  void rename(const std::string& old, const char* name) {
    note_old_name(old, name);
    words_[at_].replace(0, old.size(), name);
  }

  void set(const std::string& old, const char* option, const char* setting) {
    const std::string value = taken();
    note_old_name(old, fmt::format("{} {}={}", option, setting, value));
    ++at_;  // to where the old option was
    words_.insert(words_.begin() + static_cast<std::ptrdiff_t>(at_),
                  fmt::format("{}={}={}", option, setting, value));
  }

  void move(const std::string& old, const char* strategy, const char* parameter) {
    const std::string setting = fmt::format("{}={}", parameter, taken());
    const std::string now = fmt::format("--strategy {}:{}", strategy, setting);
    std::string* const spec = spec_of("--strategy", "-s");
    if (!spec) fail(Blame::usage, fmt::format("{} has no effect here: it needs {}", old, now));
    note_old_name(old, now);
    add_setting(*spec, setting);
  }

  void take_network(const std::string& old) {
    const std::string parameter = old == "--overhead" ? "o" : old.substr(2);
    const bool is_name = old == "--model" || old == "--machine";
    if (!is_name && !is_parameter(parameter)) return;
    if (!network_.is_given()) network_.at = at_;
    const std::string value = taken();
    if (is_name) {
      note_old_name(old, "--network " + value);
      (old == "--model" ? network_.model : network_.machine) = value;
    } else {
      const std::string setting = fmt::format("{}={}", parameter, value);
      note_old_name("--" + parameter, "a setting of --network: MODEL:" + setting);
      network_.settings += (network_.settings.empty() ? "" : ",") + setting;
    }
  }

  void name_network() {
    std::string* spec = spec_of("--network", "--network");
    if (spec && !(network_.model + network_.machine).empty())
      fail(Blame::usage,
           fmt::format("--network {} has the model: leave out --model and --machine", *spec));
    if (!spec) {
      const std::string name = network_.name(spec_of("--topology", "--topology"));
      const auto at = words_.begin() + static_cast<std::ptrdiff_t>(network_.at);
      spec = &*words_.insert(at, "--network=" + name);
    }
    if (!network_.settings.empty()) add_setting(*spec, network_.settings);
  }

  // Returns the value of the option at hand, and removes both.
  std::string taken() {
    const auto word = words_.begin() + static_cast<std::ptrdiff_t>(at_--);
    if (const std::size_t equals = word->find('='); equals != std::string::npos) {
      const std::string value = word->substr(equals + 1);
      words_.erase(word);
      return value;
    }
    if (word + 1 == words_.end()) fail(Blame::usage, *word + " needs a value: add one after it");
    const std::string value = *(word + 1);
    words_.erase(word, word + 2);
    return value;
  }

  // Returns the word at whose end the last value of an option ends; null if it is not given.
  std::string* spec_of(const std::string& name, const std::string& letter) {
    std::string* spec = nullptr;
    for (std::size_t i = 1; i < words_.size() && words_[i] != "--"; ++i) {
      const bool is_next = words_[i] == name || words_[i] == letter;
      if (is_next && i + 1 < words_.size())
        spec = &words_[i + 1];
      else if (!is_next && (words_[i].starts_with(name + "=") ||
                            (words_[i].starts_with(letter) && letter.size() == 2)))
        spec = &words_[i];
    }
    return spec;
  }

  static void add_setting(std::string& spec, const std::string& setting) {
    spec += (spec.find(':') == std::string::npos ? ':' : ',') + setting;
  }

  const CLI::App& command_;
  std::vector<std::string>& words_;
  std::size_t at_ = 1;
  OldNetwork network_;
};

}  // namespace

void note_old_name(const std::string& old_name, const std::string& now) {
  static std::set<std::string> said;
  const auto launched = launched_rank();
  if ((launched && launched->rank > 0) || !said.insert(old_name).second) return;
  say("note: {} is now {}\n", old_name, now);
}

void use_new_names(const CLI::App& app, std::vector<std::string>& words) {
  const CLI::App* command = &app;
  for (const std::string& word : words)
    for (const CLI::App* const next : command->get_subcommands({}))
      if (next->get_name() == word) {
        command = next;
        break;
      }
  Replacing(*command, words).run();
}

}  // namespace arlab::bench
