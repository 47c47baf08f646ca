// What a tuning table cannot tell apart is not mixed, and what its readers cannot run not chosen.
#include "bench/tune/cells.hpp"

#include "bench/tune/write_files.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

Json simulated_on(Rank ranks, const Json& changed = Json::object()) {
  Json json{{"algorithm", "ring"}, {"family", "split"},  {"segments", 1},
            {"ranks", ranks},      {"elements", 256},    {"bytes", 1024},
            {"skipped", nullptr},  {"wrong", 0},         {"time_us", {{"median", 10.0}}},
            {"messages", 24},      {"groups", nullptr},  {"collective", "reduce"},
            {"root", 0},           {"dtype", "float32"}, {"op", "sum"},
            {"topology", "mesh"},  {"model", "fluid"}};
  json.update(changed);
  return json;
}

}  // namespace

TEST_CASE("networks, types, and roots are not mixed") {
  for (const auto& [key, value] : {std::pair<const char*, Json>("topology", "crossbar"),
                                   {"model", "packet"},
                                   {"dtype", "float64"},
                                   {"op", "max"},
                                   {"root", 1},
                                   {"collective", "broadcast"}}) {
    CellBuilder builder;
    builder.add(simulated_on(4), {});
    CHECK(refusal([&] {
            builder.add(simulated_on(4, {{key, value}}), {});
          }) == "tune takes one " + std::string(key) + ": start it once for each");
  }
  CellBuilder builder;
  builder.add(simulated_on(4), {});
  builder.add(simulated_on(8, {{"topology", "mesh:dims=8"}}), {});  // as large as the ranks need
  CHECK(builder.cells().size() == 2);
  CHECK(builder.collective() == Collective::reduce);
}

TEST_CASE("algorithms that need more than a table's readers know are no choice") {
  for (const char* name : {"forest", "forest:pieces=3", "torus_bucket", "sharp", "nvls"})
    CHECK_FALSE(known_to_runs({name, 1}));
  for (const char* name : {"ring", "hierarchical", "native", "native:ring", "of_python"})
    CHECK(known_to_runs({name, 1}));
  TuneCell cell{4, 256, 1024, {{{"forest", 1}, 1}, {{"ring", 1}, 2}}};
  CHECK(decide({cell}, "", known_to_runs).front()->best.choice.algorithm == "ring");
  CHECK(unknown_to_runs({cell}) == std::vector<std::string>{"forest"});
}
