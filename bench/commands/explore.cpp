// arlab explore: the page that animates the programs, for lectures: one HTML file that opens from
// disk.
#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <memory>

#include "algorithms/base/error.hpp"
#include "bench/cli/units.hpp"
#include "bench/cli/write_file.hpp"
#include "bench/commands/commands.hpp"
#include "plots/explorer/engine/page.hpp"

namespace arlab::bench {
namespace {

struct ExploreVerb {
  std::string output = "explore.html";
  bool precomputed = false;
};

void explore(const ExploreVerb& command) {
  const bool computes = explorer::has_module() && !command.precomputed;
  const std::string page = computes ? explorer::page_with_module() : explorer::page_with_answers();
  write_file(command.output, page);
  if (!computes && !command.precomputed)
    fmt::print(stderr,
               "note: built without WebAssembly: the page shows precomputed runs only; see the "
               "configure summary for the packages\n");
  if (command.output != "-")
    fmt::print(stderr, "wrote {} ({}); open it in a browser\n", command.output,
               show_bytes(static_cast<std::int64_t>(page.size())));
}

}  // namespace

void add_explore(CLI::App& app, Session&) {
  CLI::App* command = app.add_subcommand(
      "explore", "One HTML page that animates the algorithms, computes and simulates them");
  command->footer("Examples:\n  arlab explore\n  arlab explore -o lecture/explore.html");
  const auto options = std::make_shared<ExploreVerb>();
  command->add_option("-o,--output", options->output,
                   "Page to write (default explore.html); - is stdout")
      ->type_name("FILE");
  command->add_flag(
      "--precomputed", options->precomputed,
      "Put runs into the page instead of the programs, for browsers without WebAssembly");
  command->callback([options] { explore(*options); });
}

}  // namespace arlab::bench
