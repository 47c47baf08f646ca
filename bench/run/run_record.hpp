// The records of `arlab run`: who ran what, and how.
#pragma once

#include "bench/results/record.hpp"
#include "bench/run/run_plan.hpp"
#include "collectives/executor.hpp"

namespace arlab::bench {

/// Returns the record of a configuration that has not run yet; without an algorithm, that of the
/// backend's own collective.
Record run_record(const RunCommand& command, const collectives::Backend& backend,
                  collectives::Executor& executor, const Config& config);

/// Fills in what was measured. `all`: the measurements that this one is part of. `limit`: rate at
/// which a GPU copies its own memory, in GB/s.
void fill_record(Record& record, const Config& config, const Measurement& measurement,
                 const Measurements& all, double limit);

/// Returns the time in microseconds that the machine file predicts; nothing without one, for the
/// backend's own collective, for runs back to back, and with cold caches.
std::optional<double> modelled_us(const ModelOptions& model, const Config& config);

/// Returns keys of the context record about the GPUs, where vectors lie on them.
Json device_context();

}  // namespace arlab::bench
