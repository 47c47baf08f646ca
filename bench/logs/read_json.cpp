#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "bench/logs/log.hpp"
#include "bench/logs/nccl_names.hpp"
#include "bench/logs/nccl_rows.hpp"
#include "bench/logs/preamble.hpp"
#include "bench/logs/words.hpp"
#include "bench/text/words.hpp"

namespace arlab::bench {
namespace {

using LogJson = nlohmann::json;

// Both programs print six digits after the point.
Printed number_of(const LogJson& value) {
  constexpr double kHalf = 0.501e-6;
  if (!value.is_number()) return {-1, 0, 0};
  return {value.get<double>(), kHalf, 6};
}

std::string text_of(const LogJson& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end()) return "";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

// Returns the times of a row, or why it is refused.
std::string read_times(const LogJson& half, const char* time, const char* algbw, const char* busbw,
                       const char* wrong, NcclLogRow& row) {
  if (!half.is_object() || !half.contains(time) || !half.contains(algbw) || !half.contains(busbw))
    return fmt::format("no {}, {} and {}", time, algbw, busbw);
  row.time_us = number_of(half[time]);
  row.algbw = number_of(half[algbw]);
  row.busbw = number_of(half[busbw]);
  if (!(row.time_us.value > 0) || row.algbw.value < 0 || row.busbw.value < 0)
    return fmt::format("{}, {} or {} is not a number above 0", time, algbw, busbw);
  if (const auto count = printed_number(half.contains(wrong) ? text_of(half, wrong) : ""))
    row.wrong = static_cast<Count>(std::clamp(count->value, 0.0, 9e18));
  return contradiction(row);
}

std::string read_problem(const LogJson& result, NcclLogRow& row) {
  const auto size = whole_number(text_of(result, "size"));
  const auto count = whole_number(result.contains("count") ? text_of(result, "count") : "0");
  const auto type = nccl_type(text_of(result, "type"));
  const auto op = nccl_op(text_of(result, "redop"));
  const std::string root_text = text_of(result, "root");
  const std::vector<std::string_view> root = words_of(root_text);
  if (!size || !count || !type) return "no size, count and type that are known";
  if (!op || !op->known) return "no redop that records have";
  row.size = *size;
  row.count = *count;
  row.dtype = *type;
  row.op = op->op;
  const auto number = root.empty() ? std::nullopt : whole_number(root[0]);
  if (number && *number < (1 << 22)) row.root = static_cast<Rank>(*number);
  return "";
}

// nccl-tests lists the first rank of each process only: the others, of its threads and their GPUs,
// are on the same host.
void list_all_ranks(int threads, int gpus, LogPreamble& p) {
  constexpr std::int64_t kMost = 1024;  // of a process
  const std::int64_t of_process = std::int64_t{threads} * gpus;
  if (of_process < 2 || of_process > kMost || p.hosts.contains(1)) return;
  for (const auto& [first, host] : std::map(p.hosts))
    for (Rank rank = first + 1; rank < first + of_process; ++rank) {
      p.hosts.emplace(rank, host);
      p.communicators.emplace(rank, p.communicators[first]);
    }
}

// Of "NCCL_ALGO=Ring", among other words.
std::map<std::string, std::string> environment_of(const LogJson& file) {
  std::map<std::string, std::string> all;
  for (const LogJson& word : file.value("env", LogJson::array())) {
    const std::string text = word.is_string() ? word.get<std::string>() : "";
    const std::size_t equals = text.find('=');
    if (text.starts_with("NCCL_") && equals != std::string::npos)
      all[text.substr(0, equals)] = text.substr(equals + 1);
  }
  return all;
}

LogPreamble preamble_of(const LogJson& file) {
  LogPreamble p;
  const bool is_ours = text_of(file, "nccl_version") == "0";  // a program of the same name
  p.version = is_ours ? "arlab-" : "-J";
  const LogJson config = file.value("config", LogJson::object());
  if (!config.is_object()) return p;
  const auto count = [&](const char* key, int otherwise) {
    const auto value = whole_number(text_of(config, key));
    return value && *value > 0 && *value < (1 << 30) ? static_cast<int>(*value) : otherwise;
  };
  p.iterations = count("iterations", 20);
  p.aggregated = count("aggregated_iterations", 1);
  p.waits = text_of(config, "blocking_collectives") == "true";
  for (const LogJson& device : config.value("devices", LogJson::array())) {
    const auto rank = device.is_object() ? whole_number(text_of(device, "rank")) : std::nullopt;
    if (!rank || *rank >= (1 << 22)) continue;
    p.hosts[static_cast<Rank>(*rank)] = text_of(device, "hostname");
    p.communicators[static_cast<Rank>(*rank)] = whole_number(text_of(device, "group")).value_or(0);
    if (p.gpu.empty()) p.gpu = text_of(device, "device_info");
  }
  list_all_ranks(count("nthreads", 1), count("ngpus", 1), p);
  for (const LogJson& word : file.value("args", LogJson::array())) {
    if (!word.is_string()) continue;
    if (p.command.empty()) p.program = nccl_program(word.get<std::string>());
    p.command += (p.command.empty() ? "" : " ") + word.get<std::string>();
  }
  return p;
}

std::string library_of(const LogJson& file) {
  return nccl_release(whole_number(text_of(file, "nccl_version")).value_or(0));
}

// What the benchmark says against its own results.
void read_verdicts(const LogJson& file, Log& log) {
  const auto said = [&](const char* of, const char* key) {
    const auto found = file.find(of);
    return found != file.end() && found->is_object() ? text_of(*found, key) : std::string();
  };
  const auto values = whole_number(said("out_of_bounds", "count")).value_or(0);
  if (values > 0 || said("out_of_bounds", "okay") == "false")
    log.fail(1, fmt::format("out_of_bounds counts {}", values));
  if (said("average_bus_bandwidth", "okay") == "false")
    log.fail(1, fmt::format("average_bus_bandwidth is {}, which is not okay",
                            said("average_bus_bandwidth", "bandwidth")));
  const auto errors = file.find("errors");
  if (errors == file.end() || !errors->is_array() || errors->empty()) return;
  constexpr std::size_t kMost = 80;
  const LogJson& first = errors->front();
  const std::string text = first.is_string() ? first.get<std::string>() : first.dump();
  log.fail(1, fmt::format("errors names {}: {}", errors->size(), text.substr(0, kMost)));
}

void read_nccl_tests(const LogJson& file, const LogHints& hints, Log& log) {
  const LogPreamble p = preamble_of(file);
  NcclTable table{.line = 1,
                  .origin = nccl_origin(p, library_of(file), ""),
                  .program = p.program,
                  .ranks = listed_ranks(p),
                  .host_of_rank = hosts_of_ranks(p)};
  table.origin.tool = "nccl-tests";
  table.origin.date = text_of(file, "start_time");
  table.origin.environment = environment_of(file);
  std::size_t number = 0;
  for (const LogJson& result : file["results"]) {
    ++number;  // rows have no lines: their number stands for it
    NcclLogRow row{.line = number};
    std::string why = result.is_object() ? read_problem(result, row) : "not an object";
    for (const char* place : {"out_of_place", "in_place"}) {
      if (!why.empty() || !result.contains(place) || result[place].is_null()) continue;
      row.in_place = std::string_view(place) == "in_place";
      row.wrong.reset();
      why = read_times(result[place], "time", "alg_bw", "bus_bw", "nwrong", row);
      if (why.empty()) table.rows.push_back(row);
    }
    if (!why.empty()) log.refuse(number, fmt::format("result {}: {}", number, why));
  }
  read_verdicts(file, log);
  if (std::string note = split_note(p); !note.empty()) log.notes.push_back({1, note, false});
  settle(std::move(table), hints, log);
}

// rccl-tests writes a list of rows, each with the name of its collective and its ranks.
void read_rccl_tests(const LogJson& file, const LogHints& hints, Log& log) {
  std::map<std::pair<std::string, std::int64_t>, NcclTable> tables;
  std::size_t number = 0;
  for (const LogJson& result : file) {
    ++number;
    NcclLogRow row{.line = number};
    std::string why = result.is_object() ? read_problem(result, row) : "not an object";
    const auto ranks = why.empty() ? whole_number(text_of(result, "ranks")) : std::nullopt;
    if (why.empty() && (!ranks || *ranks < 1 || *ranks > (1 << 22))) why = "no ranks";
    const std::string called = why.empty() ? text_of(result, "name") : "";
    if (why.empty()) {
      const bool parts = called == "ReduceScatter" || called == "AllGather";
      row.count = row.size / static_cast<std::int64_t>(collectives::size_of(row.dtype)) /
                  (parts ? *ranks : 1);
      why = read_times(result, "time", "algBw", "busBw", "wrong", row);
    }
    if (!why.empty()) {
      log.refuse(number, fmt::format("result {}: {}", number, why));
      continue;
    }
    row.in_place = text_of(result, "inPlace") == "1";
    NcclTable& table = tables[{called, *ranks}];
    table.line = number;
    const std::string_view program = nccl_program_of_call("nccl" + called);
    table.program = program.empty() ? called : std::string(program);
    table.ranks = static_cast<Rank>(*ranks);
    table.origin = {.tool = "rccl-tests", .backend = "rccl"};
    table.rows.push_back(row);
  }
  for (auto& [key, table] : tables) settle(std::move(table), hints, log);
}

}  // namespace

Log read_log_json(const std::string& text, const LogHints& hints) {
  Log log;
  LogJson file;
  try {
    file = LogJson::parse(text);
  } catch (const LogJson::parse_error& error) {
    const std::size_t at = std::min<std::size_t>(error.byte, text.size());
    const auto lines =
        std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
    log.refuse(static_cast<std::size_t>(lines) + 1,
               "the JSON ends or breaks here: nothing is read");
    return log;
  }
  if (file.is_object() && file.contains("results") && file["results"].is_array())
    read_nccl_tests(file, hints, log);
  else if (file.is_array())
    read_rccl_tests(file, hints, log);
  else
    log.refuse(1, "JSON, but neither that of nccl-tests (-J) nor of rccl-tests (-Z json)");
  return log;
}

}  // namespace arlab::bench
