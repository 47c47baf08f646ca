// Profiles on other GPUs, beside sums by hand; and devices by their names.
#include "training/gpus/profile_on_gpu.hpp"

#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/failure.hpp"

using namespace arlab;
using namespace arlab::training;
using collectives::contains;

namespace {

double forward(const ModelProfile& profile) {
  double all = 0;
  for (const ModelProfile::Part& part : profile.layers) all += picoseconds(part.forward);
  return all;
}

GpuChoice gpu_of(const char* name) { return {.gpu = &find_gpu(name)}; }

}  // namespace

TEST_CASE("gpus: models of images and transformers scale by what was measured of each") {
  const ModelProfile images = load_profile("resnet50"), sequences = load_profile("bert-base");
  const ModelProfile a = on_gpu(images, gpu_of("a100")), b = on_gpu(sequences, gpu_of("a100"));
  CHECK(forward(images) / forward(a) == Approx(2470.0 / 367).epsilon(1e-6));
  CHECK(forward(sequences) / forward(b) == Approx(580.0 / 50).epsilon(1e-6));
  CHECK(images.optimizer / a.optimizer == Approx(2039.0 / 900));
  CHECK(a.device == "NVIDIA A100 80 GB SXM4, mixed");
  CHECK_THAT(a.sources.at("forward_us"),
             contains(", scaled from NVIDIA V100, float32 to NVIDIA A100"));
  CHECK(a.bytes() == images.bytes());
}

TEST_CASE("gpus: the profile's own GPU and precision change nothing, another precision does") {
  const ModelProfile images = load_profile("resnet50");
  for (const GpuChoice& same :
       {GpuChoice{}, gpu_of("v100"), GpuChoice{.precision = Precision::float32}})
    CHECK(to_json_text(on_gpu(images, same)) == to_json_text(images));
  const ModelProfile mixed = on_gpu(images, {.precision = Precision::mixed});
  CHECK(forward(images) / forward(mixed) == Approx(1200.0 / 367).epsilon(1e-6));
  CHECK(mixed.optimizer == images.optimizer);
  const ModelProfile large = load_profile("llm-7b");  // of an A100 in bfloat16
  CHECK(to_json_text(on_gpu(large, gpu_of("a100"))) == to_json_text(large));
  CHECK(forward(on_gpu(large, gpu_of("h100"))) < forward(large));
}

TEST_CASE("gpus: each generation is faster, and no rate is more than its peak") {
  const ModelProfile images = load_profile("resnet50"), sequences = load_profile("bert-base");
  double last[2] = {1e30, 1e30};
  for (const char* name : {"v100", "a100", "h100", "b200"}) {
    const double now[2] = {forward(on_gpu(images, gpu_of(name))),
                           forward(on_gpu(sequences, gpu_of(name)))};
    CHECK(now[0] < last[0]);
    CHECK(now[1] < last[1]);
    last[0] = now[0], last[1] = now[1];
  }
  for (const GpuKind& gpu : gpus()) {
    CHECK(named_device(gpu.label).gpu == &gpu);
    CHECK(gpu.memory > 0);
    CHECK(gpu.watts > 0);
    REQUIRE(!gpu.rates.empty());
    for (const GpuRate& rate : gpu.rates) {
      INFO(gpu.name << " " << name(rate.precision));
      CHECK(rate.images > 0);
      CHECK(rate.images < 1);
      CHECK(rate.sequences > 0);
      CHECK(rate.sequences < 1);
      CHECK(!rate.source.empty());
    }
  }
}

TEST_CASE("gpus: devices are known by a word of their name") {
  CHECK(named_device("Tesla V100-SXM2-16GB").gpu == &find_gpu("v100"));
  CHECK_FALSE(named_device("Tesla V100-SXM2-16GB").precision);
  CHECK(named_device("NVIDIA A100-SXM4-80GB, bfloat16").precision == Precision::mixed);
  CHECK(named_device("NVIDIA A100, TF32").precision == Precision::tf32);
  for (const char* other : {"", "NVIDIA RTX A1000", "NVIDIA GH200 480GB", "AMD EPYC"})
    CHECK(named_device(other).gpu == nullptr);
}

TEST_CASE("gpus: what cannot be scaled is refused by name") {
  ModelProfile profile = load_profile("resnet50");
  profile.device = "AMD EPYC";
  CHECK_THAT(refusal([&] { on_gpu(profile, gpu_of("a100")); }), contains("are of 'AMD EPYC'"));
  CHECK(to_json_text(on_gpu(profile, {})) == to_json_text(profile));
  profile.device = "Tesla V100-SXM2-16GB";
  CHECK_THAT(refusal([&] { on_gpu(profile, gpu_of("a100")); }), contains("without the precision"));
  CHECK(to_json_text(on_gpu(profile, gpu_of("v100"))) == to_json_text(profile));
  CHECK_THAT(refusal([] { find_gpu("a10"); }), contains("unknown GPU 'a10'"));
  CHECK_THAT(refusal([] { find_precision("fp8"); }), contains("unknown precision 'fp8'"));
  CHECK_THAT(refusal([] {
               on_gpu(load_profile("resnet50"), {&find_gpu("h100"), Precision::tf32});
             }),
             contains("in tf32: give mixed"));
}
