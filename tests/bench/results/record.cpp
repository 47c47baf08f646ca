#include "bench/results/record.hpp"

#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;
using namespace arlab::collectives;
using namespace arlab::bench;

namespace {

Record sample() {
  Record r;
  r.kind = "run";
  r.backend = "threads";
  r.algorithm = "ring";
  r.problem = {.ranks = 4, .elements = 250'000};
  r.sent = Cost{24, 1'500'000, 6};
  r.claimed = Cost{24, 1'500'000, 6};
  r.time_us = Summary{10, 500, 480, 530, 470, 600};
  r.wrong = 0;
  r.label = "Ring";
  r.color = "#0072B2";
  r.family = "split";
  return r;
}

double bus_of(Collective collective, Rank ranks) {
  Record r = sample();
  r.problem.collective = collective;
  r.problem.ranks = ranks;
  return r.busbw().value();
}

}  // namespace

TEST_CASE("a record has all keys of the contract, whatever is known") {
  Record empty;
  empty.kind = "count";
  for (const Json& json : {to_json(empty), to_json(sample())})
    for (const char* key :
         {"schema",   "kind",       "backend", "algorithm",  "collective",  "ranks",
          "elements", "dtype",      "op",      "bytes",      "lanes",       "segments",
          "topology", "model",      "machine", "compressor", "messages",    "elements_sent",
          "rounds",   "bytes_sent", "claimed", "time_us",    "modelled_us", "algbw_gbps",
          "wrong",    "busbw_gbps", "skipped", "label",      "color",       "family",
          "root"}) {
      INFO(key);
      CHECK(json.contains(key));
    }
  for (const char* key : {"fault", "bracketing", "same_on_all_ranks"}) {
    Record verified;
    verified.kind = "verify";
    CHECK(to_json(verified).contains(key));
    CHECK_FALSE(to_json(sample()).contains(key));
  }
}

TEST_CASE("values are those of the record") {
  const Json j = to_json(sample());
  CHECK(j["schema"] == 1);
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
  CHECK(j["algbw_gbps"].get<double>() == Approx(2.0));
  CHECK(j["busbw_gbps"].get<double>() == Approx(3.0));
}

TEST_CASE("absent is null, never 0") {
  Record r;
  r.kind = "simulate";
  const Json j = to_json(r);
  for (const char* key : {"backend", "topology", "model", "machine", "compressor", "messages",
                          "elements_sent", "bytes_sent", "rounds", "claimed", "time_us",
                          "modelled_us", "algbw_gbps", "busbw_gbps", "wrong", "skipped"}) {
    INFO(key);
    CHECK(j[key].is_null());
  }
  Record instant = sample();  // one rank: no time, so no bandwidth either
  instant.time_us = exactly(0);
  CHECK(to_json(instant)["time_us"]["median"] == 0.0);
  CHECK(to_json(instant)["algbw_gbps"].is_null());
  CHECK(to_json(instant)["busbw_gbps"].is_null());
}

TEST_CASE("integers are exact beyond what a double holds") {
  Record r = sample();
  r.sent = Cost{9007199254740993, 9007199254740993, 1};
  r.operand.dtype = DType::float16;
  const Json back = Json::parse(to_json(r).dump());
  CHECK(back["messages"].get<std::int64_t>() == 9007199254740993);
  CHECK(back["bytes_sent"].get<std::int64_t>() == 2 * 9007199254740993);
}

TEST_CASE("bus bandwidth: what a link carries at least, by collective") {
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

TEST_CASE("identity tells configurations apart, and not their results") {
  const std::string base = identity(to_json(sample()));
  const auto changed = [&](auto&& change) {
    Record r = sample();
    change(r);
    return identity(to_json(r)) != base;
  };
  CHECK(changed([](Record& r) { r.kind = "count"; }));
  CHECK(changed([](Record& r) { r.backend = "mpi"; }));
  CHECK(changed([](Record& r) { r.backend.reset(); }));
  CHECK(changed([](Record& r) { r.algorithm = "tree"; }));
  CHECK(changed([](Record& r) { r.problem.collective = Collective::reduce; }));
  CHECK(changed([](Record& r) { r.problem.ranks = 5; }));
  CHECK(changed([](Record& r) { r.problem.elements = 0; }));
  CHECK(changed([](Record& r) { r.problem.root = 1; }));
  CHECK(changed([](Record& r) { r.operand.dtype = DType::int32; }));
  CHECK(changed([](Record& r) { r.operand.op = Op::avg; }));
  CHECK(changed([](Record& r) { r.segments = 2; }));
  CHECK(changed([](Record& r) { r.model = "loggops"; }));
  CHECK(changed([](Record& r) { r.machine = "alpha=1us"; }));
  CHECK(changed([](Record& r) { r.topology = "crossbar"; }));
  CHECK_FALSE(changed([](Record& r) {
    r.time_us = exactly(3);
    r.wrong = 7;
    r.sent = Cost{1, 2, 3};
    r.skipped = "no time";
    r.label = "another";
    r.modelled_us = 4;
  }));
}

TEST_CASE("identity survives a file, and a record without its keys has one too") {
  const Json json = to_json(sample());
  CHECK(identity(Json::parse(json.dump())) == identity(json));
  CHECK(identity(Json::object()) == identity(Json{{"kind", nullptr}}));
}
