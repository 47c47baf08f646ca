// Options of every command that prints a table: --columns, --sort and --rows. Since they are the
// same everywhere, only `arlab help` and manual pages list them.
#pragma once

#include "bench/text/table_view.hpp"

namespace CLI {
class App;
}

namespace arlab::bench {

inline constexpr const char* kTableOptions = "Options of every table, after the command";

/// Adds them to a command, whose help leaves them out.
void add_table_options(CLI::App& command, TableView& view);

/// Lists them in the program's help.
void describe_table_options(CLI::App& program);

}  // namespace arlab::bench
