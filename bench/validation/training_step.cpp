#include "bench/validation/training_step.hpp"

#include <algorithm>

#include "training/schedulers/timeline.hpp"

namespace arlab::bench {
namespace {

// NCCL's latencies of a step of a ring with protocol Simple, in us (src/graph/tuning.cc), as in
// bench/validation/calibrated/nccl.cpp: over PCIe, over a network, and of a call. All hops of a
// ring's step run at the same time, so that the slowest one determines it.
constexpr double kNodeHop = 5.7, kNetworkHop = 14.0, kCall = 8.4;

// Horovod's coordinator looks for announced tensors once per cycle of 1 ms (HOROVOD_CYCLE_TIME). If
// the next message is announced when the last one is done, each takes two cycles: one until its
// announcement is seen by all, one until its end is.
constexpr double kCoordinated = 2;  // ms

struct RingCost {
  double startup = 0, per_byte = 0;  // picoseconds
};

RingCost cost_of(const TrainingMethod& method, const TrainingNetwork& network, Rank gpus) {
  if (gpus == 1) return {};
  if (network.ns_per_byte > 0) return {network.startup_us * 1e6, network.ns_per_byte * 1e3};
  const bool one_node = gpus <= network.per_node;
  const double rate =
      one_node ? network.node_gb_per_s : std::min(network.node_gb_per_s, network.network_gb_per_s);
  const double steps = method.to_servers ? 2 : 2.0 * (gpus - 1);
  const double share = 2.0 * (gpus - 1) / gpus;
  return {(kCall + steps * (one_node ? kNodeHop : kNetworkHop)) * 1e6, share * 1e3 / rate};
}

}  // namespace

TrainingMethod parse_training_method(const std::string& name) {
  const auto has = [&](const char* part) { return name.find(part) != std::string::npos; };
  TrainingMethod method;
  method.to_servers = name.ends_with("-PS");
  if (has("Horovod"))
    method.scheduler = "fusion";
  else if (has("MG-WFBP"))
    method.scheduler = "mg_wfbp";
  else if (has("WFBP"))
    method.scheduler = "fifo";
  else if (has("ByteScheduler"))
    method.scheduler = method.to_servers ? "credit" : "priority";
  else if (has("DeAR"))
    method.scheduler = "dear";
  else if (has("P3"))
    method.scheduler = "priority";
  else if (has("BSP"))
    method.scheduler = "buckets";
  method.after_backward = has("BSP");
  method.slices = has("P3");
  if (has("ByteScheduler")) {
    method.overlaps_startup = method.to_servers;
    method.whole_tensors = !method.to_servers;
    method.cycle_ms = method.to_servers ? 0 : kCoordinated;
  }
  return method;
}

training::Profile layers_taking(const training::ModelProfile& profile, double us, double extra_us) {
  training::Profile layers = profile.tensors();
  const double factor = us * 1e6 / picoseconds(profile.step());
  for (training::Layer& layer : layers) {
    layer.forward = to_time(picoseconds(layer.forward) * factor);
    layer.backward = to_time(picoseconds(layer.backward) * factor);
  }
  layers.front().forward += to_time(extra_us * 1e6);
  return layers;
}

double training_step(const training::Profile& layers, const TrainingMethod& method,
                     const TrainingNetwork& network, Rank gpus) {
  const RingCost cost = cost_of(method, network, gpus);
  const training::SchedulerKind& kind = training::find_scheduler(method.scheduler);
  // With a barrier all steps are equal.
  training::Study study{.profile = layers, .kind = &kind, .steps = kind.barrier ? 3 : 8};
  study.link = {to_time(cost.startup), cost.per_byte, Time{}};
  constexpr double kUnbounded = 1e15;  // bytes
  // Horovod's tensor fusion as it was published: HOROVOD_CYCLE_TIME 5 ms, buffers of 64 MiB.
  if (std::ranges::any_of(kind.parameters, [](const Parameter& p) { return p.name == "cycle"; }))
    study.values = {{"cycle", 5e9}, {"threshold", 64 << 20}};
  // P3's slices of 50,000 parameters.
  if (method.slices) study.values = {{"slice", 200'000}};
  if (method.after_backward) study.values = {{"first_bucket", kUnbounded}, {"bucket", kUnbounded}};
  if (method.whole_tensors) study.values = {{"slice", kUnbounded}};
  if (method.overlaps_startup) study.link = {Time{}, cost.per_byte, to_time(cost.startup)};
  if (method.cycle_ms > 0 && gpus > 1)
    study.holds = [&](const training::Bundle& bundle) {
      return std::max(to_time(method.cycle_ms * 1e9), study.link.holds(bundle.bytes()));
    };
  return training::simulate(study).period;
}

}  // namespace arlab::bench
