#include "bench/tune/nccl_log.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/read_number.hpp"
#include "algorithms/base/text.hpp"
#include "bench/text/table.hpp"
#include "bench/text/units.hpp"
#include "bench/text/words.hpp"
#include "simulator/nccl/choice.hpp"

namespace arlab::bench {
namespace {

namespace nccl = simulator::nccl;
using nccl_function = collectives::nccl_abi::Function;

constexpr Count kMostCallBytes = Count{1} << 48;  // of a call: products with ranks fit

struct Named {
  std::string_view name;
  Collective collective;
  nccl_function function;
};
constexpr Named kCollectives[] = {
    {"AllReduce", Collective::allreduce, nccl_function::all_reduce},
    {"AllGather", Collective::all_gather, nccl_function::all_gather},
    {"ReduceScatter", Collective::reduce_scatter, nccl_function::reduce_scatter},
    {"Broadcast", Collective::broadcast, nccl_function::broadcast}};

std::string word_at(std::string_view line, std::string_view before) {
  const std::size_t at = line.find(before);
  if (at == std::string_view::npos) return "";
  const std::string_view rest = line.substr(at + before.size());
  return std::string(rest.substr(0, rest.find_first_of(" \t\r,+")));
}

// Returns -1 unless the text is a whole number that is not negative.
Count number_in(const std::string& text) { return read_number<Count>(text).value_or(-1); }

// NCCL's word, or its number, in our names: "NVLS_TREE" and "5" are nvlstree.
std::string plain(std::string word, std::span<const char* const> by_number) {
  if (const Count number = number_in(word); number >= 0)
    word = number < static_cast<Count>(by_number.size())
               ? by_number[static_cast<std::size_t>(number)]
               : "";
  std::erase(word, '_');
  return lower(word);
}

std::string choice_in(std::string_view line) {
  const std::string algorithm =
      plain(word_at(line, "-> Algo "), collectives::nccl_abi::kAlgorithms);
  const std::string protocol = plain(word_at(line, " proto "), collectives::nccl_abi::kProtocols);
  return algorithm.empty() || protocol.empty() ? "" : algorithm + " " + protocol;
}

// "... nRanks 16 nNodes 2 localRanks 8 ...", or "... nranks 16 ...".
void take_facts(std::string_view line, NcclLog& log) {
  if (const std::string version = word_at(line, "NCCL version "); !version.empty()) {
    try {
      log.version = nccl::parse_version(version);
    } catch (const Error&) {  // a version without a model says nothing
    }
  }
  const Count nodes = number_in(word_at(line, " nNodes ")),
              local = number_in(word_at(line, " localRanks "));
  if (nodes > 0 && nodes <= (1 << 20) && local > 0 && local <= 1024) {
    const Count ranks = number_in(word_at(line, " nRanks "));
    if (ranks > 0 && ranks <= (1 << 22) && ranks != nodes * local) {
      log.uneven = std::max(log.uneven, static_cast<Rank>(ranks));
      return;  // each rank says how many its own node has
    }
    const bool differs = nodes != log.nodes || local != log.ranks_per_node;
    log.several = log.several || (log.nodes > 0 && differs);
    if (nodes * local < Count{log.nodes} * log.ranks_per_node) return;
    log.nodes = static_cast<Rank>(nodes);
    log.ranks_per_node = static_cast<Rank>(local);
  }
}

// The choice that a line names, with one call; no call: it names none that has a model.
LoggedChoice choice_of(std::string_view line) {
  for (const Named& named : kCollectives) {
    const Count bytes = number_in(word_at(line, fmt::format("{}: ", named.name)));
    const std::string took = choice_in(line);
    if (bytes < 1 || bytes > kMostCallBytes || took.empty()) continue;
    const bool in_parts = named.collective == Collective::all_gather ||
                          named.collective == Collective::reduce_scatter;
    return {.collective = named.collective,
            .bytes = bytes,
            .calls = 1,
            .of_one_rank = in_parts && line.find("channel{Lo..Hi}=") != std::string_view::npos,
            .took = took,
            .estimated = {},
            .tuned = {}};
  }
  return {};
}

// "AllReduce [Symmetric]" of "... NCCL INFO AllReduce [Symmetric]: 1024 Bytes -> Kernel ..."; empty
// if the line is not about a call.
std::string call_in(std::string_view line) {
  const std::size_t end = line.find(" Bytes -> ");
  if (end == std::string_view::npos) return "";
  std::vector<std::string_view> words = bench::words_of(line.substr(0, end));
  if (words.size() < 2 || !words[words.size() - 2].ends_with(':')) return "calls without a name";
  words.pop_back();
  words.back().remove_suffix(1);
  std::string name(words.back());
  if (name.starts_with('[') && words.size() > 1)
    name = std::string(words[words.size() - 2]) + " " + name;
  return name;
}

// "3 Reduce, 1 AllReduce [Symmetric]"
std::string left_out_text(const NcclLog& log) {
  std::string text;
  for (const auto& [name, calls] : log.left_out)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", calls, name);
  return text;
}

const nccl::Estimate* estimate_named(const nccl::Tuning& tuning, const std::string& name) {
  for (const nccl::Estimate& e : tuning.estimates)
    if (fmt::format("{} {}", nccl::name(e.algorithm), nccl::name(e.protocol)) == name) return &e;
  return nullptr;
}

}  // namespace

NcclLog read_nccl_log(std::string_view text, const std::string& file) {
  NcclLog log;
  std::map<std::tuple<int, Count, bool, std::string>, LoggedChoice> found;
  for (const std::string_view line : lines_of(text)) {
    take_facts(line, log);
    const LoggedChoice one = choice_of(line);
    if (one.calls == 0) {
      if (const std::string name = call_in(line); !name.empty()) ++log.left_out[name];
      continue;
    }
    const auto [at, is_first] = found.try_emplace(
        {static_cast<int>(one.collective), one.bytes, one.of_one_rank, one.took}, one);
    if (!is_first) ++at->second.calls;
  }
  if (found.empty())
    fail(Blame::usage,
         fmt::format("{} has no line such as 'AllReduce: 1024 Bytes -> Algo RING "
                     "proto LL': run with NCCL_DEBUG=INFO and "
                     "NCCL_DEBUG_SUBSYS=INIT,TUNING{}",
                     file, log.left_out.empty() ? "" : "; left out: " + left_out_text(log)));
  for (auto& [key, choice] : found) log.choices.push_back(std::move(choice));
  return log;
}

void compare_with_model(NcclLog& log, const nccl::Machine& machine,
                        const std::vector<collectives::TuningRule>& rules) {
  for (LoggedChoice& one : log.choices) {
    if (std::exchange(one.of_one_rank, false)) one.bytes *= machine.ranks();
    const nccl::Tuning tuning = nccl::tune(machine, one.collective);
    const auto bytes = static_cast<double>(one.bytes);
    const nccl::Choice choice = nccl::choose(tuning, bytes);
    one.estimated = fmt::format("{} {}", nccl::name(choice.estimate->algorithm),
                                nccl::name(choice.estimate->protocol));
    one.estimated_us = choice.us;
    if (const nccl::Estimate* took = estimate_named(tuning, one.took); took && took->bandwidth > 0)
      one.took_us = nccl::estimated_us(tuning, *took, bytes);
    const auto named = std::ranges::find(kCollectives, one.collective, &Named::collective);
    const collectives::TuningRule* rule =
        collectives::find_rule(rules, {.function = named->function,
                                       .bytes = one.bytes,
                                       .nodes = static_cast<int>(machine.nodes),
                                       .ranks = static_cast<int>(machine.ranks())});
    if (rule)
      one.tuned = plain(std::to_string(rule->algorithm), collectives::nccl_abi::kAlgorithms) + " " +
                  plain(std::to_string(rule->protocol), collectives::nccl_abi::kProtocols);
  }
}

std::string taken_table(const NcclLog& log) {
  std::vector<std::vector<std::string>> rows;
  for (const LoggedChoice& c : log.choices)
    rows.push_back({std::string(name(c.collective)),
                    show_bytes(c.of_one_rank ? c.bytes * log.uneven : c.bytes), show_count(c.calls),
                    c.took});
  return compact({"collective", "size", "calls", "NCCL took"}, rows);
}

std::string nccl_log_table(const NcclLog& log, const nccl::Machine& machine) {
  std::vector<std::vector<std::string>> rows;
  std::size_t same = 0;
  for (const LoggedChoice& c : log.choices) {
    same += c.took == c.estimated;
    rows.push_back({std::string(name(c.collective)), show_bytes(c.bytes), show_count(c.calls),
                    c.took, c.took_us > 0 ? show_time(c.took_us) : "", c.estimated,
                    show_time(c.estimated_us), c.took == c.estimated ? "yes" : "no", c.tuned});
  }
  return compact({"collective", "size", "calls", "NCCL took", "estimate", "estimates choose",
                  "its estimate", "the same", "tuner's table takes"},
                 rows) +
         fmt::format("\n{} of {} choices as NCCL's estimates choose on {} x {} {} with NCCL {}.\n",
                     same, log.choices.size(), machine.nodes, machine.ranks_per_node,
                     machine.gpu.name, nccl::show_version(machine.version)) +
         (log.left_out.empty()
              ? ""
              : fmt::format("Left out, as they have no estimates here: {}.\n", left_out_text(log)));
}

Json to_json(const LoggedChoice& c, const nccl::Machine& machine) {
  return {{"schema", kSchema},
          {"kind", "nccl_log"},
          {"collective", name(c.collective)},
          {"nodes", machine.nodes},
          {"ranks_per_node", machine.ranks_per_node},
          {"bytes", c.bytes},
          {"calls", c.calls},
          {"took", c.took},
          {"took_us", c.took_us > 0 ? Json(c.took_us) : Json(nullptr)},
          {"estimated", c.estimated},
          {"estimated_us", c.estimated_us},
          {"tuned", text_or_null(c.tuned)}};
}

}  // namespace arlab::bench
