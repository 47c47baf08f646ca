// All models give the same time of an algorithm in pieces where messages cost little and nothing
// but the hosts' ports is shared.
#include <algorithm>
#include <string>
#include <vector>

#include "simulator/engine/simulate.hpp"
#include "simulator/models/model.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/thorough.hpp"
#include "tests/support/time.hpp"

using namespace arlab;
using namespace arlab::simulator;

namespace {

struct TriedModel {
  const char* model;
  Values values;
};

// A latency of 100 ns and a nanosecond a message; all messages are eager.
const std::vector<TriedModel> kTriedModels{
    {"alpha_beta", {{"alpha", 1000}}},
    {"loggops", {{"L", 1e5}, {"o", 1000}, {"g", 1000}, {"S", 1e15}}},
    {"connections", {{"L", 1e5}, {"g", 1000}, {"S", 1e15}}},
    {"packet", {}},
    {"fluid", {}},
};

double milliseconds(const TriedModel& tried, const char* algorithm, int segments) {
  const Model& model = find_model(tried.model);
  const Problem p{.ranks = 16, .elements = 1 << 22};
  FabricSpec fabric;
  if (model.has_links) fabric.topology = "crossbar:hosts=16,latency=100ns";
  const auto network = make_network(model, tried.values, p.ranks, fabric);
  const Time finish = simulate(find_algorithm(algorithm), p, 4, *network,
                               {.segments = segments, .symmetry = false, .sweep = false})
                          .finish;
  return picoseconds(finish) / 1e9;
}

void check_agreement(const char* algorithm, double most) {
  for (const int segments : unless_sanitized<int>({1, 16}, {16})) {
    std::vector<double> times;
    std::string text;
    for (const TriedModel& tried : kTriedModels) {
      times.push_back(milliseconds(tried, algorithm, segments));
      text += std::string(tried.model) + " " + std::to_string(times.back()) + " ";
    }
    INFO(algorithm << " in " << segments << ": " << text);
    CHECK(std::ranges::max(times) < most * std::ranges::min(times));
  }
}

}  // namespace

TEST_CASE("all models give the same times of pieces, within 10%") {
  for (const char* algorithm : {"ring", "rabenseifner", "butterfly", "swing", "circulant", "pat",
                                "recursive_multiplying", "all_to_all"})
    check_agreement(algorithm, 1.1);
}

// A rank that sends and receives in several streams at once does so in another order under each
// model: in halves of a link (fluid), packet by packet, or message by message, of which each holds
// two ports (alpha_beta) or the processor that receives it (loggops).
TEST_CASE("streams that cross at a rank are served in the order of the model") {
  check_agreement("chain", 1.15);
}
