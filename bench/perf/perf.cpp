#include "bench/perf/perf.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "bench/measure/job.hpp"
#include "bench/perf/measured.hpp"
#include "bench/text/say.hpp"
#include "bench/text/write_file.hpp"

namespace arlab::bench {
namespace {

// Prints each line at once, and keeps the rows.
class Report {
 public:
  explicit Report(const PerfOptions& options) : options_(options) {
    report_.start_time = perf_now();
    if (const char* const demanded = std::getenv("NCCL_TESTS_MIN_BW"))
      report_.summary.expected_busbw = std::atof(demanded);
  }

  PerfSink sink() {
    return {.devices =
                [this](const std::vector<PerfDevice>& devices, const std::string& what) {
                  if (!report_.devices.empty()) return;  // of an earlier cycle
                  report_.devices = devices;
                  report_.what = what;
                  print(perf_header(options_, devices));
                  say("note: {}, {} rank{}\n", what, devices.size(),
                      devices.size() == 1 ? ": the bus bandwidth is 0" : "s");
                },
            .row = [this](const PerfRow& row) { add(row); }};
  }

  int finish() {
    PerfSummary& s = report_.summary;
    if (!report_.rows.empty()) s.average_busbw /= 2 * static_cast<double>(report_.rows.size());
    print(perf_footer(options_, s));
    report_.end_time = perf_now();
    if (!options_.json.empty())
      print(fmt::format("# Writing JSON output to {}\n",
                        write_perf_json(options_.json, perf_json(options_, report_))));
    check_stdout();
    return s.failed > 0 || s.too_slow() ? 1 : 0;
  }

 private:
  static void print(const std::string& text) {
    bench::print("{}", Lines{text});
    std::fflush(stdout);
  }

  void add(const PerfRow& row) {
    print(perf_line(row, options_.check > 0, options_.time_stamps != 0 ? perf_now() : ""));
    for (const PerfTime* half : {&row.out_of_place, &row.in_place}) {
      report_.summary.average_busbw += half->busbw;
      if (options_.check > 0 && half->wrong > 0) ++report_.summary.failed;
    }
    report_.rows.push_back(row);
  }

  const PerfOptions& options_;
  PerfReport report_;
};

template <class Run>
void repeat(const PerfOptions& options, Run run) {
  for (int cycle = 0; options.cycles == 0 || cycle < options.cycles; ++cycle) run();
}

}  // namespace

bool is_perf_program(const std::string& path) { return !perf_program(path).name.empty(); }

int run_perf(const std::vector<std::string>& words) {
  PerfOptions options;
  options.program = perf_program(words.front());
  if (!parse_perf(words, options)) return 0;
  options.check_values();
  Report report(options);
  const PerfSink sink = report.sink();
  if (!options.topology.empty()) {
    repeat(options, [&] { simulate_perf(options, sink); });
    return report.finish();
  }
  collectives::Patience patience;
  if (options.timeout > 0) patience.seconds = options.timeout;
  return in_job(
      [&](Job& job) {
        repeat(options, [&] { measure_perf(options, job, sink); });
        return job.is_root() ? report.finish() : 0;
      },
      patience);
}

}  // namespace arlab::bench
