#include "bench/results/record_table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/text/table.hpp"
#include "bench/text/units.hpp"

namespace arlab::bench {
namespace {

std::string count_cell(const std::optional<Cost>& cost, Count Cost::*member) {
  return cost ? show_count((*cost).*member) : "";
}

std::string difference(const Record& r, Count Cost::*member) {
  const auto claim = r.formula();
  if (!r.sent || !claim) return "";
  const Count d = (*r.sent).*member - (*claim).*member;
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

Column detailed(Column column, Detail detail) {
  column.detail = detail;
  return column;
}

// Settings that a sweep may vary.
void add_setting_columns(std::vector<Column>& columns) {
  columns.push_back(
      {"dtype", [](const Record& r) { return std::string(name(r.operand.dtype)); }, "float32"});
  columns.push_back({"op", [](const Record& r) { return std::string(name(r.operand.op)); }, "sum"});
  columns.push_back({"root", [](const Record& r) { return std::to_string(r.problem.root); }, "0"});
  columns.push_back({"segments", [](const Record& r) { return std::to_string(r.segments); }, "1"});
}

std::vector<Column> count_columns() {
  std::vector<Column> columns{kAlgorithm, kRanks, {"elements", [](const Record& r) {
                                                     return show_count(r.problem.elements);
                                                   }}};
  add_setting_columns(columns);
  const auto three = [&](const std::string& what, Count Cost::*member) {
    columns.push_back(
        {what + " claimed", [member](const Record& r) { return count_cell(r.formula(), member); }});
    columns.push_back({"counted", [member](const Record& r) { return count_cell(r.sent, member); },
                       "", Detail::none, what + " counted"});
    columns.push_back({"difference", [member](const Record& r) { return difference(r, member); }});
  };
  three("messages", &Cost::messages);
  three("elements sent", &Cost::elements);
  three("rounds", &Cost::rounds);
  columns.push_back(kSkipped);
  return columns;
}

std::vector<Column> verify_columns() {
  std::vector<Column> columns{kAlgorithm, kRanks};
  add_setting_columns(columns);
  const std::vector<Column> own{
      {"proof", [](const Record& r) { return !r.wrong        ? ""
                                             : *r.wrong == 0 ? "right"
                                                             : "WRONG"; }},
      kMessages,
      kRounds,
      detailed({"same order of additions on all ranks",
                [](const Record& r) {
                  const auto& same = r.as<VerifyBody>().same_on_all_ranks;
                  return !same ? "" : *same ? "yes" : "no";
                }},
               Detail::full),
      detailed({"order of additions",
                [](const Record& r) {
                  return shortened(r.as<VerifyBody>().bracketing.value_or(""), 60);
                }},
               Detail::some),
      {"fault", [](const Record& r) { return r.as<VerifyBody>().fault.value_or(""); }},
      kSkipped};
  columns.insert(columns.end(), own.begin(), own.end());
  return columns;
}

// Settings of a measurement.
void add_run_settings(std::vector<Column>& columns) {
  columns.push_back({"place", [](const Record& r) { return r.as<RunBody>().place(); }, "in"});
  columns.push_back({"mode", [](const Record& r) { return r.as<RunBody>().timing(); }, "alone"});
  columns.push_back({"cache", [](const Record& r) { return r.as<RunBody>().cache(); }, "warm"});
}

// A part of the time that late entry is split off from.
Column late_column(std::string header, Summary LateEntry::*part) {
  return {std::move(header), [part](const Record& r) {
            const auto& late = r.as<RunBody>().late_entry;
            return late ? show_time(((*late).*part).median) : "";
          }};
}

// The columns of a measurement, besides its time.
constexpr const char* kBesideLibrary = "vs library";

std::vector<Column> run_columns() {
  std::vector<Column> columns{
      {"95% CI of the median",
       [](const Record& r) {
         const auto time = r.time_us();
         if (!time) return std::string();
         const std::string ends = show_time(time->low) + " to " + show_time(time->high);
         return coverage(time->samples) < 0.95
                    ? "no CI of " + std::to_string(time->samples) + ", range " + ends
                    : ends;
       }},
      {"modelled",
       [](const Record& r) {
         const auto& modelled = r.as<RunBody>().modelled_us;
         return modelled ? show_time(*modelled) : "";
       }},
      late_column("collective", &LateEntry::collective_us),
      late_column("waiting", &LateEntry::mean_waiting_us),
      late_column("max waiting", &LateEntry::max_waiting_us),
      late_column("skew", &LateEntry::entry_skew_us),
      {"p99",
       [](const Record& r) {
         const auto time = r.time_us();
         return time ? show_time(time->p99) : "";
       }},
      {"n",
       [](const Record& r) {
         const auto time = r.time_us();
         return time ? std::to_string(time->samples) : "";
       }},
      {"wrong", [](const Record& r) { return r.wrong ? std::to_string(*r.wrong) : ""; }},
      {"verdict", [](const Record& r) { return r.as<RunBody>().verdict.value_or(""); }},
      {kBesideLibrary, [](const Record& r) { return r.as<RunBody>().beside_library.value_or(""); }},
      {"of copy limit",
       [](const Record& r) {
         const auto& fraction = r.as<RunBody>().copy_limit_fraction;
         return fraction ? fmt::format("{:.0f}%", 100 * *fraction) : "";
       }},
      {"chosen", [](const Record& r) { return r.as<RunBody>().native_choice.value_or(""); }},
      {"backend", [](const Record& r) {  // where the command does not say it all
         const std::string& backend = r.as<RunBody>().backend;
         return backend.find(' ') != std::string::npos ? backend : "";
       }}};
  for (Column& column : columns)
    column.detail = column.header == "wrong"          ? Detail::some
                    : column.header == "verdict"      ? Detail::some
                    : column.header == kBesideLibrary ? Detail::none
                                                      : Detail::full;
  return columns;
}

// The mean over the ranks of what they do in a simulated run.
Column rank_time_column(std::string header, Time simulator::RankTimes::*kind) {
  return {std::move(header), [kind](const Record& r) {
            const auto& of_rank = r.as<SimulateBody>().rank_times;
            double sum = 0;
            for (const simulator::RankTimes& times : of_rank) sum += microseconds(times.*kind);
            return of_rank.empty() ? "" : show_time(sum / static_cast<double>(of_rank.size()));
          }};
}

const Column kPredicted{"80% interval", [](const Record& r) {
                          const auto& body = r.as<SimulateBody>();
                          return body.low_us && body.high_us ? show_time(*body.low_us) + " to " +
                                                                   show_time(*body.high_us)
                                                             : "";
                        }};

// Of several simulated runs.
Column of_runs(const char* header, double Summary::*value) {
  return {header, [value](const Record& r) {
            const auto& runs = r.as<SimulateBody>().runs_us;
            return runs ? show_time((*runs).*value) : "";
          }};
}

std::vector<Column> timed_columns(bool simulated) {
  std::vector<Column> columns{
      kAlgorithm, kRanks, {"size", [](const Record& r) { return show_bytes(r.bytes()); }}};
  add_setting_columns(columns);
  if (!simulated) add_run_settings(columns);
  if (simulated)
    columns.push_back({"topology", [](const Record& r) {
                         const std::string& topology = r.as<SimulateBody>().topology;
                         return topology == "crossbar" ? "" : topology;
                       }});
  columns.push_back({"time", [](const Record& r) {
                       const auto time = r.time_us();
                       return time ? show_time(time->median) : "";
                     }});
  if (!simulated)
    for (Column& column : run_columns()) columns.push_back(std::move(column));
  if (simulated) {
    columns.push_back(of_runs("p50", &Summary::median));
    columns.push_back(of_runs("p99", &Summary::p99));
    columns.push_back(kPredicted);
    columns.push_back({"undisturbed", [](const Record& r) {
                         const auto& time = r.as<SimulateBody>().undisturbed_us;
                         return time ? show_time(*time) : "";
                       }});
    columns.push_back({"slowdown / delay", [](const Record& r) {
                         const auto ratio = r.as<SimulateBody>().slowdown_per_delay();
                         return ratio ? fmt::format("{:.3g}", *ratio) : "";
                       }});
  }
  if (simulated)
    for (const auto& [header, kind] : {std::pair("mean send", &simulator::RankTimes::send),
                                       std::pair("mean receive", &simulator::RankTimes::receive),
                                       std::pair("mean reduce", &simulator::RankTimes::reduce),
                                       std::pair("mean wait", &simulator::RankTimes::wait)})
      columns.push_back(rank_time_column(header, kind));
  if (simulated)
    columns.push_back({"of optimum", [](const Record& r) {
                         const auto fraction = r.as<SimulateBody>().optimum_fraction();
                         return fraction ? fmt::format("{:.1f}%", 100 * *fraction) : "";
                       }});
  if (simulated)
    columns.push_back({"most utilized link",
                       [](const Record& r) {
                         const auto& links = r.as<SimulateBody>().links;
                         return links ? to_string(*links) : "";
                       },
                       "", Detail::some});
  const auto rate_column = [](const char* name, std::optional<double> (Record::*rate)() const) {
    return Column{name, [rate](const Record& r) {
                    const auto value = (r.*rate)();
                    return value ? fmt::format("{:.4g}", *value) : "";
                  }};
  };
  columns.push_back(detailed(rate_column("algbw GB/s", &Record::algbw), Detail::full));
  columns.push_back(detailed(rate_column("busbw GB/s", &Record::busbw), Detail::some));
  columns.insert(columns.end(), {detailed(kMessages, Detail::full), detailed(kRounds, Detail::full),
                                 detailed(kSkipped, Detail::some)});
  return columns;
}

// Of a measurement beside the library's own.
Emphasis emphasis_of(const Record& r) {
  if (r.kind() != RunBody::kKind) return Emphasis::none;
  const RunBody& body = r.as<RunBody>();
  if (body.library && *body.library == r.algorithm) return Emphasis::baseline;
  return body.beside_library.value_or("").ends_with("faster") ? Emphasis::good : Emphasis::none;
}

}  // namespace

std::vector<Column> columns_of(std::string_view kind) {
  if (kind == CountBody::kKind) return count_columns();
  if (kind == VerifyBody::kKind) return verify_columns();
  return timed_columns(kind == SimulateBody::kKind);
}

Table table_of(const std::vector<Record>& records, const TableView& view) {
  Table table;
  if (records.empty()) return table;
  for (const Record& r : records) {
    TableRow& row = table.rows.emplace_back();
    row.is_exception = r.wrong.value_or(0) > 0;
    row.emphasis = row.is_exception ? Emphasis::bad : emphasis_of(r);
  }
  const bool claims = std::ranges::any_of(records, &Record::has_formula);
  for (const Column& column : columns_of(records.front().kind())) {
    const bool is_usual =
        !column.usual.empty() && std::all_of(records.begin(), records.end(), [&](const Record& r) {
          return column.cell(r) == column.usual;
        });
    if (is_usual && !names_column(view, column.header)) continue;
    const bool alone = !claims && !column.alone.empty() && !names_column(view, column.header);
    table.columns.push_back({alone ? column.alone : column.header, column.detail});
    for (std::size_t i = 0; i < records.size(); ++i)
      table.rows[i].cells.push_back(column.cell(records[i]));
  }
  return table;
}

std::string table(const std::vector<Record>& records) {
  return show_table(table_of(records), {}, {});
}

std::string cell_text(const Json& value) {
  return value.is_string() ? value.get<std::string>() : value.is_null() ? "" : value.dump();
}

}  // namespace arlab::bench
