#include "bench/options/table_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "algorithms/base/error.hpp"
#include "bench/options/options.hpp"
#include "bench/options/rare_options.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {
namespace {

void read_rows(const std::string& text, TableView& view) {
  view.all_rows = text == "all";
  view.exceptions = text == "exceptions";
  view.most_rows.reset();
  if (view.all_rows || view.exceptions) return;
  constexpr std::int32_t kMost = 1'000'000'000;
  if (text.empty() || text.front() < '0' || text.front() > '9')
    fail(Blame::usage,
         fmt::format("--rows is '{}': give all, exceptions, or a number of rows", text));
  view.most_rows =
      static_cast<std::size_t>(checked_number(parse_count(text, "--rows"), "--rows", 0, kMost));
}

void add_all(CLI::App& app, TableView& view) {
  as_list(app.add_option("--columns", view.columns,
                         "all, or some by their first words: time,busbw (default: all; on a "
                         "terminal the most important ones that fit)"))
      ->type_name("NAMES");
  app.add_option("--sort", view.sort, "Sort by this column, the best first")->type_name("NAME");
  app.add_option_function<std::string>(
         "--rows,--top", [&view](const std::string& text) { read_rows(text, view); },
         fmt::format("all, the first 10, or exceptions: results that are wrong, or slower "
                     "(default: all; on a terminal, of more than {}, exceptions)",
                     kMostRows))
      ->type_name("ROWS");
}

}  // namespace

void add_table_options(CLI::App& command, TableView& view) {
  add_all(command, view);
  hide(command, {"--columns", "--sort", "--rows"});
}

void describe_table_options(CLI::App& program) {
  static TableView unused;
  add_all(program, unused);
  for (const char* name : {"--columns", "--sort", "--rows"})
    program.get_option(name)->group(kTableOptions);
}

}  // namespace arlab::bench
