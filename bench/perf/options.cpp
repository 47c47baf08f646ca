#include "bench/perf/options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <limits>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "algorithms/base/quantities.hpp"
#include "bench/options/words/words.hpp"
#include "bench/text/say.hpp"
#include "bench/text/write_file.hpp"

namespace arlab::bench {
namespace {

using collectives::DType;
using collectives::Op;

struct PerfType {
  std::string_view name;
  DType dtype;
};
// In nccl-tests' order.
constexpr PerfType kPerfTypes[] = {
    {"int8", DType::int8},         {"uint8", DType::uint8},        {"int32", DType::int32},
    {"uint32", DType::uint32},     {"int64", DType::int64},        {"uint64", DType::uint64},
    {"half", DType::float16},      {"float", DType::float32},      {"double", DType::float64},
    {"bfloat16", DType::bfloat16}, {"f8e4m3", DType::float8_e4m3}, {"f8e5m2", DType::float8_e5m2}};

constexpr Op kPerfOps[] = {Op::sum, Op::prod, Op::max, Op::min, Op::avg};

// Options without a meaning here: accepted, and named if they ask for something.
struct Ignored {
  const char* names;
  const char* help;
};
constexpr Ignored kIgnored[] = {{"-y,--stream_null", "null stream"},
                                {"-R,--local_register", "registration of buffers"},
                                {"-x,--cta_policy", "policy of thread blocks"},
                                {"-D,--device_implementation", "device-side implementation"},
                                {"-V,--device_cta_count", "thread blocks on the device"},
                                {"-M,--memory", "report of GPU memory"}};

constexpr std::int64_t kMostPerfNumber = 1'000'000'000;

int parse_small(const std::string& text, const std::string& what, std::int64_t least,
                std::int64_t most = kMostPerfNumber) {
  const std::int64_t n = parse_count(text, what);
  if (n < least || n > most)
    fail(Blame::usage, fmt::format("{} is {}: give {} to {}", what, n, least, most));
  return static_cast<int>(n);
}

void add_number(CLI::App& app, const std::string& names, int& value, std::int64_t least,
                const std::string& help, std::int64_t most = kMostPerfNumber) {
  const std::string what = names.substr(0, names.find(','));
  app.add_option_function<std::string>(
         names,
         [&value, what, least, most](const std::string& t) {
           value = parse_small(t, what, least, most);
         },
         help)
      ->type_name("N");
}

// As nccl-tests reads sizes: "8m" and "8MB" are "8M".
std::int64_t parse_size(std::string text, const std::string& what) {
  constexpr std::string_view kUnits = "kmgKMG";
  const auto is_unit = [&](char c) { return kUnits.find(c) != kUnits.npos; };
  if (text.size() > 1 && text.ends_with('B') && is_unit(text[text.size() - 2])) text.pop_back();
  if (!text.empty() && is_unit(text.back()))
    text.back() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.back())));
  return parse_count(text, what);
}

void add_bytes(CLI::App& app, const std::string& names, std::int64_t& value,
               const std::string& help) {
  const std::string what = names.substr(0, names.find(','));
  app.add_option_function<std::string>(
         names,
         [&value, what](const std::string& text) {
           value = parse_size(text, what);
           if (value < 0) fail(Blame::usage, fmt::format("{} is {}: give 0 or more", what, value));
         },
         help)
      ->type_name("BYTES");
}

void add_all(CLI::App& app, PerfOptions& o) {
  add_number(app, "-t,--nthreads", o.threads, 1, "Threads per process (default 1)");
  add_number(app, "-g,--ngpus", o.gpus, 1, "Ranks per thread (default 1)");
  add_bytes(app, "-b,--minbytes", o.min_bytes, "Smallest size (default 32M)");
  add_bytes(app, "-e,--maxbytes", o.max_bytes, "Largest size (default 32M)");
  add_bytes(app, "-i,--stepbytes", o.step_bytes, "Step between sizes (default 1M)");
  add_number(app, "-f,--stepfactor", o.step_factor, 1, "Factor between sizes");
  add_number(app, "-n,--iters", o.iterations, 1, "Timed runs (default 20)");
  add_number(app, "-m,--agg_iters", o.aggregated, 1, "Runs per timed run (default 1)");
  add_number(app, "-N,--run_cycles", o.cycles, 0, "Repetitions of the table; 0: forever");
  add_number(app, "-w,--warmup_iters", o.warm_ups, 0, "Runs before timed runs (default 1)");
  add_number(app, "-p,--parallel_init", o.parallel_init, 0, "Accepted; ranks always start at once");
  add_number(app, "-c,--check", o.check, 0, "Check results (default 1); 0: N/A");
  app.add_option("-o,--op", o.op, "sum (default), prod, max, min, avg or all");
  app.add_option("-d,--datatype", o.dtype, "float (default), half, int8, ... or all");
  app.add_option("-r,--root", o.root, "Root (default 0) or all");
  add_number(app, "-z,--blocking", o.blocking, 0,
             "0, 2: runs back to back (default); 1, 3: each after a barrier", 3);
  add_number(app, "-G,--cudagraph", o.graph, 0, "Accepted; backend cuda always runs graphs");
  add_number(app, "-C,--report_cputime", o.cpu_time, 0, "Name the time cputime");
  add_number(app, "-S,--report_timestamps", o.time_stamps, 0, "Add a column of time stamps");
  add_number(app, "-a,--average", o.average, 0, "Time: 0 rank 0's, 1 mean (default), 2 min, 3 max",
             3);
  add_number(app, "-u,--unalign", o.unalign, 0, "Accepted; vectors are always aligned");
  app.add_option_function<std::string>(
         "-T,--timeout", [&o](const std::string& t) { o.timeout = parse_small(t, "-T", 0); },
         "Give up after this many seconds without progress")
      ->type_name("SECONDS");
  app.add_option("-J,--output_file", o.json, "Write JSON to this file")->type_name("FILE");
  for (const Ignored& option : kIgnored)
    app.add_option_function<std::string>(option.names,
                                         [help = option.help](const std::string& text) {
                                           if (text != "0")
                                             say("note: {}: means nothing here, and is ignored\n",
                                                 help);
                                         })
        ->group("");  // not listed
  app.add_option("--algorithm", o.algorithm,
                 "An algorithm of `arlab list`, or native: the library's own (default where there "
                 "is one; else ring, or tree for reduce and broadcast)");
  app.add_option("--backend", o.backend, "Where to run: a backend of `arlab list backends`");
  app.add_option("--simulate", o.topology,
                 "Simulate ranks on this topology instead: rail_pod, fat_tree:k=8, ...");
}

}  // namespace

PerfProgram perf_program(std::string path) {
  static const PerfProgram kPrograms[] = {
      {"all_reduce_perf", Collective::allreduce, true, false},
      {"reduce_scatter_perf", Collective::reduce_scatter, true, false},
      {"all_gather_perf", Collective::all_gather, false, false},
      {"broadcast_perf", Collective::broadcast, false, true},
      {"reduce_perf", Collective::reduce, true, true}};
  std::string name = std::filesystem::path(path).filename();
  if (name.ends_with("_mpi")) name.resize(name.size() - 4);
  for (const PerfProgram& program : kPrograms)
    if (program.name == name) return program;
  return {};
}

bool parse_perf(const std::vector<std::string>& words, PerfOptions& options) {
  options.command = words;
  CLI::App app{"Measures a collective, and prints what nccl-tests prints."};
  app.name(options.program.name);
  app.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);  // as nccl-tests
  add_all(app, options);
  try {
    const std::vector<std::string> checked = checked_words(app, words);
    app.parse(std::vector<std::string>(checked.rbegin(), checked.rend() - 1));
  } catch (const CLI::CallForHelp&) {
    fmt::print("{}", app.help());
    return false;
  } catch (const CLI::ParseError& e) {
    fail(Blame::usage, fmt::format("{}: {} -h lists all options", e.what(), options.program.name));
  }
  if (options.min_bytes > options.max_bytes)
    fail(Blame::usage, fmt::format("-b is {} and -e {}: give a smallest size (-b) of at most the "
                                   "largest (-e)",
                                   options.min_bytes, options.max_bytes));
  if (options.step_factor <= 1 && options.step_bytes < 1 && options.max_bytes > options.min_bytes)
    fail(Blame::usage, "-i is 0: give a step, or a factor with -f");
  if (options.min_bytes == 0 && options.step_factor > 1)
    fail(Blame::usage, "-b is 0: no factor leads from there to -e; give 1 or more");
  return true;
}

void PerfOptions::check_values() const {
  dtypes();
  ops();
  if (root != "all") parse_count(root, "-r");
  sizes();
  check_writable(json);
}

Rank PerfOptions::ranks() const {
  const std::int64_t all = std::int64_t{threads} * gpus;
  if (all > kMostPerfNumber)
    fail(Blame::usage, fmt::format("-t {} times -g {} are {} ranks: use at most {}", threads, gpus,
                                   all, kMostPerfNumber));
  return static_cast<Rank>(all);
}

std::vector<std::int64_t> PerfOptions::sizes() const {
  constexpr std::size_t kMostSizes = 1'000'000;
  std::vector<std::int64_t> all;
  constexpr std::int64_t kEnd = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t size = min_bytes; size <= max_bytes;) {
    if (all.size() == kMostSizes)
      fail(Blame::usage, fmt::format("from -b {} to -e {} are over a million sizes: take larger "
                                     "steps with -i or -f",
                                     min_bytes, max_bytes));
    all.push_back(size);
    if (step_factor > 1 ? size > kEnd / step_factor : size > kEnd - step_bytes) break;
    size = step_factor > 1 ? size * step_factor : size + std::max<std::int64_t>(1, step_bytes);
  }
  return all;
}

std::vector<DType> PerfOptions::dtypes() const {
  std::vector<DType> all;
  std::vector<std::string_view> names;
  for (const PerfType& type : kPerfTypes) {
    names.push_back(type.name);
    if (dtype == "all" || dtype == type.name) all.push_back(type.dtype);
  }
  if (all.empty()) fail_unknown("datatype", dtype, names);
  return all;
}

std::vector<Op> PerfOptions::ops() const {
  std::vector<Op> all;
  std::vector<std::string_view> names;
  for (const Op one : kPerfOps) {
    names.push_back(name(one));
    if (op == "all" || op == name(one)) all.push_back(one);
  }
  if (op == "mulsum")
    fail(Blame::usage, "-o mulsum: no backend here scales while it sums: use sum");
  if (all.empty()) fail_unknown("operation", op, names);
  return program.has_op ? all : std::vector{Op::sum};
}

std::vector<Rank> PerfOptions::roots(Rank ranks) const {
  std::vector<Rank> all;
  if (root == "all" && program.has_root) {
    for (Rank rank = 0; rank < ranks; ++rank) all.push_back(rank);
    return all;
  }
  const std::int64_t number = root == "all" ? 0 : parse_count(root, "-r");
  if (!program.has_root) return {0};
  if (number < 0 || number >= ranks)
    fail(Blame::usage, fmt::format("-r is {}: give 0 to {}, or all", number, ranks - 1));
  return {static_cast<Rank>(number)};
}

std::string perf_name(DType dtype) {
  for (const PerfType& type : kPerfTypes)
    if (type.dtype == dtype) return std::string(type.name);
  return std::string(name(dtype));
}

}  // namespace arlab::bench
