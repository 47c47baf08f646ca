#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>

#include "bench/text/table.hpp"
#include "bench/text/units.hpp"
#include "bench/validation/errors.hpp"
#include "bench/validation/nccl/validation.hpp"

namespace arlab::bench {
namespace {

using Cells = std::vector<std::vector<std::string>>;
using Chosen = std::vector<const PredictedNccl*>;
using Keys = std::function<std::vector<std::string>(const PredictedNccl&)>;

std::vector<std::string> error_cells(std::vector<std::string> keys, const Chosen& rows) {
  std::vector<double> ours, theirs;
  for (const PredictedNccl* row : rows) {
    ours.push_back(row->error());
    theirs.push_back(row->nccl_error());
  }
  const Errors e = errors_of(ours), own = errors_of(theirs);
  keys.insert(keys.end(), {fmt::format("{}", e.rows), show_percent(e.median), show_percent(e.p90),
                           show_percent(e.worst), fmt::format("{:+.1f}%", 100 * e.bias),
                           show_percent(own.median), show_percent(own.p90)});
  return keys;
}

std::string by(const std::vector<std::string>& names, const Chosen& rows, const Keys& keys_of,
               bool with_all = false) {
  std::map<std::vector<std::string>, Chosen> groups;
  for (const PredictedNccl* row : rows) groups[keys_of(*row)].push_back(row);
  Cells cells;
  for (const auto& [keys, of] : groups) cells.push_back(error_cells(keys, of));
  if (with_all && groups.size() > 1) {
    std::vector<std::string> all(names.size());
    all.front() = "all";
    cells.push_back(error_cells(all, rows));
  }
  std::vector<std::string> header = names;
  header.insert(header.end(),
                {"rows", "median", "p90", "worst", "bias", "NCCL's own median", "NCCL's own p90"});
  return markdown(header, cells);
}

Chosen predicted(const NcclValidation& validation, NcclSplit split,
                 std::optional<bool> several_nodes = {}) {
  Chosen rows;
  for (const PredictedNccl& row : validation.rows) {
    const bool is_there = !several_nodes || *several_nodes == (row.row.nodes > 1);
    if (row.predicted_us && row.row.split == split && is_there) rows.push_back(&row);
  }
  return rows;
}

std::vector<std::string> machine_keys(const PredictedNccl& p) {
  return {p.row.version.empty() ? p.row.machine : p.row.machine + ", " + p.row.version,
          fmt::format("{} x {}", p.row.nodes, p.row.gpus_per_node), p.row.collective};
}

std::vector<std::string> choice_keys(const PredictedNccl& p) {
  return {p.algorithm + " " + p.protocol};
}

// Sizes by factors of 16, with a number first that sorts them.
std::vector<std::string> size_keys(const PredictedNccl& p) {
  const int class_of = static_cast<int>(std::log2(p.row.bytes)) / 4;
  const auto first = std::int64_t{1} << (4 * class_of);
  return {fmt::format("{:2}: {} to below {}", class_of, show_bytes(first), show_bytes(16 * first))};
}

std::string split_tables(const std::string& title, const Chosen& rows) {
  if (rows.empty()) return "";
  return fmt::format("{} rows {}.\n\n{}\n{}\n{}\n", rows.size(), title,
                     by({"machine", "nodes x GPUs", "collective"}, rows, machine_keys, true),
                     by({"NCCL takes"}, rows, choice_keys), by({"size"}, rows, size_keys));
}

std::string not_predicted(const NcclValidation& validation) {
  std::map<std::string, std::size_t> reasons;
  for (const PredictedNccl& row : validation.rows)
    if (!row.predicted_us) ++reasons[row.row.collective + ": " + row.reason];
  Cells cells;
  for (const auto& [reason, rows] : reasons) cells.push_back({fmt::format("{}", rows), reason});
  return cells.empty() ? "" : "\n" + markdown({"rows left out", "reason"}, cells);
}

}  // namespace

std::string nccl_tables(const NcclValidation& validation) {
  std::string text =
      "nccl.csv: times of NCCL's own choice. Errors of predictions from the machine's calibration "
      "rows; bias: median\nwith its sign. Beside them the estimates by which NCCL itself "
      "chooses.\n\n";
  text +=
      split_tables("of split test inside one node", predicted(validation, NcclSplit::test, false));
  text +=
      split_tables("of split test on several nodes", predicted(validation, NcclSplit::test, true));
  constexpr std::string_view kUnfitted =
      " of machines without calibration rows, none of theirs fitted";
  text += split_tables(fmt::format("inside one node{}", kUnfitted),
                       predicted(validation, NcclSplit::unfitted, false));
  text += split_tables(fmt::format("on several nodes{}", kUnfitted),
                       predicted(validation, NcclSplit::unfitted, true));
  Cells cells;
  for (const FittedSystem& one : validation.machines)
    cells.push_back(
        {one.system, fmt::format("{}", one.rows), fmt::format("{}", one.parameters.size())});
  if (!cells.empty())
    text += "Fitted to rows of split calibrate only:\n\n" +
            markdown({"machine", "calibration rows", "numbers"}, cells);
  return text + not_predicted(validation);
}

std::string nccl_log_tables(const NcclValidation& validation) {
  Cells cells;
  for (const PredictedNccl& p : validation.rows)
    if (p.predicted_us)
      cells.push_back({p.row.machine, fmt::format("{} x {}", p.row.nodes, p.row.gpus_per_node),
                       p.row.collective, p.row.in_place ? "in" : "out",
                       show_bytes(static_cast<std::int64_t>(p.row.bytes)),
                       p.algorithm + " " + p.protocol, show_time(p.row.us),
                       show_time(*p.predicted_us), fmt::format("{:+.1f}%", 100 * p.error()),
                       show_time(p.nccl_us), fmt::format("{:+.1f}%", 100 * p.nccl_error())});
  std::string text;
  if (!cells.empty())
    text = markdown({"machine", "nodes x GPUs", "collective", "place", "size", "NCCL takes",
                     "measured", "predicted", "error", "NCCL's own", "its error"},
                    cells) +
           "\n" + by({"size"}, predicted(validation, NcclSplit::unfitted), size_keys, true);
  return text + not_predicted(validation);
}

std::string nccl_misses(const NcclValidation& validation, double least) {
  Chosen rows;
  for (const PredictedNccl& row : validation.rows)
    if (row.predicted_us && row.row.split != NcclSplit::calibrate && std::abs(row.error()) > least)
      rows.push_back(&row);
  std::stable_sort(rows.begin(), rows.end(), [](const PredictedNccl* a, const PredictedNccl* b) {
    return std::abs(std::log(1 + a->error())) > std::abs(std::log(1 + b->error()));
  });
  Cells cells;
  for (const PredictedNccl* p : rows)
    cells.push_back({p->row.machine, fmt::format("{} x {}", p->row.nodes, p->row.gpus_per_node),
                     p->row.collective, p->row.dtype,
                     show_bytes(static_cast<std::int64_t>(p->row.bytes)),
                     p->algorithm + " " + p->protocol, show_time(p->row.us),
                     show_time(*p->predicted_us), fmt::format("{:+.0f}%", 100 * p->error())});
  if (cells.empty()) return fmt::format("No error is above {:.0f}%.\n", 100 * least);
  return markdown({"machine", "nodes x GPUs", "collective", "dtype", "size", "NCCL takes",
                   "measured", "predicted", "error"},
                  cells);
}

std::string nccl_parameters(const NcclValidation& validation) {
  Cells cells;
  for (const FittedSystem& one : validation.machines)
    for (const FittedSystem::Value& value : one.parameters)
      cells.push_back({one.system, value.name, fmt::format("{:.3g}", value.value)});
  return markdown({"machine", "parameter", "value"}, cells);
}

Json to_json(const PredictedNccl& p) {
  return {{"schema", kSchema},
          {"kind", "validate_nccl"},
          {"machine", p.row.machine},
          {"network", p.row.network},
          {"version", p.row.version},
          {"nodes", p.row.nodes},
          {"ranks_per_node", p.row.gpus_per_node},
          {"collective", p.row.collective},
          {"dtype", p.row.dtype},
          {"bytes", static_cast<std::int64_t>(p.row.bytes)},
          {"place", p.row.in_place ? "in" : "out"},
          {"split", name(p.row.split)},
          {"algorithm", p.algorithm},
          {"protocol", p.protocol},
          {"measured_us", p.row.us},
          {"predicted_us", or_null(p.predicted_us)},
          {"nccl_us", p.predicted_us ? Json(p.nccl_us) : Json(nullptr)},
          {"skipped", p.predicted_us ? Json(nullptr) : Json(p.reason)}};
}

}  // namespace arlab::bench
