#include "bench/results/record.hpp"

#include <cmath>

#include "bench/results/context.hpp"
#include "bench/results/json_schema.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;
using namespace arlab::collectives;
using namespace arlab::bench;

namespace {

Record sample() {
  Record r;
  r.body = RunBody{.backend = "threads", .time_us = Summary{10, 500, 480, 530, 470, 600}};
  r.algorithm = "ring";
  r.problem = {.ranks = 4, .elements = 250'000};
  r.sent = Cost{24, 1'500'000, 6};
  r.claimed = Cost{24, 1'500'000, 6};
  r.wrong = 0;
  r.label = "Ring";
  r.color = "#0072B2";
  r.family = "split";
  return r;
}

Record with(Record::Body body) {
  Record r;
  r.body = std::move(body);
  return r;
}

Record full_verify() {
  return with(VerifyBody{.fault = "a fault", .bracketing = "(0+1)", .same_on_all_ranks = true});
}

Record full_simulate() {
  LinkUtilization links;
  links.links = {{{"h0-s0", "host", 1500, 0.5, 0.1}, {0.25, 0.75}}};
  links.equally_utilized = 1;
  links.step_us = 10;
  return with(SimulateBody{.topology = "crossbar",
                           .model = "fluid",
                           .machine = "overhead=0",
                           .modelled_us = 20,
                           .bound_us = 10,
                           .links = links});
}

Record full_train() {
  TrainBody body{.backend = "virtual", .model = "mlp", .compressor = "topk:ratio=0.01"};
  body.emulation = TrainBody::Emulation{.bandwidth_gbit_per_s = 1, .slowdown = {1, 2}};
  body.step_time_us = exactly(3);
  body.epochs = {{.number = 0, .steps = 4, .samples = 128, .loss = std::nan(""), .elapsed_us = 1e6},
                 {.number = 1, .steps = 4, .samples = 128, .elapsed_us = 1e6, .bytes_sent = 800}};
  body.warmup_steps = 2;
  body.timed = {
      .steps = 6, .samples = 192, .elapsed_us = 1.2e6, .input_us = 6e4, .bytes_sent = 720};
  body.staleness = {{0, 5}, {1, 3}};
  return with(body);
}

double bus_of(Collective collective, Rank ranks) {
  Record r = sample();
  r.problem.collective = collective;
  r.problem.ranks = ranks;
  return r.busbw().value();
}

}  // namespace

TEST_CASE("every kind of record has exactly the keys of docs/records.schema.json") {
  const JsonSchema schema(kRecordsSchema);
  for (const Record& r :
       {with(CountBody{}), with(VerifyBody{}), full_verify(), with(SimulateBody{}), full_simulate(),
        with(RunBody{}), sample(), with(TrainBody{}), full_train()}) {
    const Json json = Json::parse(to_json(r).dump());
    INFO(json.dump());
    CHECK(schema.violation(json) == "");
    for (const auto& [key, value] : json.items()) {  // all of them are required
      Json less = json;
      less.erase(key);
      INFO(key);
      CHECK(schema.violation(less) != "");
    }
    Json more = json;
    more["surprise"] = 1;
    CHECK(schema.violation(more) == "\"surprise\" is not in the schema");
  }
}

TEST_CASE("the schema rejects values of the wrong type") {
  const JsonSchema schema(kRecordsSchema);
  const Json wrong{
      {"ranks", "4"}, {"messages", 1.5},   {"bytes", -1},           {"collective", "allgather"},
      {"schema", 1},  {"kind", "measure"}, {"time_us", {{"n", 1}}}, {"busbw_gb_per_s", "fast"}};
  for (const auto& [key, value] : wrong.items()) {
    Json json = to_json(sample());
    json[key] = value;
    INFO(key);
    CHECK(schema.violation(json) != "");
  }
}

TEST_CASE("the context line is in the schema") {
  const JsonSchema schema(kRecordsSchema);
  CHECK(schema.violation(Json::parse(context({"arlab", "count"}).dump())) == "");
}

TEST_CASE("JSON holds the values of the record") {
  const Json j = to_json(sample());
  CHECK(j["schema"] == 2);
  CHECK(j["ranks"] == 4);
  CHECK(j["bytes"] == 1'000'000);
  CHECK(j["dtype"] == "float32");
  CHECK(j["op"] == "sum");
  CHECK(j["collective"] == "allreduce");
  CHECK(j["messages"] == 24);
  CHECK(j["bytes_sent"] == 6'000'000);
  CHECK(j["claimed"] == Json{{"messages", 24}, {"elements_sent", 1'500'000}, {"rounds", 6}});
  CHECK(
      j["time_us"] ==
      Json{{"n", 10}, {"median", 500.0}, {"ci95", {480.0, 530.0}}, {"min", 470.0}, {"p99", 600.0}});
  CHECK(j["wrong"] == 0);
  CHECK(j["algbw_gb_per_s"].get<double>() == Approx(2.0));
  CHECK(j["busbw_gb_per_s"].get<double>() == Approx(3.0));
}

TEST_CASE("absent values are null, never 0") {
  const Json j = to_json(with(CountBody{}));
  for (const char* key : {"backend", "topology", "model", "machine", "compressor", "messages",
                          "elements_sent", "bytes_sent", "rounds", "claimed", "time_us",
                          "modelled_us", "algbw_gb_per_s", "busbw_gb_per_s", "wrong", "skipped"}) {
    INFO(key);
    CHECK(j[key].is_null());
  }
  Record instant = sample();  // one rank: no time, so no bandwidth either
  instant.as<RunBody>().time_us = exactly(0);
  CHECK(to_json(instant)["time_us"]["median"] == 0.0);
  CHECK(to_json(instant)["algbw_gb_per_s"].is_null());
  CHECK(to_json(instant)["busbw_gb_per_s"].is_null());
}

TEST_CASE("integers are exact beyond what a double holds") {
  Record r = sample();
  r.sent = Cost{9007199254740993, 9007199254740993, 1};
  r.operand.dtype = DType::float16;
  const Json back = Json::parse(to_json(r).dump());
  CHECK(back["messages"].get<std::int64_t>() == 9007199254740993);
  CHECK(back["bytes_sent"].get<std::int64_t>() == 2 * 9007199254740993);
}

TEST_CASE("bus bandwidth depends on the collective and the number of ranks") {
  const double algbw = sample().algbw().value();
  CHECK(bus_of(Collective::allreduce, 4) == Approx(algbw * 1.5));
  CHECK(bus_of(Collective::allreduce, 2) == Approx(algbw));
  CHECK(bus_of(Collective::allreduce, 1024) == Approx(algbw * 2 * 1023 / 1024));
  CHECK(bus_of(Collective::reduce_scatter, 4) == Approx(algbw * 0.75));
  CHECK(bus_of(Collective::all_gather, 4) == Approx(algbw * 0.75));
  CHECK(bus_of(Collective::reduce, 4) == Approx(algbw));
  CHECK(bus_of(Collective::broadcast, 4) == Approx(algbw));
  for (const Collective c : kCollectives) CHECK(bus_of(c, 1) == 0);
}

TEST_CASE("identity depends on the configuration and not on its results") {
  const std::string base = identity(to_json(sample()));
  const auto changed = [&](auto&& change) {
    Record r = sample();
    change(r);
    return identity(to_json(r)) != base;
  };
  CHECK(changed([](Record& r) { r.body = CountBody{}; }));
  CHECK(changed([](Record& r) { r.as<RunBody>().backend = "mpi"; }));
  CHECK(changed([](Record& r) { r.algorithm = "tree"; }));
  CHECK(changed([](Record& r) { r.problem.collective = Collective::reduce; }));
  CHECK(changed([](Record& r) { r.problem.ranks = 5; }));
  CHECK(changed([](Record& r) { r.problem.elements = 0; }));
  CHECK(changed([](Record& r) { r.problem.root = 1; }));
  CHECK(changed([](Record& r) { r.operand.dtype = DType::int32; }));
  CHECK(changed([](Record& r) { r.operand.op = Op::avg; }));
  CHECK(changed([](Record& r) { r.segments = 2; }));
  CHECK(changed([](Record& r) { r.as<RunBody>().mode.in_place = false; }));
  CHECK(changed([](Record& r) { r.as<RunBody>().mode.repeats = 20; }));
  CHECK(changed([](Record& r) { r.as<RunBody>().mode.cold = true; }));
  CHECK(changed([](Record& r) { r.as<RunBody>().at_agreed_time = true; }));
  CHECK(changed([](Record& r) { r.as<RunBody>().mean_over_ranks = true; }));
  const auto simulated = [](const SimulateBody& body) { return identity(to_json(with(body))); };
  CHECK(simulated({.model = "loggops"}) != simulated({}));
  CHECK(simulated({.machine = "alpha=1us"}) != simulated({}));
  CHECK(simulated({.topology = "crossbar"}) != simulated({}));
  CHECK_FALSE(changed([](Record& r) {
    r.as<RunBody>().time_us = exactly(3);
    r.wrong = 7;
    r.sent = Cost{1, 2, 3};
    r.skipped = "no time";
    r.label = "another";
    r.as<RunBody>().native_choice = "tree";
  }));
}

TEST_CASE("identity tells trainings apart by how they exchange, and not by what they learn") {
  const auto of = [](auto&& change) {
    TrainBody body;
    body.emulation = TrainBody::Emulation{.bandwidth_gbit_per_s = 1, .slowdown = {1, 1}};
    change(body);
    return identity(to_json(with(body)));
  };
  const std::string base = of([](TrainBody&) {});
  CHECK(of([](TrainBody& b) { b.strategy = "local_sgd:every=8"; }) != base);
  CHECK(of([](TrainBody& b) { b.scheduler = "fifo"; }) != base);
  CHECK(of([](TrainBody& b) { b.batch_size = 32; }) != base);
  CHECK(of([](TrainBody& b) { b.data = "synthetic"; }) != base);
  CHECK(of([](TrainBody& b) { b.optimizer = "adam"; }) != base);
  CHECK(of([](TrainBody& b) { b.overlap = true; }) != base);
  CHECK(of([](TrainBody& b) { b.servers = 1; }) != base);
  CHECK(of([](TrainBody& b) { b.emulation->bandwidth_gbit_per_s = 10; }) != base);
  CHECK(of([](TrainBody& b) { b.emulation->latency_us = 5; }) != base);
  CHECK(of([](TrainBody& b) { b.emulation->slowdown = {1, 2}; }) != base);
  CHECK(of([](TrainBody& b) { b.emulation->jitter = 0.5; }) != base);
  CHECK(of([](TrainBody& b) { b.emulation->encode_ns = 1; }) != base);
  CHECK(of([](TrainBody& b) { b.epochs = {{.number = 0, .loss = 3}}; }) == base);
  CHECK(of([](TrainBody& b) { b.step_time_us = exactly(3); }) == base);
  // Of other kinds these keys say nothing, and an old file lacks some.
  CHECK(identity({{"kind", "run"}, {"scheduler", "fifo"}}) == identity({{"kind", "run"}}));
  CHECK(identity({{"kind", "train"}, {"momentum", nullptr}}) == identity({{"kind", "train"}}));
}

TEST_CASE("identity survives a file, and treats missing keys as null") {
  const Json json = to_json(sample());
  CHECK(identity(Json::parse(json.dump())) == identity(json));
  CHECK(identity(Json::object()) == identity(Json{{"kind", nullptr}}));
}

TEST_CASE("a training record leaves its first steps out of rates, and has no bandwidth") {
  const Json j = to_json(full_train());
  CHECK(j["bytes_sent"] == 800);
  CHECK(j["warmup_steps"] == 2);
  CHECK(j["step_us"].get<double>() == Approx(2e5));
  CHECK(j["input_us"].get<double>() == Approx(1e4));
  CHECK(j["images_per_s"].get<double>() == Approx(160));
  CHECK(j["bytes_per_rank_step"].get<double>() * j["ranks"].get<double>() == Approx(720. / 6));
  CHECK(j["staleness"] == Json{{"0", 5}, {"1", 3}});
  CHECK(j["algbw_gb_per_s"].is_null());
  CHECK(to_json(with(TrainBody{}))["step_us"].is_null());
}

TEST_CASE("records of other configurations have other identities, whatever their digits") {
  CHECK(identity({{"ranks", 1}, {"elements", 23}}) != identity({{"ranks", 12}, {"elements", 3}}));
  CHECK(identity({{"op", "sum"}}) != identity({{"dtype", "sum"}}));
  CHECK(identity({{"repeats", 1}}) != identity({{"repeats", 20}}));
  const auto of_log = [](int repeats) { return Json{{"source", "IMB"}, {"repeats", repeats}}; };
  CHECK(identity(of_log(1)) == identity(of_log(20)));
  CHECK(identity({{"ranks", 1}, {"time_us", 3}}) == identity({{"time_us", 4}, {"ranks", 1}}));
}
