// The commands of arlab, one file per command: each function adds its options, examples, and
// callback.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace arlab::bench {

struct Caller;
class Listing;
class Progress;
struct SweepOptions;

/// Passes the command line from main to a command, and its exit code back.
struct Session {
  std::vector<std::string> command;    ///< the whole command line, as given
  std::vector<std::string> words;      ///< the same with what a file of --config says
  std::shared_ptr<Progress> progress;  ///< null where another process reports
  std::shared_ptr<Caller> caller;      ///< who takes the results; null: a shell
  int exit_code = 0;
};

void add_list(CLI::App& command, Session& session);
void add_doctor(CLI::App& command, Session& session);
void add_show(CLI::App& command, Session& session);
void add_verify(CLI::App& command, Session& session);
void add_count(CLI::App& command, Session& session);
void add_simulate(CLI::App& command, Session& session);
void add_bound(CLI::App& command, Session& session);
void add_validate(CLI::App& command, Session& session);
void add_run(CLI::App& command, Session& session);
void add_calibrate(CLI::App& command, Session& session);
void add_identify(CLI::App& command, Session& session);
void add_hunt(CLI::App& command, Session& session);
void add_tune(CLI::App& command, Session& session);
void add_launch(CLI::App& command, Session& session);
void add_train(CLI::App& command, Session& session);
void add_plan(CLI::App& command, Session& session);
void add_replay(CLI::App& command, Session& session);
void add_compare(CLI::App& command, Session& session);
void add_import(CLI::App& command, Session& session);
void add_report(CLI::App& command, Session& session);
void add_chart(CLI::App& command, Session& session);
void add_export(CLI::App& command, Session& session);
void add_explore(CLI::App& command, Session& session);

// Parts of list and show.
std::vector<std::string> names_of_lists();  ///< what `list` lists, and all
void list_topologies(const Listing& listing);
void list_compressors(const Listing& listing);
/// In arlab: flushes stdout and replaces this process by arlab-train, if it was built.
void list_gpus(const Listing& listing);
void list_architectures(const Listing& listing);
/// In arlab: replaces this process by arlab-train, if it was built; in arlab-train: does nothing.
void hand_over_to_train(const std::vector<std::string>& words);
/// Replaces this process by mpirun if the words are `launch` and a job; else does nothing.
void hand_over_to_mpirun(const std::vector<std::string>& words);
void add_show_topology(CLI::App& show_command);
void show_numerics(const SweepOptions& options);

}  // namespace arlab::bench
