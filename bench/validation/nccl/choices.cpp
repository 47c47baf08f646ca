#include "bench/validation/nccl/choices.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>

#include "algorithms/base/text.hpp"
#include "bench/text/table.hpp"
#include "bench/validation/published/csv_table.hpp"
#include "simulator/nccl/choice.hpp"

namespace arlab::bench {
namespace {

namespace nccl = simulator::nccl;

// AWS counts on 20 us of EFA on p5 and p5e, and on 18 us on p5en: as facts from its tuner.
struct Platform {
  std::string_view name, gpu;
  double latency;
};
constexpr Platform kPlatforms[] = {
    {"p5_p5e", "h100", 20}, {"p5en", "h200", 18}, {"p6", "b200", 18}};

// The tuner's names without capitals and underscores: "nvlstree simple".
std::string choice_text(std::string algorithm, const std::string& protocol) {
  std::string text = std::move(algorithm) + " " + protocol;
  std::erase(text, '_');
  return lower(text);
}

std::optional<Collective> collective_named(std::string_view name) {
  if (name == "AllReduce") return Collective::allreduce;
  if (name == "AllGather") return Collective::all_gather;
  if (name == "ReduceScatter") return Collective::reduce_scatter;
  return std::nullopt;
}

const Platform& platform_of(const CsvTable& table, std::size_t row) {
  const std::string text = table.text(row, "platform");
  for (const Platform& platform : kPlatforms)
    if (text.starts_with(platform.name)) return platform;
  table.refuse(row, "platform", "give p5_p5e, p5en or p6");
}

}  // namespace

std::vector<TunerRow> read_tuner_rows(std::string_view text, const std::string& name) {
  const CsvTable table(
      text, name,
      {"platform", "ranks_per_node", "collective", "nodes", "bytes", "algorithm", "protocol"});
  std::vector<TunerRow> rows;
  std::map<std::string, nccl::Tuning> tunings;
  for (std::size_t i = 0; i < table.rows(); ++i) {
    const auto collective = collective_named(table.text(i, "collective"));
    if (!collective) table.refuse(i, "collective", "give AllReduce, AllGather or ReduceScatter");
    const Platform& platform = platform_of(table, i);
    TunerRow row{.platform = table.text(i, "platform"),
                 .collective = table.text(i, "collective"),
                 .tuner = choice_text(table.text(i, "algorithm"), table.text(i, "protocol")),
                 .own = "",
                 .bytes = static_cast<double>(table.whole(i, "bytes", 1)),
                 .nodes = static_cast<int>(std::min<Count>(table.whole(i, "nodes", 1), 1 << 20)),
                 .ranks_per_node =
                     static_cast<int>(std::min<Count>(table.whole(i, "ranks_per_node", 1), 1024))};
    const std::string key =
        fmt::format("{} {} {} {}", row.platform, row.collective, row.nodes, row.ranks_per_node);
    if (!tunings.contains(key))
      tunings.emplace(key, nccl::tune({.gpu = nccl::find_gpu(platform.gpu),
                                       .cpu = nccl::Cpu::amd,
                                       .nodes = row.nodes,
                                       .ranks_per_node = row.ranks_per_node,
                                       .nic_latency = platform.latency},
                                      *collective));
    const nccl::Choice choice = nccl::choose(tunings.at(key), row.bytes);
    row.own = fmt::format("{} {}", simulator::nccl::name(choice.estimate->algorithm),
                          simulator::nccl::name(choice.estimate->protocol));
    rows.push_back(std::move(row));
  }
  return rows;
}

std::string tuner_tables(const std::vector<TunerRow>& rows) {
  std::map<std::vector<std::string>, std::pair<int, int>> agree;  // of, equal
  std::map<std::string, std::map<std::pair<std::string, std::string>, int>> matrix;
  for (const TunerRow& row : rows) {
    auto& [all, equal] =
        agree[{row.platform, row.collective, fmt::format("{}", row.ranks_per_node)}];
    ++all;
    equal += row.own == row.tuner;
    ++matrix[row.collective][{row.own, row.tuner}];
  }
  std::vector<std::vector<std::string>> cells;
  for (const auto& [keys, counts] : agree) {
    cells.push_back(keys);
    cells.back().push_back(fmt::format("{}", counts.first));
    cells.back().push_back(fmt::format("{:.0f}%", 100.0 * counts.second / counts.first));
  }
  std::string text =
      "aws_choice.csv: what AWS's tuner takes, beside what NCCL 2.28's own estimates choose.\n\n" +
      markdown({"platform", "collective", "ranks per node", "rows", "the same"}, cells);
  for (const auto& [collective, counts] : matrix) {
    std::set<std::string> tuner, own;
    for (const auto& [pair, number] : counts) own.insert(pair.first), tuner.insert(pair.second);
    std::vector<std::string> header{fmt::format("{}: NCCL's estimates", collective)};
    for (const std::string& one : tuner) header.push_back("tuner: " + one);
    cells.clear();
    for (const std::string& ours : own) {
      cells.push_back({ours});
      for (const std::string& theirs : tuner) {
        const auto at = counts.find({ours, theirs});
        cells.back().push_back(at == counts.end() ? "0" : fmt::format("{}", at->second));
      }
    }
    text += "\n" + markdown(header, cells);
  }
  return text;
}

}  // namespace arlab::bench
