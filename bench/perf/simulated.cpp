#include <fmt/format.h>

#include <utility>

#include "algorithms/base/error.hpp"
#include "algorithms/base/time.hpp"
#include "bench/options/model_options.hpp"
#include "bench/options/nccl_network.hpp"
#include "bench/perf/measured.hpp"
#include "bench/sweep/proofs.hpp"
#include "simulator/engine/simulate.hpp"

namespace arlab::bench {
namespace {

std::vector<PerfDevice> simulated_devices(Rank ranks, const std::string& topology) {
  std::vector<PerfDevice> all;
  for (Rank rank = 0; rank < ranks; ++rank)
    all.push_back({.rank = rank,
                   .host = "simulated",
                   .device = rank,
                   .info = fmt::format("host of {} (no NVIDIA GPU)", topology)});
  return all;
}

}  // namespace

void simulate_perf(const PerfOptions& options, const PerfSink& sink) {
  if (options.algorithm == "native")
    fail(Blame::usage, "a simulated cluster has no library: name an algorithm with --algorithm");
  const Collective collective = options.program.collective;
  const bool rooted = collective == Collective::reduce || collective == Collective::broadcast;
  const std::string chosen = !options.algorithm.empty() ? options.algorithm
                             : rooted                   ? "tree"
                                                        : "ring";
  const Algorithm& algorithm = find_algorithm(chosen);
  const Rank ranks = options.ranks();
  ModelOptions model;
  model.model = "fluid";
  model.topologies = {options.topology};
  const std::string topology = model.topology_text(0, ranks);
  const RankLayout layout = model.layouts().front()(ranks, algorithm.forested);
  sink.devices(simulated_devices(ranks, topology), chosen + " simulated on " + topology);
  Proofs proofs;
  for_all_perf_rows(
      options, ranks, [&](const PerfShape& shape, Problem problem, collectives::Operand operand) {
        problem = layout.on(problem);
        if (const std::string why = unsupported(algorithm, problem); !why.empty())
          fail(Blame::usage, why);
        const int segments = usual_segments(algorithm, problem, true);
        const Config config{&algorithm, problem, operand, segments, 0, layout, {}};
        if (const std::string why = nvswitch_refusal(model, config); !why.empty())
          fail(Blame::usage, why);
        const bool right = proofs.refuted(config).empty();
        const auto network = model.make(0, ranks);
        const auto outcome =
            simulator::simulate(algorithm, problem, static_cast<Bytes>(size_of(operand.dtype)),
                                *network, {.segments = segments});
        PerfRow row = perf_row(options, shape, problem, operand);
        // The model has no copies between vectors: both places take the same time.
        row.in_place = row.out_of_place =
            perf_time(collective, shape, size_of(operand.dtype), ranks,
                      microseconds(outcome.finish), right ? 0 : problem.elements);
        sink.row(row);
      });
}

}  // namespace arlab::bench
