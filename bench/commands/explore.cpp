// arlab explore: writes one HTML page that animates the algorithms, for lectures.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "algorithms/base/error.hpp"
#include "bench/commands/commands.hpp"
#include "bench/text/say.hpp"
#include "bench/text/units.hpp"
#include "bench/text/write_file.hpp"
#include "plots/explorer/engine/page.hpp"

namespace arlab::bench {
namespace {

struct ExploreCommand {
  std::string output = "explore.html";
  bool precomputed = false;
};

void explore(const ExploreCommand& command) {
  check_writable(command.output);
  const bool computes = explorer::has_module() && !command.precomputed;
  const std::string page = computes ? explorer::page_with_module() : explorer::page_with_answers();
  write_file(command.output, page);
  if (!computes && !command.precomputed)
    say("note: built without WebAssembly: the page shows precomputed runs only; ./lab demo builds "
        "arlab with it on Debian 12 and 13 and Ubuntu 24.04, elsewhere see the configure summary\n");
  if (command.output != "-")
    say("wrote {} ({}); open it in a browser\n", command.output,
        show_bytes(static_cast<std::int64_t>(page.size())));
}

}  // namespace

void add_explore(CLI::App& command, Session&) {
  command.footer("Examples:\n  arlab explore\n  arlab explore -o lecture/explore.html");
  const auto options = std::make_shared<ExploreCommand>();
  command
      .add_option("-o,--output", options->output,
                  "Page to write (default explore.html); - is stdout")
      ->type_name("FILE");
  command.add_flag("--precomputed", options->precomputed,
                   "Embed recorded runs instead of the programs, for browsers without WebAssembly");
  command.callback([options] { explore(*options); });
}

}  // namespace arlab::bench
