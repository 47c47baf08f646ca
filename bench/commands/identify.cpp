// arlab identify: which algorithm the MPI library really ran, by the messages that it counted.
#include "bench/tune/identify.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "algorithms/base/error.hpp"
#include "bench/commands/commands.hpp"
#include "bench/measure/job.hpp"
#include "bench/measure/timeout.hpp"
#include "bench/options/nccl_network.hpp"
#include "bench/options/network_spec.hpp"
#include "bench/options/settings.hpp"
#include "bench/results/context.hpp"
#include "bench/results/result_file.hpp"
#include "bench/run/library_rows.hpp"
#include "bench/text/read_file.hpp"
#include "bench/text/say.hpp"
#include "bench/text/sentences.hpp"
#include "bench/text/write_file.hpp"
#include "bench/tune/count_native.hpp"
#include "bench/tune/nccl_log.hpp"

namespace arlab::bench {
namespace {

struct IdentifyCommand {
  SweepOptions sweep;
  std::string nccl_log, network, tuner;  // of a log of NCCL
  LibraryNames library;
  collectives::Patience patience;
};

// What to ask the library for: empty for its own choice.
std::vector<std::string> asked_of(collectives::Communicator& world, const LibraryNames& names) {
  if (names.native.empty()) return {""};
  const std::vector<std::string> known = world.baseline().algorithms();
  std::vector<std::string> all{""};
  for (const std::string& name : names.native)
    if (name == "all")
      all.insert(all.end(), known.begin(), known.end());
    else
      all.push_back(name);
  return all;
}

// Open MPI's algorithms have models; those of other libraries are compared with the catalog only.
bool has_models() { return collectives::mpi_library().starts_with("Open MPI"); }

int identify(IdentifyCommand& command, Job& job) {
  SweepOptions& sweep = command.sweep;
  if (job.is_root()) check_can_write(sweep.json);
  if (job.is_root()) check_writable(sweep.output);
  if (job.ranks() == 0)
    fail(Blame::usage,
         "identify counts the messages of an MPI job: start it as `mpirun -n 4 arlab identify`");
  job.expect_same(shell_quoted(sweep.command), shell_quoted(sweep.command));
  std::vector<Identified> all;
  const collectives::Backend& backend = job.backend("");
  job.run(backend, {.ranks = job.ranks(), .patience = command.patience},
          [&](collectives::Executor& executor) {
            collectives::Communicator& world = executor.control();
            const std::vector<std::string> asked = asked_of(world, command.library);
            for (const collectives::DType dtype : sweep.parsed_dtypes())
              for (const collectives::Op op : sweep.parsed_ops())
                for (const Count elements : sweep.parsed_elements(dtype))
                  for (const std::string& native : asked) {
                    const collectives::Operand operand{dtype, op};
                    CountedTraffic counted = count_native(world, elements, operand, native);
                    if (job.is_root())
                      all.push_back(identified(native, operand, std::move(counted), has_models()));
                  }
          });
  if (!job.is_root()) return 0;
  write_records(sweep.json, sweep.command, all);
  if (sweep.shows_table()) write_file(sweep.output, identified_table(all));
  if (!sweep.prints_records()) print_sentences(sentences(all), sweep.output == "-");
  return 0;
}

// The machine of --network, with what the log says of version and ranks where it does not.
simulator::nccl::Machine machine_of(const std::string& network, const NcclLog& log) {
  const NetworkSpec spec =
      parse_network_spec(network.empty() ? std::string(kNcclNetwork) : network);
  if (spec.model != kNcclNetwork)
    fail(Blame::usage, fmt::format("--nccl-log network={} is not a machine of NCCL's: write "
                                   "nccl:gpu=h100,cpu=intel",
                                   network));
  simulator::nccl::Machine machine = nccl_machine(spec.parameters);
  const auto given = [&](const char* name) { return spec.parameters.contains(name); };
  if (log.version > 0 && !given("version")) machine.version = log.version;
  if (log.nodes > 0 && !given("nodes")) machine.nodes = log.nodes;
  if (log.ranks_per_node > 0 && !given("gpus")) machine.ranks_per_node = log.ranks_per_node;
  return machine;
}

// What NCCL took, by its own log.
void identify_log(const IdentifyCommand& command) {
  const SweepOptions& o = command.sweep;
  const std::pair<const char*, bool> of_runs[] = {{"--elements", !o.elements.empty()},
                                                  {"--size", !o.sizes.empty()},
                                                  {"--dtype", !o.dtypes.empty()},
                                                  {"--op", !o.ops.empty()},
                                                  {"a name", !o.algorithms.empty()}};
  for (const auto& [option, given] : of_runs)
    if (given) fail_without_effect(option, "a run, which --nccl-log replaces");
  check_can_write(command.sweep.json);
  NcclLog log =
      read_nccl_log(read_file(command.nccl_log, "give a log of NCCL_DEBUG=INFO"), command.nccl_log);
  if (log.uneven > log.nodes * log.ranks_per_node) {
    if (!command.sweep.json.empty())
      fail(Blame::usage, fmt::format("{}: {} ranks on nodes with different numbers of them, which "
                                     "have no estimates for --json: leave it out",
                                     command.nccl_log, log.uneven));
    say("note: {} has {} ranks on nodes with different numbers of them: NCCL's model has no "
        "estimates of such\n",
        command.nccl_log, log.uneven);
    write_file(command.sweep.output, taken_table(log));
    return;
  }
  const simulator::nccl::Machine machine = machine_of(command.network, log);
  if (log.several)
    say("note: {} has communicators of several sizes, and its choices do not say of which they "
        "are: all are compared with those of the largest, {} x {} ranks\n",
        command.nccl_log, log.nodes, log.ranks_per_node);
  std::vector<collectives::TuningRule> rules;
  if (!command.tuner.empty())
    rules = collectives::read_tuning_table(
        read_file(command.tuner, "give a table of NCCL's tuner plugin"), command.tuner);
  compare_with_model(log, machine, rules);
  if (!command.sweep.json.empty()) {
    ResultFile file(command.sweep.json, ResultFile::Mode::fresh, context(command.sweep.command));
    for (const LoggedChoice& one : log.choices) file.add(to_json(one, machine));
  }
  if (command.sweep.shows_table()) write_file(command.sweep.output, nccl_log_table(log, machine));
}

void add_log_options(CLI::App& command, IdentifyCommand& options) {
  SettingReader network = word_reader("network", options.network);
  network.takes_rest = true;
  add_settings(
      command, "--nccl-log",
      "Instead, read what NCCL took from its log (NCCL_DEBUG=INFO, "
      "NCCL_DEBUG_SUBSYS=INIT,TUNING); nccl.log:tuner=table.csv: and what this table of "
      "NCCL's tuner plugin would change; network=nccl:gpu=h100,cpu=amd: on this machine "
      "(`arlab list models`)",
      {word_reader("", options.nccl_log), word_reader("tuner", options.tuner), std::move(network)})
      ->type_name("FILE");
}

}  // namespace

void add_identify(CLI::App& command, Session& session) {
  command.footer(
      "Examples:\n  mpirun -n 4 arlab identify -s 4..4Mx4\n"
      "  mpirun -n 4 arlab identify native:ring -n 3,1000\n"
      "  mpirun -n 8 arlab identify native:all -s 64K\n"
      "  arlab identify --nccl-log nccl.log:tuner=table.csv,network=nccl:gpu=h100\n"
      "Open MPI counts its messages; arlab compares those of each pair of ranks with what the "
      "algorithms send.");
  const auto options = std::make_shared<IdentifyCommand>();
  SweepOptions& sweep = options->sweep;
  command
      .add_option("algorithms", sweep.algorithms,
                  "native (default): the library's choice; native:ring: one of its algorithms; or "
                  "native:all")
      ->type_name("");
  const auto add_list = [&](const char* names, std::vector<std::string>& values, const char* help,
                            const char* type) {
    as_list(command.add_option(names, values, help))->type_name(type);
  };
  add_list("-n,--elements", sweep.elements, "Elements of the vector: 3, 1000, 1K..1M", "COUNTS");
  add_list("-s,--size", sweep.sizes, "Bytes of the vector, instead of -n (default 1K..1Mx4)",
           "BYTES");
  add_list("-t,--dtype", sweep.dtypes, "float32 (default), or others; several, or all", "NAMES");
  add_list("--op", sweep.ops, "sum (default), prod, min, max or avg; several, or all", "NAMES");
  command.add_option("--json", sweep.json, "Write records to this file; - is stdout")
      ->type_name("FILE");
  command
      .add_option("-o,--output", sweep.output, "Write the table to this file (default -, stdout)")
      ->type_name("FILE");
  add_timeout(command, options->patience);
  add_log_options(command, *options);
  command.callback([options, &session] {
    SweepOptions& o = options->sweep;
    o.command = session.command;
    if (!options->nccl_log.empty()) return identify_log(*options);
    for (const auto& [name, text] :
         {std::pair("--network", options->network), std::pair("--nccl-log tuner", options->tuner)})
      if (!text.empty()) fail_without_effect(name, "--nccl-log");
    if (o.elements.empty() && o.sizes.empty()) o.sizes = {"1K..1Mx4"};
    if (o.algorithms.empty()) o.algorithms = {"native"};
    refuse_other_library(o.algorithms, "identify");
    options->library = take_library_names(o);
    if (!options->library.alone || !options->library.tables.empty())
      fail(Blame::usage,
           fmt::format("identify takes native, native:NAME or native:all, not {}: leave out other "
                       "names",
                       o.algorithms.empty() ? "a table" : o.algorithms.front()));
    o.parsed_ops();
    for (const collectives::DType dtype : o.parsed_dtypes()) o.parsed_elements(dtype);
    collectives::prepare_message_counts();
    if (!options->library.native.empty()) collectives::prepare_library_algorithms();
    session.exit_code =
        in_job([&](Job& job) { return identify(*options, job); }, options->patience);
  });
}

}  // namespace arlab::bench
