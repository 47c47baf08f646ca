// What NCCL computes where, by type and operation: rules of ncclNvlsSupported, updateCollCostTable,
// and ncclSymkImplemented.
#include "simulator/nccl/support.hpp"

#include "simulator/nccl/choice.hpp"
#include "simulator/nccl/symmetric.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator::nccl;

namespace {

Support of(Number number, Reduction reduction, Collective collective = Collective::allreduce,
           const Machine& machine = {}) {
  return support_of(machine, collective, number, reduction);
}

}  // namespace

TEST_CASE("nccl: NVSwitches add all but bytes, and have the largest of halves and integers only") {
  using enum Number;
  for (const Number number : {float64, float32, half, integer})
    CHECK(of(number, Reduction::sum).nvls);
  for (const Number number : {half, integer}) CHECK(of(number, Reduction::min_or_max).nvls);
  for (const Number number : {float64, float32, float8, byte})
    CHECK_FALSE(of(number, Reduction::min_or_max).nvls);
  for (const Number number : {float64, float32, half, float8, integer, byte}) {
    CHECK_FALSE(of(number, Reduction::average).nvls);
    CHECK_FALSE(of(number, Reduction::product).nvls);
    CHECK(of(number, Reduction::average, Collective::all_gather).nvls);  // copies only
  }
  CHECK_FALSE(of(byte, Reduction::sum, Collective::reduce_scatter).nvls);
  CHECK_FALSE(of(float32, Reduction::average, Collective::reduce_scatter).pat);
}

TEST_CASE("nccl: symmetric kernels are for sums of floating-point numbers of up to 32 bits") {
  using enum Number;
  for (const Number number : {float32, half, float8}) CHECK(of(number, Reduction::sum).symmetric);
  for (const Number number : {float64, integer, byte})
    CHECK_FALSE(of(number, Reduction::sum).symmetric);
  CHECK_FALSE(of(float32, Reduction::average).symmetric);
}

TEST_CASE("nccl: rings of more than 8 ranks are avoided for 8-bit sums, since 2.24") {
  const auto taken = [](Rank nodes, const char* version) {
    const Machine machine{.version = parse_version(version), .nodes = nodes};
    const Tuning tuning = tune(machine, Collective::allreduce);
    return choose(tuning, 4.0 * (1 << 30),
                  of(Number::float8, Reduction::sum, Collective::allreduce, machine))
        .estimate->algorithm;
  };
  CHECK(taken(2, "2.28.9") == Algorithm::tree);
  CHECK(taken(1, "2.28.9") == Algorithm::ring);
  CHECK(taken(2, "2.23") == Algorithm::ring);
}

TEST_CASE("nccl: the links' time of symmetric kernels") {
  const double bytes = 1e9;
  const auto links = [&](const Machine& machine, std::string_view name) {
    for (const SymmetricKernel& kernel : symmetric_kernels(machine, bytes))
      if (kernel.name == name) return bytes / kernel.links_us / 1000;
    return 0.0;
  };
  CHECK(links({}, "two_shot_multicast") == Approx(400));  // 450 x 8/9
  const Machine volta{.gpu = find_gpu("v100")};
  CHECK(links(volta, "two_shot") == Approx(150 * 8 / 14.0));
}
