// The verbs of arlab: each adds its subcommand to the command line; one file a verb.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace arlab::bench {

/// What a verb gets from main, and what it gives back.
struct Session {
  std::vector<std::string> command;  ///< the whole command line
  int exit_code = 0;
};

void add_list(CLI::App& app, Session& session);
void add_show(CLI::App& app, Session& session);
void add_verify(CLI::App& app, Session& session);
void add_count(CLI::App& app, Session& session);
void add_simulate(CLI::App& app, Session& session);
void add_run(CLI::App& app, Session& session);
void add_train(CLI::App& app, Session& session);
void add_report(CLI::App& app, Session& session);
void add_export(CLI::App& app, Session& session);
void add_explore(CLI::App& app, Session& session);

// Parts of list and show; without topologies the first says what is missing.
void list_topologies();
void list_compressors();
void list_architectures();  ///< of arlab: flushes stdout and becomes arlab-train, where there is
                            ///< one
void add_show_topology(CLI::App& show_verb);

}  // namespace arlab::bench
