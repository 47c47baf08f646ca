#include "bench/options/words/old_names.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <set>
#include <string_view>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "bench/config/launcher.hpp"
#include "bench/options/settings.hpp"
#include "bench/options/topology_options.hpp"
#include "bench/options/words/old_name_tables.hpp"
#include "bench/options/words/old_networks.hpp"
#include "bench/text/say.hpp"

namespace arlab::bench {
namespace {

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
    for (at_ = 1; at_ < words_.size() && words_[at_] != "--"; ++at_) {
      const std::string& word = words_[at_];
      if (word.starts_with("--") && !has_option(command_, option_of(word)))
        replace(option_of(word));
      else if (word.starts_with("-a") && !has_option(command_, "-a"))
        name_algorithms("-a");
    }
    if (network_.is_given()) name_networks();
    if (simulates_ && !spec_of("--network", "--network"))
      words_.insert(begin_at(words_.size()), "--network=alpha_beta");
  }

 private:
  void replace(const std::string& old) {
    constexpr const char* kEvents = "--engine=events";  // simulates every rank, too
    if (old == "--no-symmetry" && (std::ranges::find(words_, "--events") != words_.end() ||
                                   std::ranges::find(words_, kEvents) != words_.end()))
      return remove(old, kEvents);
    for (const auto& [old_name, name] : kRenamed)
      if (old == old_name && has_option(command_, option_of(name))) return rename(old, name);
    for (const auto& [old_name, option, setting] : kOldSettings)
      if (old == old_name && has_option(command_, option)) return set(old, option, setting);
    if (has_option(command_, "--strategy"))
      for (const auto& [old_name, strategy, parameter] : kMoved)
        if (old == old_name) return move(old, strategy, parameter);
    if (old == "--check" && has_option(command_, "--open-mpi")) return check_rules();
    if ((old == "--worst" || old == "--misses") && has_option(command_, "--threshold"))
      return rename(old, "--rows");
    if (old == "--by" && has_option(command_, "--open-mpi")) return choose_way();
    if (old == "--table" && has_option(command_, "--raw")) return name_table();
    if (old == "--algorithm") return name_algorithms(old);
    if (old == "--topology" && has_option(command_, "--strategy")) return rename(old, "--network");
    take_network(old);
  }

  // Algorithms are arguments, not an option, too.
  void name_algorithms(const std::string& old) {
    if (!has_option(command_, "algorithms")) return;
    const bool is_joined = old == "-a" && words_[at_].size() > 2;
    if (is_joined) words_[at_].insert(2, words_[at_][2] == '=' ? "" : "=");
    const std::string names = taken();
    note_old_name(old, "without a name: " + names);
    words_.insert(begin_at(++at_), names);
  }

  // Tuning is simulated where there is a network.
  void choose_way() {
    constexpr std::string_view kWays[] = {"measured", "simulated"};
    const std::string way = taken();
    if (way == "guided")
      fail(Blame::usage,
           "--by guided is gone, since it saved no time: leave it out, or simulate with --network");
    if (std::ranges::find(kWays, way) == std::end(kWays)) fail_unknown("way", way, kWays);
    note_old_name("--by", way == "measured" ? "the default without --network" : "--network SPEC");
    simulates_ = way == "simulated";
  }

  void check_rules() {
    const std::string now = fmt::format("--open-mpi={}:check=on", taken());
    note_old_name("--check", now);
    words_.insert(begin_at(++at_), now);
  }

  // The table of the algorithm auto.
  void name_table() {
    const std::string file = taken();
    const auto name = std::ranges::find(words_, "auto");
    if (name == words_.end())
      fail(Blame::usage, fmt::format("--table {}: name the algorithm auto, which uses it", file));
    *name = "auto:table=" + file;
    note_old_name("--table", "a setting of the algorithm: " + *name);
  }

  void remove(const std::string& old, const char* name) {
    note_old_name(old, name);
    words_.erase(begin_at(at_--));
  }

  void rename(const std::string& old, const char* name) {
    note_old_name(old, name);
    words_[at_].replace(0, old.size(), name);
  }

  void set(const std::string& old, const char* option, const char* setting) {
    const std::string value = taken();
    note_old_name(old, fmt::format("{} {}={}", option, setting, value));
    ++at_;  // to where the old option was
    words_.insert(begin_at(at_), fmt::format("{}={}={}", option, setting, value));
  }

  void move(const std::string& old, const char* strategy, const char* parameter) {
    const std::string setting = fmt::format("{}={}", parameter, taken());
    const std::string now = fmt::format("--strategy {}:{}", strategy, setting);
    std::string* const spec = spec_of("--strategy", "-s");
    if (!spec) fail(Blame::usage, fmt::format("{} has no effect here: it needs {}", old, now));
    note_old_name(old, now);
    append_settings(*spec, setting);
  }

  // Networks are values of --network, or the argument of `show topology`.
  void take_network(const std::string& old) {
    const bool has_latency = has_option(command_, "--strategy");
    if (!has_option(command_, "--network") && !has_option(command_, "topology")) return;
    if (!OldNetwork::is_one(old, has_latency)) return;
    if (!network_.is_given()) network_at_ = at_;
    network_.take(old, taken(), has_latency);
  }

  void name_networks() {
    std::vector<std::string> given;
    std::size_t at = network_at_;
    for (std::size_t i = 1; i < words_.size() && words_[i] != "--"; ++i) {
      if (option_of(words_[i]) != "--network") continue;
      at = i;
      given.push_back(value_of(i));
    }
    const std::size_t topology = given.empty() ? topology_argument() : 0;
    if (topology > 0) given.push_back(words_[topology]);
    const std::vector<std::string> specs = network_.specs(split_specs(given));
    const std::string list = fmt::format("{}", fmt::join(specs, ","));
    if (topology > 0) {
      words_[topology] = list;
      return;
    }
    for (std::size_t i = words_.size() - 1; i >= 1; --i)
      if (option_of(words_[i]) == "--network")
        words_.erase(begin_at(i), begin_at(i + (words_[i] == "--network" ? 2 : 1)));
    words_.insert(begin_at(std::min(at, words_.size())), "--network=" + list);
  }

  // Returns where the argument `topology` is; 0 if nowhere.
  std::size_t topology_argument() const {
    if (!has_option(command_, "topology")) return 0;
    for (std::size_t i = words_.size() - 1; i > 1; --i) {
      const std::string &word = words_[i], &before = words_[i - 1];
      if (word.starts_with('-') || word == command_.get_name()) continue;
      const CLI::Option* const option =
          before.starts_with('-') ? command_.get_option_no_throw(before) : nullptr;
      if (!option || option->get_items_expected_max() == 0) return i;
    }
    return 0;
  }

  std::vector<std::string>::iterator begin_at(std::size_t i) {
    return words_.begin() + static_cast<std::ptrdiff_t>(i);
  }

  std::string value_of(std::size_t i) const {
    const std::size_t equals = words_[i].find('=');
    if (equals != std::string::npos) return words_[i].substr(equals + 1);
    if (i + 1 == words_.size()) fail(Blame::usage, words_[i] + " needs a value: add one after it");
    return words_[i + 1];
  }

  // Returns the value of the option at hand, and removes both.
  std::string taken() {
    const std::string value = value_of(at_);
    const bool is_one_word = words_[at_].find('=') != std::string::npos;
    words_.erase(begin_at(at_), begin_at(at_ + (is_one_word ? 1 : 2)));
    --at_;
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

  const CLI::App& command_;
  std::vector<std::string>& words_;
  std::size_t at_ = 1, network_at_ = 0;  // network_at_: the first word of an old network
  OldNetwork network_;
  bool simulates_ = false;  // tune --by simulated
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
