// arlab chart: starts Python with the charts, which this program holds as an archive, and becomes
// that process.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <memory>

#include "algorithms/base/error.hpp"
#include "bench/commands/commands.hpp"
#include "bench/config/process.hpp"
#include "bench/options/options.hpp"
#include "bench/options/settings.hpp"
#include "bench/results/charts_archive.hpp"
#include "bench/run/child.hpp"
#include "bench/run/python.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {
namespace {

struct ChartCommand {
  std::vector<std::string> files, only, ranks, sizes;
  std::string folder, algorithms, baseline, width, font;
  bool title = true, share_y = false;
};

constexpr const char* kWinners = "winners";

// The words for plots/charts/command.py.
std::vector<std::string> arguments_of(const ChartCommand& command) {
  std::vector<std::string> words;
  const auto add = [&words](std::string_view option, const std::string& value) {
    if (!value.empty()) words.push_back(fmt::format("{}={}", option, value));
  };
  add("--folder", command.folder);
  for (const std::string& name : command.only)
    if (name == kWinners)
      words.emplace_back("--winners");
    else
      add("--only", name);
  add("--algorithms", command.algorithms);
  add("--ranks", fmt::format("{}", fmt::join(parse_counts(command.ranks, "--ranks"), ",")));
  add("--sizes", fmt::format("{}", fmt::join(parse_counts(command.sizes, "--sizes"), ",")));
  add("--baseline", command.baseline);
  add("--width", command.width);
  add("--font", command.font);
  if (!command.title) words.emplace_back("--no-title");
  if (command.share_y) words.emplace_back("--share-y");
  words.emplace_back("--");
  words.insert(words.end(), command.files.begin(), command.files.end());
  return words;
}

[[noreturn]] void chart(const ChartCommand& command) {
  expect_processes("charts");
  std::vector<std::string> arguments = arguments_of(command);
  // numpy's OpenBLAS would start threads, and wait forever where memory is limited.
  ::setenv("OPENBLAS_NUM_THREADS", "1", 0);
  // One without matplotlib says what to install.
  const std::string found = find_python("matplotlib").program;
  if (found.empty()) fail(Blame::environment, "charts need Python: apt install python3-matplotlib");
  const std::string start = fmt::format(
      "import sys\nsys.path[0] = '/proc/self/fd/{}/plots'\n"
      "from charts.command import main\nsys.exit(main(sys.argv[1:]))",
      open_charts_archive());
  std::vector<std::string> words{found, "-B", "-c", start};
  words.insert(words.end(), arguments.begin(), arguments.end());
  ::setenv("ARLAB", own_program().c_str(), 0);  // which reads logs for the charts
  replace_process(found, words, "install Python again");
}

}  // namespace

void add_chart(CLI::App& command, Session&) {
  command.footer(
      "Examples:\n  arlab chart results.jsonl -o results\n"
      "  arlab chart results.jsonl --only speedup_map --baseline MPI_Allreduce\n"
      "  arlab chart results.jsonl --only time_against_size --figure width=3.4in,font=8,title=off\n"
      "  arlab chart results.jsonl --only time_table -s 1K..1M\n"
      "Each chart is written as SVG, PNG and PDF, tables as Markdown, CSV and LaTeX (booktabs).");
  const auto o = std::make_shared<ChartCommand>();
  command
      .add_option("files", o->files,
                  "Result files, written with --json, logs of nccl-tests, OSU or IMB, and folders "
                  "of them")
      ->type_name("")
      ->required();
  command.add_option("-o,--folder", o->folder, "Folder to write to (default: here)")
      ->type_name("FOLDER");
  command
      .add_option("--only", o->only,
                  "Draw this chart, such as time_against_size, best_map or time_table; can be "
                  "repeated (default: all that the records hold enough for). winners prints the "
                  "fastest algorithms of simulated records as Markdown")
      ->type_name("NAME")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
  command.add_option("--algorithms", o->algorithms, "Show only these: ring,tree (default: all)")
      ->type_name("NAMES");
  as_list(command.add_option("-p,--ranks", o->ranks, "Show only these ranks: 8, or 2..64"))
      ->type_name("COUNTS");
  as_list(command.add_option("-s,--sizes", o->sizes, "Show only these sizes: 1M, or 1K..64Mx4"))
      ->type_name("BYTES");
  command
      .add_option("--baseline", o->baseline,
                  "Algorithm to compare with, as the charts call it (default: the library's own)")
      ->type_name("NAME");
  add_settings(command, "--figure",
               "Of each figure: width=3.4in or 86mm (default: for a screen), font=9.5 points "
               "(default), title=off, without titles, notes and the footer, for a figure with a "
               "caption, share_y=on, one y axis for all panels",
               {word_reader("width", o->width), word_reader("font", o->font),
                switch_reader("title", o->title), switch_reader("share_y", o->share_y)});
  command.callback([o] { chart(*o); });
}

}  // namespace arlab::bench
