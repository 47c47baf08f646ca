#include "bench/options/table_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "algorithms/base/error.hpp"
#include "bench/options/options.hpp"
#include "bench/options/rare_options.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {

void add_table_options(CLI::App& app, TableView& view) {
  as_list(app.add_option("--columns", view.columns,
                         "Columns of the table: all, or a list of their names or first words "
                         "(default all; on a terminal those that answer, as many as fit)"))
      ->type_name("NAMES");
  app.add_option("--sort", view.sort, "Sort the table by this column, the best first")
      ->type_name("NAME");
  app.add_option_function<std::string>(
         "--rows,--top",
         [&view](const std::string& text) {
           view.all_rows = text == "all";
           if (view.all_rows) return;
           constexpr std::int32_t kMost = 1'000'000'000;
           view.most_rows = static_cast<std::size_t>(
               checked_number(parse_count(text, "--rows"), "--rows", 1, kMost));
         },
         fmt::format("Rows of the table: all, or the first N (default all; of more than {} only "
                     "those that are exceptional)",
                     kMostRows))
      ->type_name("all|N");
  make_rare(app, {"--columns", "--sort", "--rows"});
}

}  // namespace arlab::bench
