#include "bench/train/report.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/cli/units.hpp"
#include "bench/results/output.hpp"
#include "bench/results/table.hpp"
#include "bench/train/gradient_options.hpp"

namespace arlab::bench {
namespace {

double mean(double sum, Count n) { return n > 0 ? sum / static_cast<double>(n) : 0; }

double rate(const training::EpochReport& e) {
  return e.seconds > 0 ? static_cast<double>(e.train.samples) / e.seconds : 0;
}

std::string a_step(double seconds, const training::EpochReport& e) {
  return e.steps > 0 ? show_time(seconds * 1e6 / static_cast<double>(e.steps)) : "";
}

// Of all ranks together.
std::string bytes_a_step(const training::EpochReport& e) {
  return e.steps > 0 && e.bytes_sent > 0 ? show_bytes(e.bytes_sent / e.steps) : "";
}

std::string percent(double part, double whole) {
  return whole > 0 ? fmt::format("{:.1f}%", 100 * part / whole) : "";
}

Bytes gradient_bytes(const TrainResult& r) {
  return r.config.architecture->parameters * static_cast<Bytes>(sizeof(float));
}

std::string way(const TrainResult& r) {
  if (r.config.ranks == 1) return "";
  return training::find_strategy(r.config.learning.strategy).direct ? "direct" : r.route;
}

std::string speed_up(const TrainResult& result, const std::vector<TrainResult>& all) {
  for (const TrainResult& one : all)
    if (one.config.architecture == result.config.architecture && one.config.workers == 1 &&
        result.config.workers > 1 && rate(total(one)) > 0)
      return fmt::format("{:.2f}", rate(total(result)) / rate(total(one)));
  return "";
}

Json to_json(const training::EpochReport& e) {
  Json j{{"epoch", e.epoch},
         {"steps", e.steps},
         {"samples", e.train.samples},
         {"loss", mean(e.train.loss, e.train.samples)},
         {"accuracy", accuracy(e.train)}};
  const bool checked = e.validation.samples > 0;
  j["validation_loss"] =
      checked ? Json(mean(e.validation.loss, e.validation.samples)) : Json(nullptr);
  j["validation_accuracy"] = checked ? Json(accuracy(e.validation)) : Json(nullptr);
  j["seconds"] = e.seconds;
  j["compute_seconds"] = e.compute;
  j["input_seconds"] = e.input;
  j["communication_seconds"] = e.communication;
  j["exposed_seconds"] = e.exposed;
  j["codec_seconds"] = e.codec;
  j["images_per_second"] = rate(e);
  j["bytes_sent"] = e.bytes_sent;
  return j;
}

Json staleness_json(const training::Staleness& staleness) {
  Json j = Json::object();
  for (const auto& [old, updates] : staleness) j[std::to_string(old)] = updates;
  return j;
}

}  // namespace

double accuracy(const training::BatchResult& o) {
  return mean(static_cast<double>(o.correct), o.samples);
}

training::EpochReport total(const TrainResult& result) {
  training::EpochReport all;
  for (const training::EpochReport& e : result.epochs) {
    all.steps += e.steps;
    all.train += e.train;
    all.seconds += e.seconds;
    all.input += e.input;
    all.exposed += e.exposed;
    all.communication += e.communication;
    all.compute += e.compute;
    all.codec += e.codec;
    all.bytes_sent += e.bytes_sent;
  }
  if (!result.epochs.empty()) all.validation = result.epochs.back().validation;
  return all;
}

std::string train_table(const std::vector<TrainResult>& results) {
  std::vector<std::vector<std::string>> rows;
  for (const TrainResult& r : results) {
    const training::EpochReport all = total(r);
    const training::GradientOptions& gradients = r.config.learning.options.gradients;
    rows.push_back(
        {std::string(r.config.architecture->name), std::to_string(r.config.workers),
         r.config.learning.strategy, way(r), scheduler_text(gradients), compressor_label(gradients),
         r.epochs.empty() ? ""
                          : fmt::format("{:.4f}", mean(r.epochs.back().train.loss,
                                                       r.epochs.back().train.samples)),
         r.epochs.empty() ? "" : percent(accuracy(r.epochs.back().train), 1),
         percent(accuracy(all.validation), 1), fmt::format("{:.0f}", rate(all)),
         speed_up(r, results), a_step(all.seconds, all), a_step(all.compute, all),
         a_step(all.input, all), a_step(all.communication, all),
         all.codec > 0 ? a_step(all.codec, all) : "", a_step(all.exposed, all), bytes_a_step(all)});
  }
  return compact({"model", "workers", "strategy", "algorithm", "scheduler", "compressor", "loss",
                  "accuracy", "validation", "images/s", "speed-up", "step", "compute", "input",
                  "communication", "codec", "exposed", "bytes"},
                 rows);
}

std::string train_story(const TrainResult& r) {
  const training::EpochReport all = total(r);
  if (all.steps == 0) return "There was nothing left to do.\n";
  if (r.config.ranks == 1) return "";
  const double hidden = std::max(0.0, all.communication - all.exposed);
  std::string text = fmt::format(
      "Exchanging {} of gradients ({}) took {} a step; {} of that was hidden behind the backward "
      "pass, and {} ({} of the step) was waited for.\n",
      show_bytes(gradient_bytes(r)), way(r), a_step(all.communication, all),
      percent(hidden, all.communication), a_step(all.exposed, all),
      percent(all.exposed, all.seconds));
  if (r.staleness.empty()) return text;
  text += "Staleness of updates:";
  for (const auto& [old, updates] : r.staleness)
    text += fmt::format(" {}: {}{}", old, show_count(updates),
                        old == r.staleness.rbegin()->first ? "\n" : ",");
  return text;
}

Json train_record(const TrainResult& r, const TrainOptions& options) {
  const TrainConfig& c = r.config;
  Config config;
  for (const Algorithm& a : algorithms())
    if (a.name == r.route) config.algorithm = &a;
  config.problem = {.ranks = c.ranks, .elements = c.architecture->parameters};
  config.segments = c.learning.segments;
  Record record = record_of("train", config);
  record.backend = std::string(c.backend->name);
  if (!config.algorithm) {
    record.algorithm = record.label = r.route;
    record.color = "#000000";
    record.family = "native";
  }
  record.claimed.reset();  // of one exchange, and there are many
  if (!r.step_us.empty()) record.time_us = summarize(r.step_us);
  const training::EpochReport all = total(r);
  Json j = to_json(record);
  j["algbw_gbps"] = j["busbw_gbps"] = nullptr;  // time_us is that of a step, not of an exchange
  j["bytes_sent"] = all.bytes_sent;
  j["model"] = c.architecture->name;
  j["strategy"] = c.learning.strategy;
  j["workers"] = c.workers;
  j["servers"] = c.ranks - c.workers;
  j["batch"] = options.batch;
  j["data"] = options.data;
  j["seed"] = options.seed;
  j["optimizer"] = name(c.learning.optimizer.kind);
  j["learning_rate"] = c.learning.rate.base;
  j["overlap"] = c.learning.overlap;
  j["scheduler"] = scheduler_text(c.learning.options.gradients);
  const VirtualNetwork& network = c.network;
  const bool is_virtual = c.backend->placement == collectives::Placement::emulated;
  const auto a_step_us = [&](double seconds) {
    return all.steps > 0 ? Json(1e6 * seconds / static_cast<double>(all.steps)) : Json(nullptr);
  };
  j["bandwidth_gbit_per_s"] =
      network.bandwidth > 0 ? Json(network.bandwidth * 8e-9) : Json(nullptr);
  j["latency_us"] = network.bandwidth > 0 ? Json(microseconds(network.latency)) : Json(nullptr);
  j["topology"] = network.topology.empty() ? Json(nullptr) : Json(network.topology);
  j["speed"] = is_virtual ? Json(c.learning.speed) : Json(nullptr);
  j["slowdown"] = is_virtual ? Json(options.world.slowdown) : Json(nullptr);
  j["jitter"] = is_virtual ? Json(options.world.jitter) : Json(nullptr);
  j["codec_ns"] = is_virtual ? Json{{"encode", 1e9 * c.learning.options.gradients.codec.encode},
                                    {"decode", 1e9 * c.learning.options.gradients.codec.decode}}
                             : Json(nullptr);
  j["step_us"] = a_step_us(all.seconds);
  j["exposed_us"] = a_step_us(all.exposed);
  j["codec_us"] = a_step_us(all.codec);
  j["bytes_per_step"] =
      all.steps > 0 ? Json(all.bytes_sent / all.steps / c.ranks) : Json(nullptr);  // of a rank
  j["aggregation"] = r.codes.way.empty() ? Json(nullptr) : Json(r.codes.way);
  j["compressor"] = c.learning.options.gradients.compressor
                        ? Json(compressor_text(c.learning.options.gradients))
                        : Json(nullptr);
  j["images_per_second"] = rate(all);
  j["epochs"] = Json::array();
  for (const training::EpochReport& e : r.epochs) j["epochs"].push_back(to_json(e));
  j["staleness"] = r.staleness.empty() ? Json(nullptr) : staleness_json(r.staleness);
  return j;
}

}  // namespace arlab::bench
