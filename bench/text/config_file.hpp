// Configuration files: options of commands in TOML, so that they need not be typed each time.
//
// A table per command has its options by their long names, and its arguments by the names that
// --help lists; keys outside tables are for every command that has such an option or argument:
//
//   backend = "mpi"
//   [run]
//   algorithms = ["ring", "tree"]
//   size = ["1K", "64K"]
//   time = "1s"
//   [show.topology]
//   hosts = true
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace arlab::bench {

/// Returns the words of a command line without --config FILE, and with the options of the file that
/// it does not give itself. Those of a command that another program reads (train) are returned as
/// they are. `app` has the options of the command. Throws Error(environment) for a
/// file that cannot be read, and Error(usage) that names the file and the key that is no option.
std::vector<std::string> with_config(const CLI::App& app, std::vector<std::string> words);

}  // namespace arlab::bench
