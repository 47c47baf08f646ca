#include "bench/perf/row.hpp"

namespace arlab::bench {

PerfShape perf_shape(Collective collective, std::int64_t bytes, std::size_t element, Rank ranks) {
  const auto each = static_cast<std::int64_t>(element);
  const std::int64_t count = bytes / each;
  if (collective != Collective::reduce_scatter && collective != Collective::all_gather)
    return {count * each, count, count};
  const std::int64_t align = 16 / each;
  const std::int64_t part = count / ranks / align * align;
  return {part * ranks * each, part, part * ranks};
}

PerfTime perf_time(Collective collective, const PerfShape& shape, std::size_t element, Rank ranks,
                   double us, Count wrong) {
  const double bytes = static_cast<double>(shape.elements) * static_cast<double>(element);
  const double part = static_cast<double>(ranks - 1) / static_cast<double>(ranks);
  double factor = 1;
  if (collective == Collective::allreduce) factor = 2 * part;
  if (collective == Collective::reduce_scatter || collective == Collective::all_gather)
    factor = part;
  const double algbw = us > 0 ? bytes / us / 1e3 : 0;
  return {us, algbw, algbw * factor, wrong};
}

}  // namespace arlab::bench
