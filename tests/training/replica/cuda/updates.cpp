// What training computes in a GPU's memory has the bits of the processor.
#include "collectives/cuda/device.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"
#include "tests/support/differences.hpp"
#include "tests/support/on_gpu.hpp"
#include "training/replica/cuda/device_math.hpp"
#include "training/replica/gradient_parts.hpp"

using namespace arlab;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

using Kind = OptimizerOptions::Kind;

struct Gpu {
  std::unique_ptr<Device> device = collectives::cuda::device(0);
  std::shared_ptr<const DeviceMath> math = training::cuda::device_math(*device);
};

std::vector<float> taken(const DeviceMath& math, std::span<const float> there) {
  std::vector<float> here(there.size());
  math.copy(here, there);
  return here;
}

}  // namespace

TEST_CASE("gpu updates: every optimizer, in parts, over several steps") {
  const Gpu gpu;
  for (const auto& [kind, decay] : {std::pair{Kind::sgd, 0.0F},
                                    {Kind::momentum, 0.0F},
                                    {Kind::adam, 0.0F},
                                    {Kind::none, 0.0F},
                                    {Kind::sgd, 0.01F},
                                    {Kind::momentum, 0.01F},
                                    {Kind::adam, 0.01F}})
    for (const Count n : {1, 33, 1000, 100'003}) {
      INFO(name(kind) << ", " << n << " elements, weight decay " << decay);
      const OptimizerOptions options{.kind = kind, .weight_decay = decay};
      std::vector<float> weights = gradient(n, 1);
      const DeviceVectors vectors(gpu.math, n);
      gpu.math->copy(vectors.weights(), weights);
      Optimizer here(options, n), there(options, n, gpu.math);
      const auto cut = static_cast<std::size_t>(n / 3);
      for (int step = 0; step < 4; ++step) {
        const std::vector<float> gradients = gradient(n, static_cast<std::uint32_t>(2 + step));
        gpu.math->copy(vectors.gradients(), gradients);
        for (Optimizer* const optimizer : {&here, &there}) {
          const bool on_host = optimizer == &here;
          const std::span<float> w = on_host ? std::span<float>(weights) : vectors.weights();
          const std::span<const float> g =
              on_host ? std::span<const float>(gradients) : vectors.gradients();
          optimizer->start_step(0.01 * (step + 1));
          optimizer->apply(0, w.first(cut), g.first(cut));
          optimizer->apply(static_cast<Count>(cut), w.subspan(cut), g.subspan(cut));
        }
      }
      CHECK(differences(taken(*gpu.math, vectors.weights()), weights) == "");
      there.fetch();
      const auto moments = [](Optimizer& of) {
        return std::vector<float>(of.moments().begin(), of.moments().end());
      };
      CHECK(differences(moments(there), moments(here)) == "");
      // The state of one continues another.
      Optimizer resumed(options, n, gpu.math);
      std::copy(here.moments().begin(), here.moments().end(), resumed.moments().begin());
      resumed.give();
      std::fill(resumed.moments().begin(), resumed.moments().end(), 42.0F);
      resumed.fetch();
      CHECK(differences(moments(resumed), moments(here)) == "");
    }
}

TEST_CASE("gpu updates: new moments and gradients are 0, and clearing leaves the neighbors alone") {
  const Gpu gpu;
  Optimizer optimizer({.kind = Kind::adam}, 100, gpu.math);
  std::fill(optimizer.moments().begin(), optimizer.moments().end(), 7.0F);
  optimizer.fetch();
  CHECK(std::vector<float>(optimizer.moments().begin(), optimizer.moments().end()) ==
        std::vector<float>(200));
  const DeviceVectors vectors(gpu.math, 1000);
  CHECK(taken(*gpu.math, vectors.gradients()) == std::vector<float>(1000));
  const std::vector<float> ones(1000, 1.0F);
  gpu.math->copy(vectors.gradients(), ones);
  gpu.math->clear(vectors.gradients().subspan(3, 500));
  const std::vector<float> now = taken(*gpu.math, vectors.gradients());
  for (std::size_t i = 0; i < 1000; ++i)
    if (now[i] != (i >= 3 && i < 503 ? 0.0F : 1.0F)) FAIL("element " << i << " is " << now[i]);
}

TEST_CASE("gpu updates: infinities and NaN are found wherever they are, and nothing else") {
  const Gpu gpu;
  const Count n = 5003;
  const DeviceVectors vectors(gpu.math, n);
  const auto is_finite = [&](std::size_t at, float value) {
    std::vector<float> x = gradient(n, 1);
    x[at] = value;
    gpu.math->copy(vectors.gradients(), x);
    return gpu.math->is_finite(vectors.gradients());
  };
  for (const float fine : {0.0F, -0.0F, 3.4e38F, -3.4e38F, 1e-42F}) CHECK(is_finite(17, fine));
  for (const std::size_t at : {0UL, 17UL, 4096UL, 5002UL})
    for (const float bad : {INFINITY, -INFINITY, NAN, -NAN}) CHECK_FALSE(is_finite(at, bad));
  CHECK(is_finite(17, 0));  // what was found before is forgotten
  CHECK(gpu.math->is_finite(vectors.gradients().first(0)));
}
