#include "bench/table.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/units.hpp"

namespace arlab {
namespace {

// Characters, not bytes: UTF-8's continuation bytes take no room.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text)
    out += c == '|' ? std::string("\\|") : c == '\n' ? " " : std::string(1, c);
  return out;
}

// "12", "-1'024", "1.5e-06", "12.5 us", "4 KiB".
bool is_number(const std::string& text) {
  const std::string number = text.substr(0, text.find(' '));
  const std::string unit = text.substr(std::min(text.size(), number.size() + 1));
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  return number.find_first_of("0123456789") <= 1 &&
         number.find_first_not_of("0123456789'.+-e") == std::string::npos && unit.size() <= 3 &&
         std::all_of(unit.begin(), unit.end(), letter);
}

std::string padded(const std::string& text, std::size_t to, bool right) {
  const std::string space(to - std::min(to, width(text)), ' ');
  return right ? space + text : text + space;
}

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

void flatten(const Json& value, const std::string& key,
             std::vector<std::pair<std::string, Json>>& out) {
  if (value.is_object()) {
    for (const auto& [name, part] : value.items())
      flatten(part, key.empty() ? name : key + "." + name, out);
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i)
      flatten(value[i], fmt::format("{}.{}", key, i), out);
  } else {
    out.emplace_back(key, value);
  }
}

// Nested keys are always there, so that every row has the same columns.
std::vector<std::pair<std::string, Json>> flat(Json record) {
  if (record["claimed"].is_null())
    record["claimed"] = {{"messages", nullptr}, {"elements_sent", nullptr}, {"rounds", nullptr}};
  if (record["time_us"].is_null())
    record["time_us"] = {{"n", nullptr},
                         {"median", nullptr},
                         {"ci95", {nullptr, nullptr}},
                         {"min", nullptr},
                         {"p99", nullptr}};
  if (record.contains("hottest_links")) {  // a cell: their names
    std::string names;
    for (const Json& link : record["hottest_links"])
      names += (names.empty() ? "" : " ") + link["name"].get<std::string>();
    record["hottest_links"] = names.empty() ? Json(nullptr) : Json(names);
  }
  std::vector<std::pair<std::string, Json>> cells;
  flatten(record, "", cells);
  return cells;
}

std::string csv_cell(const Json& value) {
  if (value.is_null()) return "";
  const std::string text = value.is_string() ? value.get<std::string>() : value.dump();
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + '"';
}

}  // namespace

std::string markdown(const std::vector<std::string>& header,
                     const std::vector<std::vector<std::string>>& rows) {
  const std::size_t columns = header.size();
  std::vector<std::size_t> widths(columns);
  std::vector<bool> right(columns, true), filled(columns);
  const auto cell = [&](const std::vector<std::string>& row, std::size_t c) {
    return c < row.size() ? escaped(row[c]) : std::string();
  };
  for (std::size_t c = 0; c < columns; ++c) {
    widths[c] = std::max<std::size_t>(3, width(escaped(header[c])));
    for (const auto& row : rows) {
      const std::string text = cell(row, c);
      widths[c] = std::max(widths[c], width(text));
      filled[c] = filled[c] || !text.empty();
      right[c] = right[c] && (text.empty() || is_number(text));
    }
    right[c] = right[c] && filled[c];
  }
  std::string out;
  const auto line = [&](const std::vector<std::string>& row) {
    out += "|";
    for (std::size_t c = 0; c < columns; ++c)
      out += " " + padded(cell(row, c), widths[c], right[c]) + " |";
    out += "\n";
  };
  line(header);
  out += "|";
  for (std::size_t c = 0; c < columns; ++c)
    out += (right[c] ? " " + std::string(widths[c] - 1, '-') + ":"
                     : " " + std::string(widths[c], '-')) +
           " |";
  out += "\n";
  for (const auto& row : rows) line(row);
  return out;
}

std::string compact(const std::vector<std::string>& header,
                    const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::string> kept;
  std::vector<std::vector<std::string>> kept_rows(rows.size());
  for (std::size_t c = 0; c < header.size(); ++c) {
    const auto filled = [c](const auto& row) { return c < row.size() && !row[c].empty(); };
    if (std::none_of(rows.begin(), rows.end(), filled)) continue;
    kept.push_back(header[c]);
    for (std::size_t i = 0; i < rows.size(); ++i)
      kept_rows[i].push_back(c < rows[i].size() ? rows[i][c] : "");
  }
  return markdown(kept, kept_rows);
}

std::vector<Column> columns_of(const std::string& kind) {
  const Column algorithm{"algorithm", [](const Record& r) { return r.algorithm; }};
  const Column ranks{"ranks", [](const Record& r) { return std::to_string(r.problem.ranks); }};
  const Column elements{"elements", [](const Record& r) { return show_count(r.problem.elements); }};
  const Column size{"size", [](const Record& r) { return show_bytes(r.bytes()); }};
  const Column messages{"messages",
                        [](const Record& r) { return count_cell(r.sent, &Cost::messages); }};
  const Column rounds{"rounds", [](const Record& r) { return count_cell(r.sent, &Cost::rounds); }};
  const Column time{"time",
                    [](const Record& r) { return r.time_us ? show_time(r.time_us->median) : ""; }};
  const Column busbw{"busbw GB/s", [](const Record& r) {
                       const auto gbps = r.busbw();
                       return gbps ? fmt::format("{:.4g}", *gbps) : "";
                     }};
  const Column skipped{"skipped", [](const Record& r) { return r.skipped.value_or(""); }};
  if (kind == "count")
    return {
        algorithm,
        ranks,
        elements,
        {"messages claimed",
         [](const Record& r) { return count_cell(r.claimed, &Cost::messages); }},
        {"counted", [](const Record& r) { return count_cell(r.sent, &Cost::messages); }},
        {"difference", [](const Record& r) { return difference(r, &Cost::messages); }},
        {"elements sent claimed",
         [](const Record& r) { return count_cell(r.claimed, &Cost::elements); }},
        {"counted", [](const Record& r) { return count_cell(r.sent, &Cost::elements); }},
        {"difference", [](const Record& r) { return difference(r, &Cost::elements); }},
        {"rounds claimed", [](const Record& r) { return count_cell(r.claimed, &Cost::rounds); }},
        {"counted", [](const Record& r) { return count_cell(r.sent, &Cost::rounds); }},
        {"difference", [](const Record& r) { return difference(r, &Cost::rounds); }},
        skipped};
  if (kind == "verify")
    return {algorithm,
            ranks,
            {"proof",
             [](const Record& r) { return !r.wrong        ? ""
                                          : *r.wrong == 0 ? "right"
                                                          : "WRONG"; }},
            messages,
            rounds,
            {"same order of additions on all ranks",
             [](const Record& r) {
               return !r.same_on_all_ranks ? "" : *r.same_on_all_ranks ? "yes" : "no";
             }},
            {"order of additions",
             [](const Record& r) { return shortened(r.bracketing.value_or(""), 60); }},
            {"fault", [](const Record& r) { return r.fault.value_or(""); }},
            skipped};
  std::vector<Column> timed{algorithm, ranks, size};
  if (kind == "simulate")
    timed.push_back({"topology", [](const Record& r) {
                       return r.topology == "crossbar" ? "" : r.topology.value_or("");
                     }});
  timed.push_back(time);
  if (kind == "run") {
    timed.push_back({"95% CI of the median", [](const Record& r) {
                       return r.time_us
                                  ? show_time(r.time_us->low) + " to " + show_time(r.time_us->high)
                                  : "";
                     }});
    timed.push_back(
        {"p99", [](const Record& r) { return r.time_us ? show_time(r.time_us->p99) : ""; }});
    timed.push_back(
        {"n", [](const Record& r) { return r.time_us ? std::to_string(r.time_us->samples) : ""; }});
    timed.push_back(
        {"wrong", [](const Record& r) { return r.wrong ? std::to_string(*r.wrong) : ""; }});
    timed.push_back({"of copy limit", [](const Record& r) {
                       return r.of_copy_limit ? fmt::format("{:.0f}%", 100 * *r.of_copy_limit) : "";
                     }});
    timed.push_back({"chosen", [](const Record& r) { return r.chosen.value_or(""); }});
    timed.push_back({"backend", [](const Record& r) {  // where the command does not say it all
                       return r.backend && r.backend->find(' ') != std::string::npos ? *r.backend
                                                                                     : "";
                     }});
  }
  if (kind == "simulate")
    timed.push_back(
        {"hottest link", [](const Record& r) { return r.hottest ? text_of(*r.hottest) : ""; }});
  timed.insert(timed.end(), {busbw, messages, rounds, skipped});
  return timed;
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

std::string csv_header(const Json& record) {
  std::string line;
  for (const auto& [key, value] : flat(record)) line += (line.empty() ? "" : ",") + key;
  return line + "\n";
}

std::string csv_row(const Json& record) {
  std::string line;
  bool first = true;
  for (const auto& [key, value] : flat(record)) {
    if (!first) line += ',';
    first = false;
    line += csv_cell(value);
  }
  return line + "\n";
}

}  // namespace arlab
