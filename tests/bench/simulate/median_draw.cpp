#include "bench/simulate/median_draw.hpp"

#include <algorithm>
#include <vector>

#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

ModelOptions connections(const char* drift) {
  ModelOptions model;
  model.model = "connections";
  model.given = {{"drift", drift}, {"drift_runs", "5"}, {"port_beta", "1ns"}};
  return model;
}

const Config kConfig{.algorithm = &find_algorithm("ring"),
                     .problem = {.ranks = 4, .elements = 1000},
                     .operand = {collectives::DType::float32, collectives::Op::sum}};

Time finish_of(const ModelOptions& model, int draw) {
  const auto network = model.make(0, 4, draw);
  return simulator::simulate(*kConfig.algorithm, kConfig.problem, 4, *network, {}).finish;
}

}  // namespace

TEST_CASE("the median draw is the run whose time is in the middle") {
  const ModelOptions model = connections("100us");
  REQUIRE(model.draws() == 5);
  std::vector<Time> all;
  for (int draw = 0; draw < 5; ++draw) all.push_back(finish_of(model, draw));
  std::sort(all.begin(), all.end());
  REQUIRE(all.front() < all.back());
  const Draw found = median_draw(model, kConfig, {});
  CHECK(found.finish == all[2]);
  CHECK(finish_of(model, found.number) == found.finish);
}

TEST_CASE("without random delays there is one draw") {
  CHECK(connections("0").draws() == 1);
  CHECK(median_draw(connections("0"), kConfig, {}).number == 0);
  ModelOptions other;
  CHECK(other.draws() == 1);
}

TEST_CASE("draws that are known to end too late count as late") {
  const ModelOptions model = connections("100us");
  const Time middle = median_draw(model, kConfig, {}).finish;
  CHECK(median_draw(model, kConfig, {.latest = middle}).finish == middle);
  CHECK(median_draw(model, kConfig, {.latest = middle - Time{1}}).finish == simulator::kNever);
}
