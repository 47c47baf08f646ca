// Schedules as JSON: what comes out runs as it did.
#include "bench/formats/schedule_json.hpp"

#include <fmt/format.h>

#include <memory>
#include <set>

#include "algorithms/verify/count.hpp"
#include "algorithms/verify/verify.hpp"
#include "bench/formats/schedule_file.hpp"
#include "simulator/engine/simulate.hpp"
#include "simulator/models/model.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"
#include "tests/support/grouped.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

Algorithm read_again(const Json& json) {
  return algorithm_of(std::make_shared<const Script>(parse_schedule(json.dump(), "s.json")));
}

Json exported(const Algorithm& algorithm, const Problem& problem) {
  return schedule_json({.algorithm = &algorithm, .problem = problem, .operand = {}, .segments = 1});
}

}  // namespace

TEST_CASE("a schedule with more chunks than ranks is the same after export and import") {
  const Algorithm& forest = find_algorithm("forest:pieces=32");
  const Problem problem = grouped(forest, {.ranks = 5, .elements = 1000});
  const Json json = exported(forest, problem);
  CHECK(json["chunks_per_rank"] == 32);  // 160 chunks, 5 in each piece
  const Algorithm read = read_again(json);
  CHECK(verify(read, problem));
  CHECK(count(read, problem).all == count(forest, problem).all);
  CHECK_FALSE(
      exported(find_algorithm("ring"), {.ranks = 3, .elements = 3}).contains("chunks_per_rank"));
}

TEST_CASE("lanes of different numbers of chunks are the same after export and import") {
  const Problem problem{.ranks = 4, .elements = 7168};
  const Algorithm& weighted = find_algorithm("weighted:rates=2x2x1");
  const Json json = exported(weighted, problem);
  std::set<Json> chunks;
  for (const Json& lane : json["lanes"])
    chunks.insert(lane.value("chunks_per_rank", json.value("chunks_per_rank", Json(1))));
  CHECK(chunks.size() == 2);
  const Algorithm read = read_again(json);
  CHECK(verify(read, problem));
  CHECK(count(read, problem).all == count(weighted, problem).all);
}

TEST_CASE("segments leave one after another after export and import, too") {
  for (const char* name : {"chain", "double_tree", "bidirectional_ring", "chain:"})
    for (const char* model : {"fluid", "packet"}) {
      const bool forgets = std::string_view(name).ends_with(":");
      const Algorithm& algorithm = find_algorithm(forgets ? "chain" : name);
      const Problem problem{.ranks = 5, .elements = 100'003};
      constexpr int kSegments = 4;
      Json json = schedule_json(
          {.algorithm = &algorithm, .problem = problem, .operand = {}, .segments = kSegments});
      CHECK(json["lanes"].back()["channel"] == algorithm.lanes - 1);
      CHECK(json["lanes"].back()["piece"] == kSegments - 1);
      if (forgets)
        for (Json& lane : json["lanes"]) lane.erase("channel"), lane.erase("piece");
      const Algorithm read = read_again(json);
      const auto& kind = simulator::find_model(model);
      const auto time = [&](const Algorithm& a, int segments) {
        const auto network = simulator::make_network(kind, {}, problem.ranks);
        return simulator::simulate(a, problem, 4, *network, {.segments = segments}).finish;
      };
      CAPTURE(name, model);
      CHECK((time(read, 1) == time(algorithm, kSegments)) == !forgets);
    }
  CHECK_FALSE(
      exported(find_algorithm("double_tree"), {.ranks = 3, .elements = 30})["lanes"][0].contains(
          "channel"));
}

TEST_CASE("a lane's channel and piece are checked") {
  Json json = exported(find_algorithm("ring"), {.ranks = 3, .elements = 3});
  const auto said = [&] { return refusal([&] { read_again(json); }); };
  json["lanes"][0]["channel"] = 0;
  CHECK(said() == "s.json: lane 0: has no key \"piece\"");
  json["lanes"][0]["piece"] = -1;
  CHECK(said().find("\"piece\" is -1") != std::string::npos);
  json["lanes"][0]["piece"] = 0;
  CHECK(said().empty());
  json["lanes"][0]["channel"] = 1;
  CHECK(said() == "s.json: lane 0 is a piece of channel 1: of 1 lanes, number channels from 0 on");
}

TEST_CASE("every algorithm of the catalog is the same after export and import") {
  for (const Algorithm& algorithm : algorithms())
    for (const Count elements : {7, 30'001}) {
      const Problem problem =
          grouped(algorithm,
                  {.collective = algorithm.collectives.front(), .ranks = 8, .elements = elements});
      if (!unsupported(algorithm, problem).empty() || algorithm.in_network) continue;
      CAPTURE(algorithm.name, elements);
      const Algorithm read = read_again(exported(algorithm, problem));
      CHECK(count(read, problem).all == count(algorithm, problem).all);
    }
}

TEST_CASE(
    "a schedule whose messages carry chunks that are apart is the same after export and import") {
  const Problem problem{.ranks = 4, .elements = 8};
  const Algorithm& pat = find_algorithm("pat");
  const Json json = exported(pat, problem);
  // Every second chunk from that of rank 1 on.
  CHECK(json["lanes"][0]["ranks"][0]["rounds"][0][0] ==
        Json{{"action", "send"}, {"peer", 1}, {"chunk", 1}, {"chunks", 2}, {"stride", 2}});
  const Algorithm read = read_again(json);
  CHECK(verify(read, problem));
  CHECK(count(read, problem).all == count(pat, problem).all);
}

TEST_CASE("a schedule of another schema, or with negative numbers, is refused") {
  const Json good = exported(find_algorithm("ring"), {.ranks = 3, .elements = 3});
  const auto said = [](const Json& json) { return refusal([&] { read_again(json); }); };
  Json json = good;
  json["schema"] = 99;
  CHECK(said(json) == "s.json: \"schema\" is 99, but this program reads schema 2: export it again");
  json["schema"] = "2";
  CHECK(said(json).find("\"schema\" is \"2\"") != std::string::npos);
  for (const auto& [pointer, text] : {std::pair("/elements", "\"elements\" is -9"),
                                      {"/ranks", "\"ranks\" is -9"},
                                      {"/root", "\"root\" is -9"},
                                      {"/lanes/0/offset", "lane 0: \"offset\" is -9"},
                                      {"/lanes/0/elements", "lane 0: \"elements\" is -9"},
                                      {"/lanes/0/ranks/0/rounds/0/0/chunk", "\"chunk\" is -9"},
                                      {"/lanes/0/ranks/0/rounds/0/0/chunks", "\"chunks\" is -9"},
                                      {"/lanes/0/ranks/0/rounds/0/0/peer", "\"peer\" is -9"}}) {
    json = good;
    json[Json::json_pointer(pointer)] = -9;
    CHECK(said(json).find(text) != std::string::npos);
  }
}

TEST_CASE("a schedule's chunks per rank are checked") {
  Json json = exported(find_algorithm("ring"), {.ranks = 3, .elements = 3});
  const auto said = [&] { return refusal([&] { read_again(json); }); };
  json["chunks_per_rank"] = 0;
  CHECK(said() == "s.json: chunks_per_rank is 0: give 1 to 715827882");
  json["chunks_per_rank"] = 2'000'000'000;
  CHECK(said() == "s.json: chunks_per_rank is 2000000000: give 1 to 715827882");
  json["chunks_per_rank"] = 2;  // nobody sends the second half
  CHECK(said().find("is missing") != std::string::npos);
  json = exported(find_algorithm("ring"),
                  {.collective = Collective::all_gather, .ranks = 3, .elements = 3});
  json["chunks_per_rank"] = 2;
  CHECK(said() == "s.json: chunks_per_rank is 2, but all_gather gives each rank one chunk: give 1");
}

TEST_CASE("all keys that are missing in one place of a schedule are named at once") {
  const auto said = [](const std::string& text) {
    return refusal([&] { parse_schedule(text, "s.json"); });
  };
  CHECK(said(R"({"collective": "allreduce"})") ==
        R"(s.json: has no keys "kind", "ranks", "root", "lanes")");
  CHECK(said(R"({"kind": "trace"})") == "s.json: \"kind\" is 'trace', not 'schedule'");
  const std::string head =
      R"({"kind": "schedule", "collective": "allreduce", "ranks": 1, "root": 0, "lanes": [)";
  CHECK(said(head + "{}]}") == R"(s.json: lane 0: has no keys "elements", "ranks")");
  CHECK(said(head +
             R"({"elements": 1, "ranks": [{"rank": 0, "rounds": [[{"action": "send"}]]}]}]})") ==
        R"(s.json: lane 0, rank 0, round 1, action 1: has no keys "peer", "chunk", "chunks")");
}
