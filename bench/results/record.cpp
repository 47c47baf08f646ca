#include "bench/results/record.hpp"

#include <cmath>
#include <iterator>

#include "algorithms/groups.hpp"
#include "algorithms/rank_grid.hpp"

namespace arlab::bench {
namespace {

// The smallest part of the vector that a rank must send or receive; twice that for an allreduce,
// which does both.
double bus_factor(const Problem& p) {
  const double part = p.ranks < 2 ? 0 : static_cast<double>(p.ranks - 1) / p.ranks;
  switch (p.collective) {
    case Collective::allreduce:
      return 2 * part;
    case Collective::reduce_scatter:
    case Collective::all_gather:
      return part;
    case Collective::reduce:
    case Collective::broadcast:
      return p.ranks < 2 ? 0 : 1;
  }
  return 0;
}

// Utilizations over time have three digits: a picture needs no more.
Json to_json(const LinkUtilization& all) {
  Json links = Json::array();
  for (const LinkUtilization::Link& link : all.links) {
    Json j{{"name", link.load.name},
           {"tier", link.load.tier},
           {"bytes", link.load.bytes},
           {"utilization", link.load.utilization}};
    if (all.step_us) {
      j["utilization_by_step"] = Json::array();
      for (const double part : link.by_step)
        j["utilization_by_step"].push_back(std::round(part * 1000) / 1000);
    }
    links.push_back(std::move(j));
  }
  return links;
}

// One function per kind of body: it fills in keys of the head that not all kinds have, and appends
// its own.

void write(Json&, const CountBody&, Rank) {}

void write(Json& j, const VerifyBody& b, Rank) {
  j["fault"] = or_null(b.fault);
  j["bracketing"] = or_null(b.bracketing);
  j["same_on_all_ranks"] = or_null(b.same_on_all_ranks);
}

// A list per kind, by rank.
Json to_json(const std::vector<simulator::RankTimes>& of_rank) {
  const auto list = [&](Time simulator::RankTimes::*kind) {
    Json all = Json::array();
    for (const simulator::RankTimes& times : of_rank) all.push_back(microseconds(times.*kind));
    return all;
  };
  return {{"send", list(&simulator::RankTimes::send)},
          {"receive", list(&simulator::RankTimes::receive)},
          {"reduce", list(&simulator::RankTimes::reduce)},
          {"wait", list(&simulator::RankTimes::wait)}};
}

Json to_json(const SimulateBody::Refits& r) {
  return {{"us", r.us},
          {"spread", r.spread},
          {"ranks", r.ranks},
          {"bytes", {r.least_bytes, r.most_bytes}}};
}

void write(Json& j, const SimulateBody& b, Rank) {
  j["topology"] = b.topology;
  j["model"] = b.model;
  j["machine"] = b.machine;
  j["modelled_us"] = or_null(b.modelled_us);
  j["low_us"] = or_null(b.low_us);
  j["high_us"] = or_null(b.high_us);
  j["beyond_calibration"] = or_null(b.beyond_calibration);
  j["refits"] = b.refits ? to_json(*b.refits) : Json(nullptr);
  j["engine"] = or_null(b.engine);
  j["bound_us"] = or_null(b.bound_us);
  j["optimum_fraction"] = or_null(b.optimum_fraction());
  j["most_utilized_links"] = b.links ? to_json(*b.links) : Json(nullptr);
  j["equally_utilized_links"] = b.links ? Json(b.links->equally_utilized) : Json(nullptr);
  j["utilization_step_us"] = b.links ? or_null(b.links->step_us) : Json(nullptr);
  j["disturbance"] = text_or_null(b.disturbance);
  j["undisturbed_us"] = or_null(b.undisturbed_us);
  j["delay_us"] = or_null(b.delay_us);
  j["slowdown_per_delay"] = or_null(b.slowdown_per_delay());
  j["time_statistics_us"] = b.runs_us ? statistics_of(*b.runs_us) : Json(nullptr);
  j["critical_path_us"] = b.critical_path_us.empty() ? Json(nullptr) : Json(b.critical_path_us);
  j["rank_times_us"] = b.rank_times.empty() ? Json(nullptr) : to_json(b.rank_times);
}

void write(Json& j, const RunBody& b, Rank) { write(j, b); }

Json to_json(const TrainBody::Epoch& e) {
  return {{"epoch", e.number},
          {"steps", e.steps},
          {"samples", e.samples},
          {"loss", e.loss},
          {"accuracy", e.accuracy},
          {"validation_loss", or_null(e.validation_loss)},
          {"validation_accuracy", or_null(e.validation_accuracy)},
          {"elapsed_us", e.elapsed_us},
          {"compute_us", e.compute_us},
          {"input_us", e.input_us},
          {"communication_us", e.communication_us},
          {"exposed_us", e.exposed_us},
          {"codec_us", e.codec_us},
          {"images_per_s", e.images_per_s},
          {"bytes_sent", e.bytes_sent}};
}

// Null keys where the ranks are real.
void write(Json& j, const std::optional<TrainBody::Emulation>& e) {
  j["topology"] = e ? or_null(e->topology) : Json(nullptr);
  j["bandwidth_gbit_per_s"] = e ? or_null(e->bandwidth_gbit_per_s) : Json(nullptr);
  j["latency_us"] = e ? or_null(e->latency_us) : Json(nullptr);
  j["multiply_adds_per_s"] = e ? Json(e->multiply_adds_per_s) : Json(nullptr);
  j["slowdown"] = e ? Json(e->slowdown) : Json(nullptr);
  j["jitter"] = e ? Json(e->jitter) : Json(nullptr);
  j["codec_ns_per_element"] =
      e ? Json{{"encode", e->encode_ns}, {"decode", e->decode_ns}} : Json(nullptr);
}

// Means over the steps of all epochs, without the first ones; null without steps.
void write_totals(Json& j, const TrainBody& b, Rank ranks) {
  const TrainBody::Epoch& its = b.timed;
  const auto per_step = [&](double us) {
    return its.steps > 0 ? Json(us / static_cast<double>(its.steps)) : Json(nullptr);
  };
  Bytes sent = 0;
  for (const TrainBody::Epoch& e : b.epochs) sent += e.bytes_sent;
  j["bytes_sent"] = sent;
  j["warmup_steps"] = b.warmup_steps;
  j["step_us"] = per_step(its.elapsed_us);
  j["input_us"] = per_step(its.input_us);
  j["exposed_us"] = per_step(its.exposed_us);
  j["codec_us"] = per_step(its.codec_us);
  j["bytes_per_rank_step"] =
      its.steps > 0 ? Json(its.bytes_sent / its.steps / ranks) : Json(nullptr);
  j["images_per_s"] =
      its.elapsed_us > 0 ? 1e6 * static_cast<double>(its.samples) / its.elapsed_us : 0.0;
}

void write(Json& j, const TrainBody& b, Rank ranks) {
  j["backend"] = b.backend;
  j["model"] = b.model;
  j["compressor"] = or_null(b.compressor);
  j["aggregation"] = or_null(b.aggregation);
  j["gradients"] = or_null(b.gradients);
  j["strategy"] = b.strategy;
  j["workers"] = b.workers;
  j["servers"] = b.servers;
  j["batch_size"] = b.batch_size;
  j["data"] = b.data;
  j["seed"] = b.seed;
  j["optimizer"] = b.optimizer;
  j["momentum"] = or_null(b.momentum);
  j["weight_decay"] = b.weight_decay;
  j["learning_rate"] = b.learning_rate;
  j["learning_rate_schedule"] = or_null(b.rate_schedule);
  j["shuffle"] = b.shuffle;
  j["drop_remainder"] = b.drop_remainder;
  j["input_threads"] = or_null(b.input_threads);
  j["overlap"] = b.overlap;
  j["scheduler"] = b.scheduler;
  write(j, b.emulation);
  write_totals(j, b, ranks);
  j["epochs"] = Json::array();
  for (const TrainBody::Epoch& e : b.epochs) j["epochs"].push_back(to_json(e));
  j["staleness"] = nullptr;
  for (const auto& [steps, updates] : b.staleness) j["staleness"][std::to_string(steps)] = updates;
}

// The keys that every record has. Those that only some kinds know are null here.
Json head(const Record& r) {
  const auto element = static_cast<Count>(collectives::size_of(r.operand.dtype));
  const std::optional<Summary> time = r.time_us();
  Json j{{"schema", kSchema},
         {"kind", r.kind()},
         {"backend", nullptr},
         {"algorithm", r.algorithm},
         {"collective", name(r.problem.collective)},
         {"ranks", r.problem.ranks},
         {"elements", r.problem.elements},
         {"dtype", name(r.operand.dtype)},
         {"op", name(r.operand.op)},
         {"root", r.problem.root},
         {"groups", r.problem.groups ? Json(r.problem.groups->count()) : Json(nullptr)},
         {"dims", r.problem.grid ? Json(r.problem.grid->text()) : Json(nullptr)},
         {"trees", r.problem.forest ? text_or_null(r.problem.forest->network()) : Json(nullptr)},
         {"bytes", r.bytes()},
         {"lanes", or_null(r.lanes)},
         {"segments", r.segments},
         {"topology", nullptr},
         {"model", nullptr},
         {"machine", nullptr},
         {"compressor", nullptr}};
  j["messages"] = r.sent ? Json(r.sent->messages) : Json(nullptr);
  j["elements_sent"] = r.sent ? Json(r.sent->elements) : Json(nullptr);
  j["bytes_sent"] = r.sent ? Json(r.sent->elements * element) : Json(nullptr);
  j["rounds"] = r.sent ? Json(r.sent->rounds) : Json(nullptr);
  j["claimed"] = nullptr;
  if (const auto claim = r.formula())
    j["claimed"] = {{"messages", claim->messages},
                    {"elements_sent", claim->elements},
                    {"rounds", claim->rounds}};
  j["time_us"] = time ? to_json(*time) : Json(nullptr);
  j["modelled_us"] = nullptr;
  j["algbw_gb_per_s"] = or_null(r.algbw());
  j["busbw_gb_per_s"] = or_null(r.busbw());
  j["wrong"] = or_null(r.wrong);
  j["skipped"] = or_null(r.skipped);
  j["label"] = r.label;
  j["color"] = r.color;
  j["family"] = r.family;
  return j;
}

}  // namespace

std::optional<double> SimulateBody::slowdown_per_delay() const {
  if (!undisturbed_us || !delay_us || !modelled_us) return std::nullopt;
  constexpr double kRounding = 1e-9;
  double delays = (*modelled_us - *undisturbed_us) / *delay_us;
  if (std::abs(delays) < kRounding) delays = 0;
  return delays >= -1 && delays <= most_delays ? std::optional(delays) : std::nullopt;
}

std::optional<double> SimulateBody::optimum_fraction() const {
  if (!bound_us || !modelled_us || *modelled_us <= 0) return std::nullopt;
  return *bound_us / *modelled_us;
}

std::string_view Record::kind() const {
  return std::visit([](const auto& b) { return b.kKind; }, body);
}

std::optional<Summary> Record::time_us() const {
  if (const auto* run = std::get_if<RunBody>(&body)) return run->time_us;
  if (const auto* train = std::get_if<TrainBody>(&body)) return train->step_time_us;
  const auto* simulated = std::get_if<SimulateBody>(&body);
  if (simulated && simulated->modelled_us) return exactly(*simulated->modelled_us);
  return std::nullopt;
}

std::optional<double> Record::algbw() const {
  const std::optional<Summary> time = time_us();
  if (!time || time->median <= 0 || std::holds_alternative<TrainBody>(body)) return std::nullopt;
  return static_cast<double>(bytes()) / time->median / 1e3;
}

std::optional<double> Record::busbw() const {
  const std::optional<double> rate = algbw();
  return rate ? std::optional(*rate * bus_factor(problem)) : std::nullopt;
}

Json to_json(const Record& r) {
  Json j = head(r);
  std::visit([&](const auto& body) { write(j, body, r.problem.ranks); }, r.body);
  return j;
}

std::vector<const char*> identity_keys() {
  std::vector<const char*> all(std::begin(kIdentityKeys), std::end(kIdentityKeys));
  all.insert(all.end(), std::begin(kTrainIdentityKeys), std::end(kTrainIdentityKeys));
  return all;
}

std::vector<const char*> identity_keys(std::string_view kind) {
  if (kind == TrainBody::kKind) return identity_keys();
  return {std::begin(kIdentityKeys), std::end(kIdentityKeys)};
}

std::string identity(const Json& record) {
  const auto value = [&](const char* key) { return record.value(key, Json()); };
  const Json kind = value("kind");
  std::string all = kind.dump();
  for (const char* key : identity_keys(kind.is_string() ? kind.get<std::string>() : "")) {
    // How often a benchmark repeats a run depends on its options, and on its time.
    const bool varies = std::string_view(key) == "repeats" && !value("source").is_null();
    all += ' ' + (varies ? Json() : value(key)).dump();
  }
  return all;
}

}  // namespace arlab::bench
