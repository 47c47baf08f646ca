// Training speeds: test rows do not change predictions, and the published rows are predicted as
// well as docs/results/validation.md says.
#include "bench/validation/training_prediction.hpp"

#include <filesystem>

#include "bench/text/read_file.hpp"
#include "bench/validation/errors.hpp"
#include "bench/validation/published_gains.hpp"
#include "bench/validation/training_step.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_file.hpp"
#include "tests/support/thorough.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

auto published(const char* file, auto read) {
  return read(read_file(source_file(std::string("tests/validation/") + file), ""), file);
}

Errors training_errors(const TrainingValidation& validation) {
  std::vector<double> errors;
  for (const PredictedTraining& p : validation.rows)
    if (p.row.split == Split::test) errors.push_back(p.error());
  return errors_of(errors);
}

// A profile in the folder precedes a built-in one, as in `arlab validate`.
std::optional<training::ModelProfile> profile_beside(const std::string& model) {
  const std::string file = source_file("tests/validation/" + model + ".json");
  if (std::filesystem::exists(file)) return training::load_profile(file);
  return built_in_profile(model);
}

training::Profile three_layers() {
  const Time ms = 1'000 * kMicrosecond;
  return {{"a", ms, 2 * ms, 1'000'000, {}},
          {"b", ms, 2 * ms, 1'000'000, {}},
          {"c", ms, 2 * ms, 1'000'000, {}}};
}

}  // namespace

TEST_CASE("published training speeds are predicted from their calibration rows") {
  const Errors schedules = training_errors(predict_schedules(
      published("training_schedules.csv", read_training_schedules), built_in_profile));
  CHECK(schedules.rows == 108);
  CHECK(schedules.median <= 0.08);
  const Errors scaling = training_errors(
      predict_scaling(published("training_scaling.csv", read_training_scaling), built_in_profile));
  CHECK(scaling.rows == 4);
  CHECK(scaling.median <= 0.05);
}

TEST_CASE("the measurements of test rows do not change predictions") {
  const auto check_file = [](std::vector<TrainingRow> rows, auto predict) {
    const TrainingValidation before = predict(rows, built_in_profile);
    for (TrainingRow& row : rows)
      if (row.split == Split::test) row.samples_per_s *= 3;
    const TrainingValidation after = predict(rows, built_in_profile);
    for (std::size_t i = 0; i < rows.size(); ++i)
      CHECK(before.rows[i].predicted_us == after.rows[i].predicted_us);
  };
  auto schedules = published("training_schedules.csv", read_training_schedules);
  if (kSanitized)  // one network: each has its own fit, and all take half a minute
    std::erase_if(schedules,
                  [](const TrainingRow& row) { return !row.network.starts_with("10GbE"); });
  REQUIRE(schedules.size() > 20);
  check_file(std::move(schedules), predict_schedules);
  check_file(published("training_scaling.csv", read_training_scaling), predict_scaling);
}

TEST_CASE("models and methods that are not known are left out with the reason") {
  std::vector<TrainingRow> rows(3);
  for (TrainingRow& row : rows) {
    row = {"10GbE", "ResNet-50", "BSP-A2A", 8, 64, 250, 1200, Split::test};
  }
  rows[1].model = "nothing";
  rows[2].method = "magic";
  const TrainingValidation result = predict_schedules(rows, built_in_profile);
  CHECK(result.rows[0].predicted_us);
  CHECK(result.rows[1].reason == "no profile of model nothing");
  CHECK(result.rows[2].reason == "no scheduler of method magic");
}

TEST_CASE("methods have the closed form of their steps") {
  const TrainingNetwork network{10, 1, 4};
  const training::Profile layers = three_layers();
  const double alone = 9e9, bytes = 12e6;
  CHECK(training_step(layers, parse_training_method("BSP-A2A"), network, 1) == Approx(alone));
  // 7 hops each way, and 2 x 7/8 of the bytes at 1 GB/s.
  const double start = (8.4 + 14 * 14) * 1e6, rate = 2 * 7. / 8 * 1e3;
  CHECK(training_step(layers, parse_training_method("BSP-A2A"), network, 8) ==
        Approx(alone + start + bytes * rate).epsilon(1e-6));
  // The first gradient is ready after three forward passes and one backward pass.
  CHECK(training_step(layers, parse_training_method("WFBP-A2A"), network, 8) ==
        Approx(5e9 + 3 * start + bytes * rate).epsilon(1e-6));
  const double servers = (8.4 + 2 * 14) * 1e6;
  CHECK(training_step(layers, parse_training_method("BSP-PS"), network, 8) ==
        Approx(alone + servers + bytes * rate).epsilon(1e-6));
  // Three messages of two cycles each, which the next forward pass waits for: longer than
  // computation.
  const training::Profile small{{"a", Time{}, kMicrosecond, 1, {}},
                                {"b", Time{}, kMicrosecond, 1, {}},
                                {"c", Time{}, kMicrosecond, 1, {}}};
  const double coordinated =
      training_step(small, parse_training_method("ByteScheduler-A2A"), network, 4);
  CHECK(coordinated >= 6e9);
  CHECK(coordinated <= 6.1e9);
  CHECK(training_step(small, parse_training_method("ByteScheduler-PS"), network, 4) < 1e8);
  // Inside a node a ring of 4 over the node's connections.
  CHECK(training_step(layers, parse_training_method("BSP-A2A"), network, 4) ==
        Approx(alone + (8.4 + 6 * 5.7) * 1e6 + bytes * 1.5 * 1e2).epsilon(1e-6));
}

TEST_CASE("an allreduce that was measured takes the place of rings") {
  const training::Profile layers = three_layers();
  const TrainingNetwork network{10, 1, 4, 500, 0.25};
  const double alone = 9e9, bytes = 12e6, start = 500e6, rate = 250;
  CHECK(training_step(layers, parse_training_method("BSP-A2A"), network, 8) ==
        Approx(alone + start + bytes * rate).epsilon(1e-6));
  CHECK(training_step(layers, parse_training_method("WFBP-A2A"), network, 8) ==
        Approx(alone + start + bytes / 3 * rate).epsilon(1e-6));  // hidden up to the last tensor
  CHECK(training_step(layers, parse_training_method("BSP-A2A"), network, 1) == Approx(alone));
}

TEST_CASE("published gains are predicted from their inputs, as docs/results/validation.md says") {
  const std::vector<PredictedGain> gains =
      predict_gains(published("published_gains.csv", read_published_gains), profile_beside);
  REQUIRE(gains.size() == 22);
  for (const PredictedGain& g : gains) {
    INFO(g.row.source << " " << g.row.model);
    if (g.row.model == "Sockeye") {
      CHECK(g.reason == "no profile of model Sockeye");
      continue;
    }
    REQUIRE(g.predicted);
    CHECK(*g.predicted > 0);
    CHECK(g.at_gbit_per_s >= g.row.least_gbit_per_s);
    CHECK(g.at_gbit_per_s <= g.row.gbit_per_s);
    CHECK((g.row.source == "MG-WFBP") == (g.row.ns_per_byte > 0));
  }
}

TEST_CASE("a gain is the ratio of two steps, and an efficiency that of two speeds") {
  const std::string head =
      "source,model,gpus,gpus_per_node,batch_per_gpu,one_gpu_samples_per_s,least_gbit_per_s,"
      "gbit_per_s,method,baseline,value\n";
  const auto rows =
      read_published_gains(head + "a,ResNet-50,8,4,64,253.1,,10,WFBP-A2A,,0.5\n" +
                               "b,ResNet-50,8,4,64,253.1,,10,MG-WFBP-A2A,WFBP-A2A,0.5\n" +
                               "c,ResNet-50,8,4,64,253.1,1,10,MG-WFBP-A2A,WFBP-A2A,0.5\n",
                           "g.csv");
  const auto gains = predict_gains(rows, built_in_profile);
  const double alone = 64 / 253.1 * 1e6;  // us
  const auto layers = layers_taking(*built_in_profile("ResNet-50"), alone, 0);
  const auto step = [&](const char* method) {
    return training_step(layers, parse_training_method(method), {8, 0.95 * 10 / 8, 4}, 8) / 1e6;
  };
  CHECK(*gains[0].predicted == Approx(alone / step("WFBP-A2A")));
  CHECK(*gains[1].predicted == Approx(step("WFBP-A2A") / step("MG-WFBP-A2A") - 1));
  CHECK(*gains[2].predicted >= *gains[1].predicted);
  CHECK_THROWS_WITH(read_published_gains(head + "a,b,8,9,64,1,,10,WFBP,,0.5\n", "g.csv"),
                    Catch::Contains("gpus"));
  CHECK_THROWS_WITH(read_published_gains(head + "a,b,8,4,64,1,20,10,WFBP,,0.5\n", "g.csv"),
                    Catch::Contains("least_gbit_per_s"));
  const std::string measured =
      "source,model,gpus,gpus_per_node,batch_per_gpu,one_gpu_samples_per_s,least_gbit_per_s,"
      "gbit_per_s,method,baseline,value,startup_us,ns_per_byte\n";
  const auto with_line = read_published_gains(
      measured + "a,ResNet-50,8,4,64,253.1,,10,MG-WFBP,WFBP-A2A,0.5,1000,0.5\n", "g.csv");
  const auto at_line = [&](const char* method) {
    return training_step(layers, parse_training_method(method), {8, 1, 4, 1000, 0.5}, 8);
  };
  CHECK(*predict_gains(with_line, built_in_profile)[0].predicted ==
        Approx(at_line("WFBP-A2A") / at_line("MG-WFBP") - 1));
  for (const char* row :
       {"a,b,8,4,64,1,,10,WFBP,,0.5,1,\n", "a,b,8,4,64,1,,10,WFBP,,0.5,,1\n",
        "a,b,8,4,64,1,1,10,WFBP,,0.5,1,1\n", "a,b,8,4,64,1,,10,WFBP-PS,,0.5,1,1\n",
        "a,b,8,4,64,1,,10,WFBP,BSP-PS,0.5,1,1\n", "a,b,8,4,64,1,,10,WFBP,,0.5,-1,1\n"}) {
    INFO(row);
    CHECK_THROWS_WITH(read_published_gains(measured + row, "g.csv"), Catch::Contains("line 2"));
  }
}
