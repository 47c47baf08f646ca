#include "bench/results/run_body.hpp"

namespace arlab::bench {

Json to_json(const Summary& s) {
  return {{"n", s.samples},
          {"median", s.median},
          {"ci95", {s.low, s.high}},
          {"min", s.min},
          {"p99", s.p99}};
}

Json statistics_of(const Summary& s) {
  return {{"mean", s.mean}, {"p50", s.median}, {"p90", s.p90}, {"p99", s.p99}, {"max", s.max}};
}

void write(Json& j, const RunBody& b) {
  j["backend"] = text_or_null(b.backend);
  j["modelled_us"] = or_null(b.modelled_us);
  j["copy_limit_fraction"] = or_null(b.copy_limit_fraction);
  j["native_choice"] = or_null(b.native_choice);
  j["place"] = b.place();
  j["mode"] = b.timing();
  j["repeats"] = b.mode.repeats;
  j["cache"] = b.cache();
  j["start"] = b.start();
  j["disturbance"] = text_or_null(b.disturbance);
  j["summary_over_ranks"] = b.mean_over_ranks ? "mean" : "maximum";
  j["binding"] = or_null(b.binding);
  j["time_statistics_us"] = nullptr;
  j["time_variation"] = nullptr;
  j["ci_coverage"] = nullptr;
  if (const auto& time = b.time_us) {
    j["time_statistics_us"] = statistics_of(*time);
    if (time->samples > 1 && time->mean > 0) j["time_variation"] = time->deviation / time->mean;
    j["ci_coverage"] = coverage(time->samples);
  }
  const auto& late = b.late_entry;
  j["collective_us"] = late ? to_json(late->collective_us) : Json(nullptr);
  j["waiting_us"] = nullptr;
  if (late)
    j["waiting_us"] = {{"mean", late->mean_waiting_us.median},
                       {"max", late->max_waiting_us.median}};
  j["entry_skew_us"] = late ? Json(late->entry_skew_us.median) : Json(nullptr);
  j["exit_skew_us"] = late ? Json(late->exit_skew_us.median) : Json(nullptr);
  j["clock"] = or_null(b.clock);
  j["clock_deviation_us"] = or_null(b.clock_deviation_us);
  j["late_starts"] = or_null(b.late_starts);
  j["rank_sum_p"] = or_null(b.rank_sum_p);
  j["library"] = or_null(b.library);
  j["library_ratio"] = or_null(b.library_ratio);
  j["library_rank_sum_p"] = or_null(b.library_rank_sum_p);
  j["source"] = or_null(b.source);
}

}  // namespace arlab::bench
