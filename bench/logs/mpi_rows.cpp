#include "bench/logs/mpi_rows.hpp"

#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "algorithms/base/text.hpp"
#include "bench/logs/nccl_names.hpp"
#include "bench/logs/words.hpp"

namespace arlab::bench {
namespace {

using collectives::DType, collectives::Op;

constexpr std::pair<std::string_view, DType> kMpiTypes[] = {
    {"MPI_FLOAT", DType::float32}, {"MPI_DOUBLE", DType::float64}, {"MPI_INT", DType::int32},
    {"MPI_LONG", DType::int64},    {"MPI_CHAR", DType::int8},      {"MPI_SIGNED_CHAR", DType::int8},
    {"MPI_BYTE", DType::uint8}};
constexpr std::pair<std::string_view, Op> kMpiOps[] = {
    {"MPI_SUM", Op::sum}, {"MPI_PROD", Op::prod}, {"MPI_MIN", Op::min}, {"MPI_MAX", Op::max}};
constexpr std::pair<std::string_view, Collective> kBenchmarks[] = {
    {"Allreduce", Collective::allreduce}, {"Reduce_scatter", Collective::reduce_scatter},
    {"Reduce", Collective::reduce},       {"Allgather", Collective::all_gather},
    {"Broadcast", Collective::broadcast}, {"Bcast", Collective::broadcast}};

std::string name_in_mpi(Collective collective) {
  constexpr std::string_view kNames[] = {"MPI_Allreduce", "MPI_Reduce_scatter", "MPI_Allgather",
                                         "MPI_Reduce", "MPI_Bcast"};
  static_assert(std::size(kNames) == std::size(kCollectives));
  return std::string(kNames[static_cast<std::size_t>(collective)]);
}

// OSU has benchmarks of NCCL, too; XCCL is what MVAPICH calls NCCL and its relatives.
bool calls_nccl(const LogPreamble& p) { return !p.osu_library.empty() && p.osu_library != "MPI"; }

// mpi, or mpi-cuda and mpi-rocm where the buffers are on devices.
std::string mpi_backend(const LogPreamble& p) {
  if (calls_nccl(p)) return p.osu_device == "ROCM" ? "rccl" : "nccl";
  return p.osu_device.empty() ? "mpi" : "mpi-" + lower(p.osu_device);
}

LogOrigin origin_of(const LogPreamble& p, const LogLayout& layout, Collective collective) {
  const bool osu = layout.tool == LogTool::osu;
  const std::string& version = osu ? p.osu_version : p.imb_version;
  LogOrigin origin{.tool = (osu ? "OSU" : "IMB") + (version.empty() ? "" : " " + version),
                   .backend = osu ? mpi_backend(p) : "mpi",
                   .date = p.date,
                   .mean_over_ranks = layout.count(LogColumn::most) == 0};
  origin.algorithm = osu && calls_nccl(p) ? nccl_call(collective) : name_in_mpi(collective);
  return origin;
}

// The type of the elements: what the log says, else the default of the benchmark.
std::optional<DType> type_of(const LogPreamble& p, LogTool tool, bool reduces) {
  if (tool == LogTool::osu)
    return named(kMpiTypes, !p.datatype.empty() ? p.datatype : reduces ? "MPI_FLOAT" : "MPI_CHAR");
  return named(kMpiTypes, reduces              ? p.datatype_of_reductions
                          : p.datatype.empty() ? "MPI_BYTE"
                                               : p.datatype);
}

// The name of the collective that the comments name: "Allreduce".
std::string mpi_benchmark(const LogPreamble& p, LogTool tool) {
  if (tool == LogTool::imb) return p.benchmark;
  const std::size_t end = p.osu_title.find(" Latency");
  return p.osu_title.substr(0, end == std::string::npos ? p.osu_title.size() : end);
}

}  // namespace

std::variant<MpiRow, std::string> mpi_row(const std::vector<std::string_view>& words,
                                          const LogLayout& layout, std::size_t line) {
  if (words.size() != layout.columns.size())
    return fmt::format("{} words, but the table has {} columns", words.size(),
                       layout.columns.size());
  MpiRow row{.line = line};
  std::optional<double> least, average, most;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const LogColumn column = layout.columns[i];
    const bool whole = column == LogColumn::size || column == LogColumn::repetitions;
    const std::optional<std::int64_t> count = whole ? whole_number(words[i]) : std::nullopt;
    const std::optional<Printed> number = printed_number(words[i]);
    if (column != LogColumn::word && (whole ? !count.has_value() : !number || number->value < 0))
      return fmt::format("'{}' is not a number of its column", words[i].substr(0, 40));
    if (column == LogColumn::size) row.size = *count;
    if (column == LogColumn::least) least = number->value;
    if (column == LogColumn::average) average = number->value;
    if (column == LogColumn::most) most = number->value;
    const bool time =
        column == LogColumn::least || column == LogColumn::average || column == LogColumn::most;
    if (!time) continue;
    if (row.decimals > 0 && number->decimals != row.decimals)
      return fmt::format("'{}' has not as many digits as the other times", words[i].substr(0, 40));
    row.decimals = number->decimals;
  }
  if (!average) return std::string("no mean time");
  if ((least && *least > *average) || (most && *most < *average))
    return fmt::format("the mean time, {}, is not between the least and the most", *average);
  row.time_us = most.value_or(*average);
  if (!(row.time_us > 0)) return std::string("the time is 0");
  return row;
}

void settle(std::size_t line, const LogLayout& layout, const LogPreamble& p,
            const std::vector<MpiRow>& rows, const LogHints& hints, Log& log) {
  if (rows.empty()) return;
  const auto give_up = [&](const std::string& why) {
    log.refuse(line, fmt::format("{}: {} rows left out", why, rows.size()));
  };
  const std::string benchmark = mpi_benchmark(p, layout.tool);
  const auto collective = hints.collective ? hints.collective : named(kBenchmarks, benchmark);
  if (!collective) return give_up(fmt::format("records have no collective '{}'", benchmark));
  const std::optional<Rank> ranks = hints.ranks ? hints.ranks : p.processes;
  if (!ranks)
    return give_up(fmt::format("{}: give --assume ranks=NUMBER to arlab import",
                               layout.tool == LogTool::osu
                                   ? "OSU does not print the number of ranks"
                                   : "no line of IMB says the number of processes"));
  if (p.processes && *p.processes != *ranks)
    return give_up(
        fmt::format("IMB prints {} processes, but --assume says ranks={}", *p.processes, *ranks));
  if (p.groups > 1) return give_up(fmt::format("{} groups ran at once", p.groups));
  const bool reduces = Problem{.collective = *collective}.reduces();
  const std::optional<DType> type = type_of(p, layout.tool, reduces);
  const std::optional<Op> op = named(kMpiOps, p.op);
  if (!type || !op) return give_up("records have no such type or operation");
  // What an all_gather calls its size is that of a rank's part.
  const std::int64_t parts = *collective == Collective::all_gather ? *ranks : 1;
  LogTable table{.line = line,
                 .origin = origin_of(p, layout, *collective),
                 .collective = *collective,
                 .ranks = *ranks};
  std::int64_t before = -1;
  for (const MpiRow& row : rows) {
    if (row.size <= before) {
      log.refuse(row.line, fmt::format("{} bytes follow {}", row.size, before));
    } else if (row.decimals != rows.front().decimals) {
      log.refuse(row.line, "its times have not as many digits as those of the first row");
    } else if (row.size > (std::int64_t{1} << 62) / parts ||
               row.size % static_cast<std::int64_t>(collectives::size_of(*type)) != 0) {
      log.refuse(row.line, fmt::format("{} bytes are no vector of {}", row.size, name(*type)));
    } else {
      before = row.size;
      table.rows.push_back({.line = row.line,
                            .bytes = row.size * parts,
                            .operand = {*type, *op},
                            .in_place = *collective == Collective::broadcast,
                            .time_us = row.time_us});
    }
  }
  if (!table.rows.empty()) log.tables.push_back(std::move(table));
}

}  // namespace arlab::bench
