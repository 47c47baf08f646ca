#include "bench/options/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "algorithms/base/error.hpp"
#include "bench/options/table_options.hpp"
#include "bench/text/units.hpp"
#include "simulator/forest/forest.hpp"
#include "simulator/topologies/build/kind.hpp"
#include "simulator/topologies/placement.hpp"

namespace arlab::bench {
namespace {

double limit(const std::string& text, std::string_view what) {
  const std::int64_t number = parse_count(text, what);
  if (number < 1)
    fail(Blame::usage, fmt::format("{} is {}: give at least 1, for example 1e9", what, number));
  return static_cast<double>(number);
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

void add_interval(CLI::App& app, const std::string& names, Count& value, std::int32_t least,
                  const std::string& help) {
  constexpr std::int32_t kMost = 1'000'000'000;
  const auto parse = [&value, names, least](const std::string& text) {
    value = checked_number(parse_count(text, names), names, least, kMost);
  };
  app.add_option_function<std::string>(names, parse, help)->type_name("NUMBER");
}

void fail_without_effect(std::string_view option, std::string_view needs) {
  fail(Blame::usage,
       fmt::format("{} has no effect here: it needs {}; leave it out", option, needs));
}

void add_seed(CLI::App& app, std::uint64_t& seed, const std::string& group) {
  app.add_option_function<std::string>(
         "--seed",
         [&seed](const std::string& text) {
           const std::int64_t number = parse_count(text, "--seed");
           if (number < 0)
             fail(Blame::usage, fmt::format("--seed is {}: give a number of 0 or more", number));
           seed = static_cast<std::uint64_t>(number);
         },
         "Seed of random numbers: of ecmp, valiant and random placement (default 0)")
      ->type_name("SEED")
      ->group(group);
}

void SweepOptions::add_names(CLI::App& app) {
  app_ = &app;
  app.add_option("algorithms", positional, "Algorithms, or all (default)")->type_name("");
  app.add_option("-a,--algorithm", algorithms,
                 "The same, as an option: ring,recursive_multiplying:k=4")
      ->type_name("NAMES")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
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
  add_number(app, "--groups", group_size, 1, kMostRanks,
             "Consecutive ranks per node, for algorithms that use nodes");
  app.add_option("--dims", dims, "The ranks as a torus, for algorithms that use one: 16x16")
      ->type_name("SIZES");
  app.add_option("--trees", trees, "The topology whose trees `forest` uses: rail_pod:nodes=2")
      ->type_name("TOPOLOGY");
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
  app.add_option("-o,--output", output, "Write the table to this file (default -, stdout)")
      ->type_name("FILE");
  add_table_options(app, view);
  app.add_flag("--resume", resume,
               "Continue the --json file: skip configurations already recorded in it");
  app.add_flag("--dry-run", plan,
               "Print the configurations and their estimated time, without running them");
  app.add_option_function<std::string>(
         "--max-messages",
         [this](const std::string& text) { max_messages = limit(text, "--max-messages"); },
         "Skip configurations of more messages, and print an estimate (default 1e9)")
      ->type_name("COUNT");
  app.add_option_function<std::string>(
         "--max-seconds",
         [this](const std::string& text) { max_seconds = limit(text, "--max-seconds"); },
         "Skip configurations that are estimated to take longer (default 3600)")
      ->type_name("COUNT");
}

void SweepOptions::add_share(CLI::App& app) {
  app.add_flag("--share", share,
               "Divide the configurations among the processes that srun or mpirun started; the "
               "last one merges their parts of the --json file");
}

void SweepOptions::add_jobs(CLI::App& app) {
  constexpr std::int32_t kMostJobs = 1024;
  add_number(app, "-j,--jobs", jobs, 1, kMostJobs,
             "Threads that evaluate configurations (default one per processor; with --share 1)");
}

}  // namespace arlab::bench
