// Options of every command that prints a table: --columns, --sort and --rows.
#pragma once

#include "bench/text/table_view.hpp"

namespace CLI {
class App;
}

namespace arlab::bench {

void add_table_options(CLI::App& app, TableView& view);

}  // namespace arlab::bench
