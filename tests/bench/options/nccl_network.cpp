#include "bench/options/nccl_network.hpp"

#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace nccl = arlab::simulator::nccl;

TEST_CASE("--network nccl: the processor and the GPUs of a node follow from the GPU") {
  const nccl::Machine tray = nccl_machine({{"gpu", "gb200"}});
  CHECK(tray.cpu == nccl::Cpu::arm);
  CHECK(tray.ranks_per_node == 4);
  CHECK(nccl_machine({{"gpu", "gh200"}}).ranks_per_node == 1);
  const nccl::Machine given = nccl_machine({{"gpu", "gb300"}, {"cpu", "amd"}, {"gpus", "72"}});
  CHECK(given.cpu == nccl::Cpu::amd);
  CHECK(given.ranks_per_node == 72);
  const nccl::Machine usual = nccl_machine({});
  CHECK(usual.cpu == nccl::Cpu::intel);
  CHECK(usual.ranks_per_node == 8);
}

TEST_CASE("--network nccl: what NCCL asks of types and operations") {
  using collectives::DType;
  using collectives::Op;
  const auto nvls = [](DType dtype, Op op, Collective collective = Collective::allreduce) {
    return nccl_support({}, collective, {dtype, op}).nvls;
  };
  CHECK(nvls(DType::float32, Op::sum));
  CHECK_FALSE(nvls(DType::float32, Op::max));
  CHECK(nvls(DType::bfloat16, Op::max));
  CHECK_FALSE(nvls(DType::bfloat16, Op::avg));
  CHECK(nvls(DType::uint64, Op::min));
  CHECK_FALSE(nvls(DType::uint64, Op::prod));
  CHECK_FALSE(nvls(DType::int8, Op::sum));
  CHECK_FALSE(nvls(DType::float8_e5m2, Op::sum));
  CHECK(nvls(DType::int8, Op::sum, Collective::all_gather));
}
