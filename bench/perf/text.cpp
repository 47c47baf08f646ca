#include "bench/perf/text.hpp"

#include <fmt/chrono.h>
#include <fmt/printf.h>

#include <chrono>
#include <ctime>

#include "bench/results/version.hpp"

namespace arlab::bench {
namespace {

constexpr const char* kStampFormat = "%Y-%m-%d %H:%M:%S";

std::string table_head(const PerfOptions& o) {
  const char* const time = o.cpu_time ? "cputime" : "time";
  const int width = o.time_stamps ? 19 : 0;
  std::string text = fmt::sprintf(
      "#\n# %10s  %12s  %8s  %6s  %6s           out-of-place                       in-place        "
      "  "
      "\n",
      "", "", "", "", "");
  const auto line = [&](const char* size, const char* count, const char* type, const char* op,
                        const char* root, const char* us, const char* algbw, const char* busbw,
                        const char* wrong, const char* stamp) {
    text += fmt::sprintf("# %10s  %12s  %8s  %6s  %6s", size, count, type, op, root);
    for (int half = 0; half < 2; ++half)
      text += fmt::sprintf("  %7s  %6s  %6s  %6s", us, algbw, busbw, wrong);
    text += fmt::sprintf(" %*s\n", width, stamp);
  };
  line("size", "count", "type", "redop", "root", time, "algbw", "busbw", "#wrong",
       o.time_stamps ? "timestamp" : "");
  line("(B)", "(elements)", "", "", "", "(us)", "(GB/s)", "(GB/s)", "",
       o.time_stamps ? kStampFormat : "");
  return text;
}

std::string half_line(const PerfTime& time, bool checked) {
  const std::string numbers = fmt::sprintf("  %7s  %6s  %6s", perf_number(time.us, 7),
                                           perf_number(time.algbw, 6), perf_number(time.busbw, 6));
  return numbers + (checked ? fmt::sprintf("  %6g", static_cast<double>(time.wrong)) : "    N/A");
}

}  // namespace

std::string perf_number(double value, int width) {
  int power = 0;  // digits before the point
  for (double limit = 1; value >= limit && power < 30; limit *= 10) ++power;
  if (power < width - 2) return fmt::sprintf("%*.2f", width, value);
  if (power < width - 1) return fmt::sprintf("%*.1f", width, value);
  if (power < width + 1) return fmt::sprintf("%*.0f", width, value);
  return width >= 7 ? fmt::sprintf("%*.1e", width, value) : fmt::sprintf("%*.0e", width, value);
}

std::string perf_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  return fmt::format("{:%Y-%m-%d %H:%M:%S}", fmt::localtime(now));
}

std::string perf_header(const PerfOptions& o, const std::vector<PerfDevice>& devices) {
  std::string text = fmt::sprintf("# nccl-tests version arlab-%s nccl-headers=0 nccl-library=0\n",
                                  std::string(kVersion));
  text += fmt::sprintf("# Collective test starting: %s\n", o.program.name);
  text += fmt::sprintf(
      "# nThread %d nGpus %d minBytes %d maxBytes %d step: %d(%s) warmup iters: %d iters: %d agg "
      "iters: %d validation: %d graph: %d unalign: %d\n",
      o.threads, o.gpus, o.min_bytes, o.max_bytes,
      o.step_factor > 1 ? std::int64_t{o.step_factor} : o.step_bytes,
      o.step_factor > 1 ? "factor" : "bytes", o.warm_ups, o.iterations, o.aggregated, o.check,
      o.graph, o.unalign);
  if (o.blocking == 1)
    text += "# Blocking Enabled: wait for completion and barrier after each collective \n";
  if (o.blocking > 1)
    text += "# Blocking Enabled: wait for completion after each collective (no barrier) \n";
  if (o.parallel_init != 0)
    text += "# Parallel Init Enabled: threads call into NcclInitRank concurrently \n";
  text += "#\n# Using devices\n";
  for (const PerfDevice& d : devices)
    text += fmt::sprintf("#  Rank %2d Group %2d Pid %6d on %10s device %2d [%s] %s\n", d.rank,
                         d.group, d.pid, d.host, d.device, d.hex, d.info);
  return text + table_head(o);
}

std::string perf_line(const PerfRow& row, bool checked, const std::string& stamp) {
  std::string text = fmt::sprintf("%12d  %12d  %8s  %6s  %6d", row.shape.size, row.shape.count,
                                  row.type, row.op, row.root);
  text += half_line(row.out_of_place, checked) + half_line(row.in_place, checked);
  if (!stamp.empty()) text += fmt::sprintf("%21s", stamp);
  return text + "\n";
}

std::string perf_footer(const PerfOptions& options, const PerfSummary& s) {
  const char* const verdict = s.expected_busbw < 0 ? "" : s.too_slow() ? "FAILED" : "OK";
  return fmt::sprintf("# %-20s : %d %s\n", "Out of bounds values", s.failed,
                      s.failed > 0 ? "FAILED" : "OK") +
         fmt::sprintf("# %-20s : %g %s\n", "Avg bus bandwidth", s.average_busbw, verdict) +
         fmt::sprintf("#\n# Collective test concluded: %s\n", options.program.name);
}

}  // namespace arlab::bench
