// arlab list: prints the catalogs, and what this build lacks.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "algorithms/algorithm.hpp"
#include "algorithms/base/names.hpp"
#include "bench/commands/commands.hpp"
#include "bench/options/nccl_network.hpp"
#include "bench/text/table.hpp"
#include "bench/text/units.hpp"
#include "bench/text/write_file.hpp"
#include "collectives/backends/backend.hpp"
#include "simulator/models/model.hpp"
#include "training/schedulers/scheduler.hpp"
#include "training/strategies/strategy.hpp"

namespace arlab::bench {

namespace {

using Rows = std::vector<std::vector<std::string>>;

// "k=4 (ranks that exchange in a step)".
std::string settings_text(std::span<const Parameter> parameters) {
  std::string text;
  for (const Parameter& p : parameters)
    text += (text.empty() ? "" : ", ") + std::string(p.name) + "=" + std::string(p.default_value) +
            " (" + std::string(p.help) + ")";
  return text;
}

void list_algorithms() {
  Rows rows;
  for (const Algorithm& a : algorithms()) {
    std::string collectives;
    for (const Collective c : a.collectives)
      collectives += (collectives.empty() ? "" : ", ") + std::string(name(c));
    rows.push_back({std::string(a.name), std::string(a.formula.messages),
                    std::string(a.formula.elements), std::string(a.formula.rounds),
                    std::string(a.summary), collectives, settings_text(a.parameters),
                    std::string(a.source)});
  }
  fmt::print("{}\nm processes, N elements. Settings follow a colon: recursive_multiplying:k=8\n",
             markdown({"algorithm", "messages", "elements sent", "rounds", "idea", "collectives",
                       "settings", "source"},
                      rows));
}

void list_models() {
  Rows rows;
  for (const simulator::Model& m : simulator::models())
    for (const Parameter& p : m.parameters) {
      const bool first = &p == &m.parameters.front();
      rows.push_back({first ? std::string(m.name) : "", first ? std::string(m.summary) : "",
                      std::string(p.name), std::string(p.default_value), std::string(p.help)});
    }
  for (const Parameter& p : nccl_parameters_of_network()) {
    const bool first = &p == nccl_parameters_of_network().data();
    rows.push_back({first ? std::string(kNcclNetwork) : "",
                    first ? "NCCL's own estimates, only for `arlab simulate native`" : "",
                    std::string(p.name), std::string(p.default_value), std::string(p.help)});
  }
  fmt::print(
      "{}\nThese are models of networks. Parameters follow a colon: --network loggops:L=5us. "
      "Models to train: arlab list architectures\n",
      markdown({"model", "idea", "parameter", "default", "meaning"}, rows));
}

void list_schedulers() {
  Rows rows;
  for (const training::SchedulerKind& k : training::schedulers()) {
    rows.push_back({std::string(k.name), std::string(k.summary), k.barrier ? "all" : "its own",
                    settings_text(k.parameters), std::string(k.source)});
  }
  fmt::print("{}",
             markdown({"scheduler", "idea", "a layer waits for", "parameters", "source"}, rows));
}

void list_strategies() {
  Rows rows;
  for (const training::StrategyKind& k : training::strategies())
    rows.push_back({std::string(k.name), std::string(k.summary), k.synchronous ? "yes" : "no",
                    k.has_servers ? "yes" : "no",
                    k.placement ? std::string(collectives::name(*k.placement)) : "any",
                    settings_text(k.parameters), std::string(k.source)});
  fmt::print(
      "{}\nSynchronous: n workers give the same updates as one worker with the whole batch.\n",
      markdown({"strategy", "idea", "synchronous", "servers", "ranks", "parameters", "source"},
               rows));
}

void list_backends() {
  Rows rows;
  for (const collectives::Backend& b : collectives::backends()) {
    const std::string off = b.unavailable_reason();
    rows.push_back({std::string(b.name), off.empty() ? "on" : "off", std::string(b.summary),
                    off.empty() ? b.note() : off});
  }
  fmt::print("{}", markdown({"backend", "here", "idea", "note"}, rows));
}

void list_types() {
  Rows rows;
  for (const collectives::DType t : collectives::kDTypes)
    rows.push_back({std::string(name(t)), std::to_string(collectives::size_of(t))});
  fmt::print("{}\nOperations:", markdown({"dtype", "bytes"}, rows));
  for (const collectives::Op op : collectives::kOps) fmt::print(" {}", name(op));
  fmt::print("\n");
}

struct Part {
  std::string_view name;
  void (*list)();
};
constexpr Part kParts[] = {{"algorithms", list_algorithms},
                           {"topologies", list_topologies},
                           {"models", list_models},
                           {"compressors", list_compressors},
                           {"schedulers", list_schedulers},
                           {"strategies", list_strategies},
                           {"backends", list_backends},
                           {"types", list_types},
                           {"architectures", list_architectures}};  // last: it may not return

void list(const std::string& what) {
  bool found = false;
  std::vector<std::string_view> names;
  for (const Part& part : kParts) {
    names.push_back(part.name);
    if (what != part.name && what != "all") continue;
    if (what == "all") fmt::print("{}## {}\n\n", found ? "\n" : "", part.name);
    part.list();
    found = true;
  }
  names.push_back("all");
  if (!found) fail_unknown("list", what, names);
}

}  // namespace

void add_list(CLI::App& command, Session&) {
  command.footer("Examples:\n  arlab list algorithms\n  arlab list backends");
  const auto what = std::make_shared<std::string>("all");
  const auto output = std::make_shared<std::string>("-");
  command
      .add_option(
          "what", *what,
          "algorithms, topologies, models (of networks), compressors, schedulers, strategies, "
          "backends, types, architectures (to train) or all (default)")
      ->type_name("");
  command.add_option("-o,--output", *output, "File to write (default -, stdout)")
      ->type_name("FILE");
  command.callback([what, output] {
    check_writable(*output);
    RedirectedStdout file(*output);
    list(*what);
    file.finish();
  });
}

}  // namespace arlab::bench
