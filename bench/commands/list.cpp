// arlab list: prints the catalogs, and what this build lacks.
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "algorithms/algorithm.hpp"
#include "algorithms/base/names.hpp"
#include "bench/commands/commands.hpp"
#include "bench/options/nccl_network.hpp"
#include "bench/options/rare_options.hpp"
#include "bench/text/listing.hpp"
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

void list_algorithms(const Listing& listing) {
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
  listing.table({"algorithm", "messages", "elements sent", "rounds", "idea", "collectives",
                 "settings", "source"},
                rows);
  listing.note("\nm ranks, N elements. Settings follow a colon: recursive_multiplying:k=8\n");
}

void list_models(const Listing& listing) {
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
  listing.table({"model", "idea", "parameter", "default", "meaning"}, rows);
  listing.note(
      "\nThese are models of networks. Parameters follow a colon: --network loggops:L=5us. "
      "Models to train: arlab list architectures\n");
}

void list_schedulers(const Listing& listing) {
  Rows rows;
  for (const training::SchedulerKind& k : training::schedulers()) {
    rows.push_back({std::string(k.name), std::string(k.summary), k.barrier ? "all" : "its own",
                    settings_text(k.parameters), std::string(k.source)});
  }
  listing.table({"scheduler", "idea", "a layer waits for", "parameters", "source"}, rows);
}

void list_strategies(const Listing& listing) {
  Rows rows;
  for (const training::StrategyKind& k : training::strategies())
    rows.push_back({std::string(k.name), std::string(k.summary), k.synchronous ? "yes" : "no",
                    k.has_servers ? "yes" : "no",
                    k.placement ? std::string(collectives::name(*k.placement)) : "any",
                    settings_text(k.parameters), std::string(k.source)});
  listing.table({"strategy", "idea", "synchronous", "servers", "ranks", "parameters", "source"},
                rows);
  listing.note(
      "\nSynchronous: n workers give the same updates as one worker with the whole batch.\n");
}

void list_backends(const Listing& listing) {
  Rows rows;
  for (const collectives::Backend& b : collectives::backends()) {
    const std::string off = b.unavailable_reason();
    rows.push_back({std::string(b.name), off.empty() ? "on" : "off", std::string(b.summary),
                    off.empty() ? b.note() : off});
  }
  listing.table({"backend", "here", "idea", "note"}, rows);
}

void list_types(const Listing& listing) {
  Rows rows;
  for (const collectives::DType t : collectives::kDTypes)
    rows.push_back({std::string(name(t)), std::to_string(collectives::size_of(t))});
  listing.table({"dtype", "bytes"}, rows);
  std::string operations;
  for (const collectives::Op op : collectives::kOps) operations += fmt::format(" {}", name(op));
  listing.note(fmt::format("\nOperations:{}\n", operations));
}

struct Part {
  std::string_view name;
  void (*list)(const Listing& listing);
};
constexpr Part kParts[] = {{"algorithms", list_algorithms},
                           {"topologies", list_topologies},
                           {"models", list_models},
                           {"compressors", list_compressors},
                           {"schedulers", list_schedulers},
                           {"strategies", list_strategies},
                           {"backends", list_backends},
                           {"types", list_types},
                           {"gpus", list_gpus},
                           {"architectures", list_architectures}};  // last: it may not return

void list(const std::string& what, bool json) {
  bool found = false;
  for (const Part& part : kParts) {
    if (what != part.name && what != "all") continue;
    const Listing listing(part.name, json);
    if (what == "all") listing.note(fmt::format("{}## {}\n\n", found ? "\n" : "", part.name));
    part.list(listing);
    found = true;
  }
  if (!found) fail_unknown("list", what, names_of(names_of_lists()));
}

}  // namespace

std::vector<std::string> names_of_lists() {
  std::vector<std::string> names;
  for (const Part& part : kParts) names.emplace_back(part.name);
  names.emplace_back("all");
  return names;
}

void add_list(CLI::App& command, Session&) {
  command.footer("Examples:\n  arlab list algorithms\n  arlab list backends --json");
  const auto what = std::make_shared<std::string>("all");
  const auto output = std::make_shared<std::string>("-");
  command
      .add_option(
          "what", *what,
          "algorithms, topologies, models (of networks), compressors, schedulers, strategies, "
          "backends, types, gpus (to plan), architectures (to train) or all (default)")
      ->type_name("");
  command.add_option("-o,--output", *output, "File to write (default -, stdout)")
      ->type_name("FILE");
  hide(command, {"--output"});  // a shell does that
  const auto json = std::make_shared<std::string>();
  command
      .add_option("--json", *json,
                  "Write a JSON object per entry to this file instead; alone or - is stdout")
      ->type_name("FILE");
  command.callback([what, output, json] {
    const std::string& path = json->empty() ? *output : *json;
    check_writable(path);
    RedirectedStdout file(path);
    list(*what, !json->empty());
    file.finish();
  });
}

}  // namespace arlab::bench
