// What the explorer is answered is what the programs say: counts, proofs, times; and bad requests
// are refused by name.
#include "plots/explorer/engine/answer.hpp"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <set>

#include "algorithms/base/error.hpp"
#include "algorithms/verify/count.hpp"
#include "plots/explorer/engine/page.hpp"
#include "simulator/engine/simulate.hpp"
#include "simulator/models/model.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;
using nlohmann::json;

namespace {

json answered(const json& request) { return json::parse(explorer::answer(request.dump())); }

std::string refused(const std::string& request) {
  try {
    explorer::answer(request);
  } catch (const Error& e) {
    return e.what();
  }
  return "no error";
}

// What rank r holds of chunk c at the end: how many contributions.
int contributions_at_end(const json& run, int ranks, int rank, int chunk) {
  int id = run["start"][std::size_t(rank * ranks + chunk)];
  for (const json& step : run["steps"])
    for (const json& change : step["changes"])
      if (change[0] == rank && change[1] == chunk) id = change[2];
  return id < 0 ? 0 : run["contributions"][std::size_t(id)].get<int>();
}

}  // namespace

TEST_CASE("every algorithm's run ends with the whole sum on all ranks and the counted cost") {
  for (const Algorithm& algorithm : algorithms())
    for (const int ranks : {2, 3, 7, 8, 16}) {
      if (!unsupported(algorithm, {.ranks = ranks, .elements = 1000}).empty()) continue;
      INFO(algorithm.name << ", ranks " << ranks);
      const json run = answered(
          {{"ask", "run"}, {"algorithm", algorithm.name}, {"ranks", ranks}, {"elements", 1000}});
      const Cost cost = count(algorithm, {.ranks = ranks, .elements = 1000}).all;
      REQUIRE(run["fault"].is_null());
      REQUIRE(run["counted"]["messages"] == cost.messages);
      REQUIRE(run["counted"]["elements"] == cost.elements);
      REQUIRE(run["counted"] == run["claimed"]);
      REQUIRE(Count(run["steps"].size()) == cost.rounds);
      for (int rank = 0; rank < ranks; ++rank)
        for (int chunk = 0; chunk < ranks; ++chunk)
          REQUIRE(contributions_at_end(run, ranks, rank, chunk) == ranks);
    }
}

TEST_CASE("algorithms that need nodes, a torus, trees, or few numbers of ranks are in the page") {
  const json catalog = answered({{"ask", "catalog"}});
  const auto in_network = std::count_if(algorithms().begin(), algorithms().end(),
                                        [](const Algorithm& a) { return a.in_network; });
  // stragglar and weighted need their settings.
  REQUIRE(catalog["algorithms"].size() == algorithms().size() - 2);
  int needing = 0;
  for (const json& entry : catalog["algorithms"]) {
    if (entry["needs"] == "") continue;
    ++needing;
    int shown = 0;
    for (const int ranks : {2, 3, 4, 7, 9, 16}) {
      json request{{"ask", "run"},
                   {"algorithm", entry["name"]},
                   {"ranks", ranks},
                   {"elements", 1000 * ranks},
                   {"model", "fluid"}};
      if (entry["in_network"] == true) request["topology"] = "crossbar:aggregate=yes";
      INFO(request.dump());
      const std::string why = refused(request.dump());
      if (why != "no error") continue;
      ++shown;
      const json run = answered(request);
      REQUIRE(run["fault"].is_null());
      REQUIRE(run["counted"] == run["claimed"]);
      for (int rank = 0; rank < ranks; ++rank)  // what the quiz asks for
        REQUIRE(contributions_at_end(run, ranks, rank, ranks - 1) == ranks);
      json edited = request;  // as Break it does
      edited["schedule"] = run["schedule"];
      REQUIRE(answered(edited)["fault"].is_null());
      json& rounds = edited["schedule"][0];
      if (rounds.empty()) continue;
      rounds.erase(rounds.size() - 1);
      REQUIRE_FALSE(answered(edited)["fault"].is_null());
      json timed = request;
      timed["ask"] = "simulate";
      const json simulated = answered(timed);
      REQUIRE(simulated["sent"]["messages"] == run["counted"]["messages"]);
    }
    INFO(entry["name"]);
    CHECK(shown >= 2);
  }
  CHECK(needing == 5 + in_network);
}

TEST_CASE("a layout is that of the topology, if it has one") {
  json request{{"ask", "run"}, {"algorithm", "hierarchical"}, {"ranks", 7}, {"elements", 70}};
  CHECK(answered(request)["layout"] == "nodes of 4, 3 ranks");
  request["topology"] = "rail_pod:nodes=2,gpus=4";
  request["ranks"] = 8;
  CHECK(answered(request)["layout"] == "nodes of 4, 4 ranks");
  CHECK(answered({{"ask", "run"}, {"algorithm", "torus_bucket"}, {"ranks", 12}})["layout"] ==
        "a torus of 4x3 ranks");
  CHECK(answered({{"ask", "run"},
                  {"algorithm", "torus_bucket"},
                  {"ranks", 12},
                  {"topology", "torus:dims=6x2"}})["layout"] == "a torus of 6x2 ranks");
  CHECK(refused(R"({"ask":"run","algorithm":"forest","ranks":17})")
            .find("a page computes trees for up to 16 ranks") != std::string::npos);
}

TEST_CASE("what switches add is drawn where the topology adds, and refused elsewhere") {
  const json request{{"ask", "run"},
                     {"algorithm", "sharp"},
                     {"ranks", 3},
                     {"elements", 30},
                     {"topology", "crossbar:aggregate=yes"}};
  const json run = answered(request);
  CHECK(run["fault"].is_null());
  CHECK(run["steps"].size() == 1);
  CHECK(run["steps"][0]["messages"].size() == 6);  // of each to each other
  CHECK(contributions_at_end(run, 3, 2, 0) == 3);
  CHECK(refused(R"({"ask":"run","algorithm":"sharp","ranks":3})")
            .find("sharp needs switches that add") != std::string::npos);
  CHECK(refused(R"({"ask":"simulate","algorithm":"sharp","ranks":3,"elements":30,
                    "topology":"crossbar:aggregate=yes"})")
            .find("use model fluid") != std::string::npos);
  json simulated = request;
  simulated["ask"] = "simulate";
  simulated["model"] = "fluid";
  CHECK(answered(simulated)["spans"].size() == 10);  // three take of one, two more give
}

TEST_CASE("a run shows one lane of the segments, and without a lane what all cost") {
  json request{
      {"ask", "run"}, {"algorithm", "ring"}, {"ranks", 4}, {"elements", 100}, {"segments", 3}};
  CHECK(answered(request)["counted"]["messages"] == 3 * 24);
  request["lane"] = 2;
  const json run = answered(request);
  CHECK(run["lanes"] == 3);
  CHECK(run["lane"] == 2);
  CHECK(run["offset"] == 67);
  CHECK(run["elements"] == 33);
  CHECK(run.count("counted") == 0);
  request["lane"] = 7;
  CHECK(answered(request)["lane"] == 2);
}

TEST_CASE("the lanes of a run have all messages that its simulation sends") {
  for (const Algorithm& algorithm : algorithms())
    for (const int segments : {1, 2}) {
      json request{{"ask", "run"},      {"algorithm", algorithm.name}, {"ranks", 8},
                   {"elements", 80000}, {"segments", segments},        {"model", "fluid"}};
      if (refused(request.dump()) != "no error") continue;
      INFO(request.dump());
      const json first = answered(request);
      std::set<std::array<int, 4>> known;  // lane, ends, the sender's round
      for (int lane = 0; lane < first["lanes"]; ++lane) {
        request["lane"] = lane;
        const json run = answered(request);
        for (const json& step : run["steps"])
          for (const json& m : step["messages"]) {
            INFO("lane " << lane << ", " << m.dump());
            REQUIRE(known.insert({lane, m[0], m[1], m[5]}).second);
          }
      }
      REQUIRE(first["counted"]["messages"] == known.size());
      request["ask"] = "simulate";
      request.erase("lane");
      const json simulated = answered(request);
      for (const json& span : simulated["spans"])
        if (span[0] == 0) REQUIRE(known.contains({span[2], span[1], span[4], span[3]}));
    }
}

TEST_CASE("segments are those of the command line, in runs, simulations, and curves") {
  const json network{{"model", "fluid"}, {"topology", "leaf_spine"}};
  for (const json& asked : {json(nullptr), json(1), json(3)})
    for (const Algorithm& algorithm : algorithms()) {
      json request{
          {"ask", "simulate"}, {"algorithm", algorithm.name}, {"ranks", 16}, {"elements", 262144}};
      request.update(network);
      if (!asked.is_null()) request["segments"] = asked;
      if (refused(request.dump()) != "no error") continue;
      INFO(request.dump());
      const json one = answered(request)["finish"];
      json curve{
          {"ask", "curve"}, {"algorithms", {algorithm.name}}, {"ranks", 16}, {"sizes", {1 << 20}}};
      curve.update(network);
      if (!asked.is_null()) curve["segments"] = asked;
      CHECK(answered(curve)["series"][0]["times"][0] == one);
    }
  // What `arlab simulate nccl_tree -p 16 -s 1M --network leaf_spine` prints: 342.6 us.
  json tree{{"ask", "simulate"}, {"algorithm", "nccl_tree"}, {"ranks", 16}, {"elements", 262144}};
  tree.update(network);
  CHECK(answered(tree)["finish"].get<double>() / 1e6 == Approx(342.6).margin(0.05));
  tree["ask"] = "run";
  CHECK(answered(tree)["segments"] == 16);
  tree.erase("model");
  tree.erase("topology");
  CHECK(answered(tree)["segments"] == 1);
}

TEST_CASE("a run has a chunk per rank, or the pieces that the program cuts a lane into") {
  const json forest{{"ask", "run"}, {"algorithm", "forest"}, {"ranks", 8}, {"elements", 262144}};
  const json drawn = answered(forest);
  CHECK(drawn["chunks"].size() == 8);
  CHECK(drawn["pieces"] == 3);
  json request = forest;
  request["pieces"] = true;
  const json run = answered(request);
  CHECK(run["chunks"].size() == 24);
  CHECK(run["start"].size() == 8 * 24);
  CHECK(run["counted"] == drawn["counted"]);
  request["ask"] = "simulate";
  CHECK(answered(request)["sent"] == drawn["counted"]);
}

TEST_CASE("a curve is of the algorithms that it names, from the root that it names") {
  json curve{{"ask", "curve"},   {"algorithms", {"tree", "ring"}}, {"ranks", 5}, {"sizes", {4000}},
             {"model", "fluid"}, {"topology", "torus:dims=5"}};
  const json usual = answered(curve)["series"];
  REQUIRE(usual.size() == 2);
  CHECK(usual[0]["name"] == "tree");
  curve["root"] = 2;
  json request{{"ask", "simulate"}, {"algorithm", "tree"}, {"ranks", 5}, {"elements", 1000}};
  request.update({{"model", "fluid"}, {"topology", "torus:dims=5"}, {"root", 2}});
  CHECK(answered(curve)["series"][0]["times"][0] == answered(request)["finish"]);
  curve["root"] = 5;
  CHECK(refused(curve.dump()) == "root is 5, but the ranks are 0 to 4");
  CHECK(refused(R"({"ask":"curve","sizes":[8],"algorithms":3})").find("algorithms is 3") == 0);
  CHECK(refused(R"({"ask":"curve","sizes":[8],"algorithms":[3]})").find("an algorithm is 3") == 0);
  const json many = answered({{"ask", "curve"},
                              {"algorithms", {"all_to_all", "tree"}},
                              {"ranks", 64},
                              {"segments", 64},
                              {"sizes", {1 << 20}}});
  CHECK(many["series"][0]["times"][0] == "too many");
  CHECK(many["series"][1]["times"][0] > 0);
}

TEST_CASE("explain names the ranks of a sum and its order") {
  const json run = answered({{"ask", "run"}, {"algorithm", "butterfly"}, {"ranks", 4}});
  const int last = int(run["contributions"].size()) - 1;
  const json sum =
      answered({{"ask", "explain"}, {"algorithm", "butterfly"}, {"ranks", 4}, {"id", last}});
  CHECK(sum["bracketing"] == "((0+1)+(2+3))");
  CHECK(sum["ranks"] == json({0, 1, 2, 3}));
}

TEST_CASE("a simulated answer equals the simulator's result") {
  const json simulated = answered({{"ask", "simulate"},
                                   {"algorithm", "tree"},
                                   {"ranks", 9},
                                   {"elements", 5000},
                                   {"model", "loggops"},
                                   {"parameters", {{"L", 7e6}, {"gamma", 3}}}});
  const auto network = make_network(find_model("loggops"), {{"L", 7e6}, {"gamma", 3}}, 9);
  const SimulationResult outcome =
      simulate(find_algorithm("tree"), {.ranks = 9, .elements = 5000}, 4, *network);
  CHECK(simulated["finish"] == outcome.finish.count());
  CHECK(simulated["path"].front()[6] == 0);
  CHECK(simulated["path"].back()[7] == outcome.finish.count());
  CHECK(simulated["sent"]["messages"] == outcome.sent.messages);
}

TEST_CASE("the verifier checks an edited schedule") {
  json request{{"ask", "run"}, {"algorithm", "ring"}, {"ranks", 4}};
  json schedule = answered(request)["schedule"];
  request["schedule"] = schedule;
  CHECK(answered(request)["fault"].is_null());
  request["schedule"][0][0][0][2] = 0;  // rank 0 sends chunk 0 instead of chunk 3
  const json shifted = answered(request)["fault"];
  CHECK(shifted["kind"] == "mismatched");
  CHECK(shifted["text"].get<std::string>().find("rank 1, round 1") != std::string::npos);
  request["schedule"] = schedule;
  for (json& rounds : request["schedule"]) rounds.erase(5);
  CHECK(answered(request)["fault"]["kind"] == "missing");
}

TEST_CASE("contributions name the ranks of each sum, also those that are in it twice") {
  json request{{"ask", "run"}, {"algorithm", "butterfly"}, {"ranks", 4}};
  const json run = answered(request);
  CHECK(run["whose"][0] == "1");
  CHECK(run["whose"].back() == "f");
  CHECK(run["repeated"].empty());
  request["schedule"] = run["schedule"];
  for (json& rounds : request["schedule"]) rounds.insert(rounds.begin(), json(rounds[0]));
  const json again = answered(request);
  CHECK(again["fault"]["kind"] == "duplicate");
  REQUIRE(again["repeated"].size() == 1);
  CHECK(again["repeated"].front() == json({0, 0, 1, 1}));
}

TEST_CASE("a schedule that a reader wrote is proved, counted and simulated like an algorithm") {
  json request{{"ask", "run"}, {"algorithm", "ring"}, {"ranks", 4}, {"elements", 100}};
  const json ring = answered(request);
  json own{{"ask", "run"},
           {"own", json::array({json::array({1, ring["schedule"]})})},
           {"ranks", 4},
           {"elements", 100}};
  const json run = answered(own);
  CHECK(run["fault"].is_null());
  CHECK(run["counted"] == ring["counted"]);
  CHECK(run["claimed"] == ring["counted"]);
  CHECK(run["steps"] == ring["steps"]);
  own["ask"] = "simulate";
  request["ask"] = "simulate";
  CHECK(answered(own)["finish"] == answered(request)["finish"]);
  own["segments"] = request["segments"] = 4;
  CHECK(answered(own)["finish"] == answered(request)["finish"]);
  own.erase("segments");
  own["own"][0][1][0].erase(0);
  CHECK(refused(own.dump()).find("the schedule is wrong") == 0);
  own["ask"] = "run";
  CHECK(answered(own)["fault"].is_object());
  CHECK(answered(own).count("claimed") == 0);
  own["own"][0][0] = 0;
  CHECK(refused(own.dump()).find("the weight of a lane is 0") == 0);
  own["own"] = 3;
  CHECK(refused(own.dump()) == "a schedule has 1 to 64 lanes");
}

TEST_CASE("errors for bad requests name the bad value") {
  CHECK(refused("[") == "the request is not a JSON object: give {\"ask\": ...}");
  CHECK(refused(R"({"ask":"moon"})") == "unknown request 'moon'");
  CHECK(refused(R"({"ask":"run","algorithm":"rign"})").find("did you mean 'ring'") !=
        std::string::npos);
  CHECK(refused(R"({"ask":"run","algorithm":"ring","ranks":65})").find("ranks is 65") == 0);
  CHECK(refused(R"({"ask":"run","algorithm":"ring","ranks":"x"})").find("ranks is \"x\"") == 0);
  CHECK(refused(R"({"ask":"run","algorithm":"ring","root":9})") ==
        "root is 9, but the ranks are 0 to 3");
  CHECK(refused(R"({"ask":"run","algorithm":"ring","root":4})") ==
        "root is 4, but the ranks are 0 to 3");
  CHECK(refused(R"({"ask":"run","algorithm":"ring","ranks":2,"schedule":[[[[9,0,0,1]]],[]]})")
            .find("an action is") == 0);
  // Two ranks, and their sum.
  for (const std::string id : {"-2", "3"})
    CHECK(refused(R"({"ask":"explain","algorithm":"butterfly","ranks":2,"id":)" + id + "}") ==
          "id is " + id + ": give 0 to 2");
  CHECK(refused(R"({"ask":"curve"})").find("a curve needs sizes") == 0);
  for (const std::string size : {"1.5", "\"4K\"", "1e300", "99999999999999999999"})
    CHECK(refused(R"({"ask":"curve","sizes":[8,)" + size + "]}").find("a size is ") == 0);
  CHECK(refused(R"({"ask":"run","algorithm":"ring","ranks":18446744073709551615})") ==
        "ranks is 18446744073709551615: give a whole number");
  for (const std::string ask : {R"("curve","sizes":[8])", R"("network")"})
    for (const std::string ranks : {"0", "-1", "4294967300"})
      CHECK(refused("{\"ask\":" + ask + ",\"ranks\":" + ranks + "}") ==
            "ranks is " + ranks + ": give 1 to 2147483647");
  for (const std::string pair : {"3", "[]", "[0]", "[0,1,2]", R"({"0":1})"})
    CHECK(refused(R"({"ask":"network","pairs":[)" + pair + "]}").find("a pair is [rank, rank]") ==
          0);
  for (const std::string rank : {"1.5", "1e300", "\"0\""})
    CHECK(refused(R"({"ask":"network","pairs":[[0,)" + rank + "]]}").find("a rank of a pair is ") ==
          0);
  for (const std::string rank : {"-1", "4"})
    CHECK(refused(R"({"ask":"network","pairs":[[)" + rank + ",0]]}") ==
          "pairs names rank " + rank + ": give 0 to 3");
  CHECK(refused(R"({"ask":"simulate","algorithm":"ring","model":"x"})").find("unknown model 'x'") ==
        0);
}

TEST_CASE("the page contains its engine, and no text can end its script") {
  CHECK(explorer::script_safe("a</script>") == "a\\u003c/script>");
  const std::string page = explorer::page_with_answers();
  CHECK(page.find("/*ARLAB_ENGINE*/") == std::string::npos);
  CHECK(page.size() < 3'000'000);
  CHECK(page.find("</script>") == page.rfind("</script>"));
  if (explorer::has_module()) CHECK(explorer::page_with_module().size() < 3'000'000);
}
