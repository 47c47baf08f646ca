// The options of every sweep: algorithms, ranks, sizes, and output files.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "algorithms/algorithm.hpp"
#include "algorithms/verify/script.hpp"
#include "bench/config/config.hpp"
#include "bench/text/table_view.hpp"
#include "collectives/reduce/dtype.hpp"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace arlab::simulator {
class Topology;
}

namespace arlab::bench {

struct Caller;
class Progress;

inline constexpr Rank kMostRanks = Rank{1} << 30;

/// Returns the trees of the network for `forest`, with the name under which a user chose it; null
/// if there are too many ranks to compute them in minutes.
std::shared_ptr<const Forest> forest_of(const simulator::Topology& topology,
                                        std::span<const Rank> host_of,
                                        const std::string& name = "");

/// Makes the option take one list separated by commas, which may be given again. Returns it.
CLI::Option* as_list(CLI::Option* option);

/// Adds an option that takes one whole number from `least` to `most`.
void add_number(CLI::App& app, const std::string& names, std::int32_t& value, std::int32_t least,
                std::int32_t most, const std::string& help);

/// Throws Error(usage): the option changes nothing, since that needs something else.
[[noreturn]] void fail_without_effect(std::string_view option, std::string_view needs);

/// Returns the layout of the given number of ranks on a network; with trees only if these are
/// wanted.
using LayoutOf = std::function<RankLayout(Rank ranks, bool with_trees)>;

/// Switches that add for any team, where no network is asked.
inline constexpr SwitchSums kAnySwitches{true, true, true};

struct SweepOptions {
  // As given on the command line; empty values take a default.
  std::vector<std::string> algorithms, ranks, elements, sizes;
  std::string collective = "allreduce";
  std::vector<std::string> dtypes, ops, roots, segments;
  Rank group_size = 0;       ///< consecutive ranks that share a node; 0: not given
  std::string dims;          ///< the ranks as a grid, such as 16x16
  std::string trees;         ///< the topology whose trees `forest` uses
  std::string json, csv;     ///< files of records; empty: none
  std::string output = "-";  ///< of the table

  /// Whether stdout holds records, so that nothing else may go there.
  bool prints_records() const { return json == "-" || csv == "-"; }
  /// Whether there is a table: on stdout it gives way to records.
  bool shows_table() const { return output != "-" || !prints_records(); }

  TableView view;                  ///< of its columns and rows
  bool compares_on_links = false;  ///< then segments are usual_segments() if none are given
  bool any_switches = false;  ///< what is named may use switches that add, whatever the network
  bool resume = false, plan = false;
  bool share = false;     ///< among the processes that a launcher started
  std::string also_held;  ///< a file whose records are resumed like those of `json`; empty: none
  std::int32_t jobs = 0;  ///< threads that evaluate configurations; 0: one per processor
  double max_messages = 1e9, max_seconds = 3600;
  std::vector<std::string> command;    ///< the whole command line
  std::shared_ptr<Progress> progress;  ///< or null
  std::shared_ptr<Caller> caller;      ///< who takes the results; null: a shell
  /// Further keys of the context record, such as the GPUs; or null.
  std::shared_ptr<const nlohmann::ordered_json> machine;

  /// Adds the options that choose algorithms, collective and groups.
  void add_names(CLI::App& app);
  void add_ranks(CLI::App& app, const std::string& help);
  /// Adds these and the swept options; `with_type` also type and operation.
  void add_axes(CLI::App& app, bool with_type);
  void add_outputs(CLI::App& app);
  /// Adds --jobs, with threads only if the command has them.
  void add_jobs(CLI::App& app, bool has_threads);

  /// Takes ranks, collective, and root that were not given from the schedules if all algorithms are
  /// files of such; else ranks that were not given are the usual ones. Throws Error(usage) if what
  /// was given fits no file, or if they disagree.
  void take_defaults(const std::string& usual_ranks);
  /// Returns the configurations by ranks, then type, operation, root, size, network, segments and
  /// algorithm. Groups and grid are the given ones, else the network's; without them, algorithms
  /// that need them are left out unless they were named. Where nodes have several NICs, `all` also
  /// has one channel per NIC of those with channels. Throws Error(usage) that names the bad value.
  std::vector<Config> configs(std::span<const LayoutOf> networks = {}) const;
  std::vector<collectives::DType> parsed_dtypes() const;
  std::vector<collectives::Op> parsed_ops() const;
  /// Returns whether every rank is to be the root once, where there is a root.
  bool every_root() const;
  std::vector<Rank> parsed_roots(Rank ranks) const;
  std::vector<int> parsed_segments() const;
  Collective parsed_collective() const;
  std::vector<const Algorithm*> chosen_algorithms() const;
  std::vector<Rank> parsed_ranks() const;
  std::vector<Count> parsed_elements(collectives::DType dtype) const;
  /// Returns whether `all` leaves out the algorithm, because the ranks have no groups or grid, or
  /// their number is not one of the few that it supports.
  bool left_out(const Algorithm& algorithm, const Problem& problem) const;
  /// Returns whether the algorithm is given by name, not by `all`.
  bool is_named(const Algorithm& algorithm) const;
  /// Returns what --layout says.
  RankLayout given_layout(Rank ranks) const;

 private:
  const CLI::App* app_ = nullptr;  // whose options these are; null: of no command
  std::vector<std::string> wanted_algorithms() const;  // as given
  const Algorithm& from_file(const std::string& name) const;
  const Script* schedule_in(const std::string& name) const;  // null: the name is of no such file
  bool names_collective() const;
  std::string needed_for(const Script& file) const;
  void take_from(const std::vector<const Script*>& files);
  void refuse_unused_layout(std::span<const Algorithm* const> chosen) const;
  mutable std::map<std::string, std::shared_ptr<const Algorithm>> files_;  // that were read
  mutable std::map<std::string, std::shared_ptr<const Script>> scripts_;   // the schedules of these
  bool own_ranks_ = false;  // each file has the ranks that it is for, and no others
};

/// Adds --seed, of what `uses` names. Throws Error(usage) unless the value is a number from 0 to
/// 2^63 - 1.
void add_seed(CLI::App& app, std::function<void(std::uint64_t)> use, const std::string& uses);

}  // namespace arlab::bench
