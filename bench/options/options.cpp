#include "bench/options/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "algorithms/base/error.hpp"
#include "bench/options/settings.hpp"
#include "bench/options/table_options.hpp"
#include "bench/text/units.hpp"
#include "simulator/forest/forest.hpp"
#include "simulator/topologies/build/kind.hpp"
#include "simulator/topologies/placement.hpp"

namespace arlab::bench {
namespace {

SettingReader limit_reader(std::string name, double& limit) {
  return {std::move(name), [&limit](const std::string& text, const std::string& what) {
            const std::int64_t number = parse_count(text, what);
            if (number < 1)
              fail(Blame::usage,
                   fmt::format("{} is {}: give at least 1, for example 1e9", what, number));
            limit = static_cast<double>(number);
          }};
}

}  // namespace

CLI::Option* as_list(CLI::Option* option) {
  return option->delimiter(',')->expected(1)->allow_extra_args(false)->take_all();
}

void add_number(CLI::App& app, const std::string& names, std::int32_t& value, std::int32_t least,
                std::int32_t most, const std::string& help) {
  const std::string what = names.substr(0, names.find(','));
  const auto parse = [&value, what, least, most](const std::string& text) {
    value = checked_number(parse_count(text, what), what, least, most);
  };
  app.add_option_function<std::string>(names, parse, help)->type_name("NUMBER");
}

void fail_without_effect(std::string_view option, std::string_view needs) {
  fail(Blame::usage,
       fmt::format("{} has no effect here: it needs {}; leave it out", option, needs));
}

void add_seed(CLI::App& app, std::function<void(std::uint64_t)> use, const std::string& uses) {
  app.add_option_function<std::string>(
         "--seed",
         [use = std::move(use)](const std::string& text) { use(parse_seed(text, "--seed")); },
         "Seed of random numbers: " + uses)
      ->type_name("SEED");
}

void SweepOptions::add_names(CLI::App& app) {
  app_ = &app;
  app.add_option("algorithms", algorithms,
                 "Algorithms, as ring recursive_multiplying:k=4, or all (default)")
      ->type_name("");
  app.add_option("-c,--collective", collective,
                 "allreduce (default), reduce_scatter, all_gather, reduce or broadcast")
      ->type_name("NAME");
  as_list(app.add_option(
              "--root,--master", roots,
              "Roots of trees, masters of master_worker, sources of broadcasts (default 0); or "
              "all"))
      ->type_name("RANKS");
}

void SweepOptions::add_ranks(CLI::App& app, const std::string& help) {
  as_list(app.add_option("-p,--ranks", ranks, help))->type_name("COUNTS");
  SettingReader trees_reader = word_reader("trees", trees);
  trees_reader.takes_rest = true;
  add_settings(app, "--layout",
               "Where ranks are, for algorithms that use it: groups=8 (consecutive ranks per "
               "node), dims=16x16 (a torus), trees=rail_pod:nodes=2 (of a topology, for `forest`)",
               {{"groups",
                 [this](const std::string& text, const std::string& what) {
                   group_size = checked_number(parse_count(text, what), what, 1, kMostRanks);
                 }},
                word_reader("dims", dims),
                std::move(trees_reader)});
}

void SweepOptions::add_axes(CLI::App& app, bool with_type) {
  add_names(app);
  add_ranks(app, "Ranks: 8, 2,4,8, 2..1024 (doubling) or 1..64+1 (steps of one)");
  as_list(app.add_option("-n,--elements", elements,
                         "Elements of the vector: 1000, 1K..1M, ... (K = 1024)"))
      ->type_name("COUNTS");
  as_list(app.add_option("-s,--size", sizes,
                         "Bytes of the vector, instead of -n: 1M, 1K..64M, 1K..64Mx4 (K = 1024)"))
      ->type_name("BYTES");
  as_list(app.add_option(
              "--segments", segments,
              "Pipeline segments per vector: 4, or 1,2,4 (default 1; hierarchical is simulated "
              "with up to 16 on links)"))
      ->type_name("COUNTS");
  if (!with_type) return;
  as_list(app.add_option("-t,--dtype", dtypes,
                         "float32 (default), float64, float16, bfloat16, float8_e4m3, float8_e5m2, "
                         "int8, int32, int64, uint8, uint32 or uint64; several, or all"))
      ->type_name("NAMES");
  as_list(app.add_option("--op", ops, "sum (default), prod, min, max or avg; several, or all"))
      ->type_name("NAMES");
}

void SweepOptions::add_outputs(CLI::App& app) {
  app.add_option("--json", json, "Write records as JSON Lines to this file; - is stdout")
      ->type_name("FILE");
  app.add_option("--csv", csv, "Write records as comma-separated values to this file; - is stdout")
      ->type_name("FILE");
  app.add_option(
         "-o,--output", output,
         "Write the table to this file (default -, stdout); `arlab help` has --columns, --sort "
         "and --rows")
      ->type_name("FILE");
  add_table_options(app, view);
  app.add_flag("--resume", resume,
               "Continue the --json file: skip configurations already recorded in it");
  app.add_flag("--dry-run", plan,
               "Print the configurations and their estimated time, without running them");
  add_settings(app, "--limit",
               "Skip configurations of more than messages=1e9 (default), with an estimate, and "
               "those that are estimated to take more than seconds=3600",
               {limit_reader("messages", max_messages), limit_reader("seconds", max_seconds)});
}

void SweepOptions::add_jobs(CLI::App& app, bool has_threads) {
  constexpr std::int32_t kMostJobs = 1024;
  const std::string shares =
      "share=on: divide the configurations among the processes that srun or mpirun started; the "
      "last one merges their parts of the --json file";
  std::vector<SettingReader> readers{switch_reader("share", share)};
  if (has_threads)
    readers.push_back({"", [this](const std::string& text, const std::string& what) {
                         jobs = checked_number(parse_count(text, what), what, 1, kMostJobs);
                       }});
  add_settings(app, "-j,--jobs",
               has_threads ? "Threads that evaluate configurations (default one per processor; "
                             "with share=on 1). " +
                                 shares
                           : shares,
               std::move(readers))
      ->type_name("NUMBER");
}

}  // namespace arlab::bench
