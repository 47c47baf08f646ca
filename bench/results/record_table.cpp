#include "bench/results/record_table.hpp"

#include <fmt/format.h>

#include "bench/cli/units.hpp"
#include "bench/results/table.hpp"

namespace arlab::bench {
namespace {

std::string count_cell(const std::optional<Cost>& cost, Count Cost::*member) {
  return cost ? show_count((*cost).*member) : "";
}

std::string difference(const Record& r, Count Cost::*member) {
  if (!r.sent || !r.claimed) return "";
  const Count d = (*r.sent).*member - (*r.claimed).*member;
  return d == 0 ? "0" : fmt::format("{:+}", d);
}

std::string shortened(const std::string& text, std::size_t limit) {
  return text.size() <= limit ? text : text.substr(0, limit) + "...";
}

const Column kAlgorithm{"algorithm", [](const Record& r) { return r.algorithm; }};
const Column kRanks{"ranks", [](const Record& r) { return std::to_string(r.problem.ranks); }};
const Column kMessages{"messages",
                       [](const Record& r) { return count_cell(r.sent, &Cost::messages); }};
const Column kRounds{"rounds", [](const Record& r) { return count_cell(r.sent, &Cost::rounds); }};
const Column kSkipped{"skipped", [](const Record& r) { return r.skipped.value_or(""); }};

std::vector<Column> count_columns() {
  std::vector<Column> columns{kAlgorithm, kRanks, {"elements", [](const Record& r) {
                                                     return show_count(r.problem.elements);
                                                   }}};
  const auto three = [&](const std::string& what, Count Cost::*member) {
    columns.push_back(
        {what + " claimed", [member](const Record& r) { return count_cell(r.claimed, member); }});
    columns.push_back(
        {"counted", [member](const Record& r) { return count_cell(r.sent, member); }});
    columns.push_back({"difference", [member](const Record& r) { return difference(r, member); }});
  };
  three("messages", &Cost::messages);
  three("elements sent", &Cost::elements);
  three("rounds", &Cost::rounds);
  columns.push_back(kSkipped);
  return columns;
}

std::vector<Column> verify_columns() {
  return {
      kAlgorithm,
      kRanks,
      {"proof", [](const Record& r) { return !r.wrong        ? ""
                                             : *r.wrong == 0 ? "right"
                                                             : "WRONG"; }},
      kMessages,
      kRounds,
      {"same order of additions on all ranks",
       [](const Record& r) {
         return !r.same_on_all_ranks ? "" : *r.same_on_all_ranks ? "yes" : "no";
       }},
      {"order of additions",
       [](const Record& r) { return shortened(r.bracketing.value_or(""), 60); }},
      {"fault", [](const Record& r) { return r.fault.value_or(""); }},
      kSkipped};
}

// What a measurement knows besides its time.
std::vector<Column> run_columns() {
  return {
      {"95% CI of the median",
       [](const Record& r) {
         return r.time_us ? show_time(r.time_us->low) + " to " + show_time(r.time_us->high) : "";
       }},
      {"p99", [](const Record& r) { return r.time_us ? show_time(r.time_us->p99) : ""; }},
      {"n", [](const Record& r) { return r.time_us ? std::to_string(r.time_us->samples) : ""; }},
      {"wrong", [](const Record& r) { return r.wrong ? std::to_string(*r.wrong) : ""; }},
      {"of copy limit",
       [](const Record& r) {
         return r.of_copy_limit ? fmt::format("{:.0f}%", 100 * *r.of_copy_limit) : "";
       }},
      {"chosen", [](const Record& r) { return r.chosen.value_or(""); }},
      {"backend", [](const Record& r) {  // where the command does not say it all
         return r.backend && r.backend->find(' ') != std::string::npos ? *r.backend : "";
       }}};
}

std::vector<Column> timed_columns(const std::string& kind) {
  const bool simulated = kind == "simulate";
  std::vector<Column> columns{
      kAlgorithm, kRanks, {"size", [](const Record& r) { return show_bytes(r.bytes()); }}};
  if (simulated)
    columns.push_back({"topology", [](const Record& r) {
                         return r.topology == "crossbar" ? "" : r.topology.value_or("");
                       }});
  columns.push_back(
      {"time", [](const Record& r) { return r.time_us ? show_time(r.time_us->median) : ""; }});
  if (kind == "run")
    for (Column& column : run_columns()) columns.push_back(std::move(column));
  if (simulated)
    columns.push_back(
        {"hottest link", [](const Record& r) { return r.hottest ? text_of(*r.hottest) : ""; }});
  columns.push_back({"busbw GB/s", [](const Record& r) {
                       const auto gbps = r.busbw();
                       return gbps ? fmt::format("{:.4g}", *gbps) : "";
                     }});
  columns.insert(columns.end(), {kMessages, kRounds, kSkipped});
  return columns;
}

}  // namespace

std::vector<Column> columns_of(const std::string& kind) {
  if (kind == "count") return count_columns();
  if (kind == "verify") return verify_columns();
  return timed_columns(kind);
}

std::string table(const std::vector<Record>& records) {
  if (records.empty()) return "";
  std::vector<std::string> header;
  std::vector<std::vector<std::string>> rows(records.size());
  for (const Column& column : columns_of(records.front().kind)) {
    header.push_back(column.header);
    for (std::size_t i = 0; i < rows.size(); ++i) rows[i].push_back(column.cell(records[i]));
  }
  return compact(header, rows);
}

}  // namespace arlab::bench
