// Published times of NCCL's own choice: 2 and 4 H100 of a node predict 8.
#include "bench/validation/nccl/validation.hpp"

#include <fmt/format.h>

#include <cmath>

#include "bench/results/schema.hpp"
#include "bench/validation/nccl/choices.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"

using namespace arlab;
using namespace arlab::bench;

namespace {

constexpr const char* kNcclHeader =
    "machine,gpus,nodes,network,nccl_version,collective,dtype,size_bytes,time_us,in_place,split\n";

// Medians of all_reduce of half with NCCL 2.29.2: ai-dynamo/aiconfigurator (Apache-2.0), commit
// 095f58a5, nccl_perf of H100.
struct Measured {
  long bytes;
  double two, four, eight;
};
constexpr Measured kH100[] = {{512, 6.18, 9.46, 15.55},
                              {8192, 6.77, 10.07, 16.35},
                              {65536, 7.3, 11.44, 18.68},
                              {524288, 10.7, 14.61, 19.59},
                              {1048576, 14.55, 18.12, 25.4},
                              {4194304, 33.05, 41.81, 50.49},
                              {16777216, 81.4, 99.18, 122.08},
                              {67108864, 253.04, 324.03, 323.99},
                              {268435456, 881.18, 1182.5, 1092.1},
                              {536870912, 1676.59, 2304.99, 2111.43}};

std::string row(const char* machine, int gpus, int nodes, long bytes, double us, const char* split,
                const char* network = "NVLink", const char* version = "2.29.2") {
  return fmt::format("{},{},{},{},{},all_reduce,half,{},{},0,{}\n", machine, gpus, nodes, network,
                     version, bytes, us, split);
}

// `factor`: of what is said to be measured in the rows that are predicted.
std::string h100_table(double factor = 1) {
  std::string text = kNcclHeader;
  for (const Measured& m : kH100) {
    text += row("NVIDIA H100 80GB HBM3", 2, 1, m.bytes, m.two, "calibrate");
    text += row("NVIDIA H100 80GB HBM3", 4, 1, m.bytes, m.four, "calibrate");
    text += row("NVIDIA H100 80GB HBM3", 8, 1, m.bytes, factor * m.eight, "test");
  }
  return text;
}

NcclValidation validated(const std::string& text) {
  return validate_nccl(read_nccl_rows(text, "nccl.csv"));
}

}  // namespace

TEST_CASE("nccl.csv: 2 and 4 GPUs predict 8, where NCCL takes NVLS, which they do not have") {
  const NcclValidation validation = validated(h100_table());
  REQUIRE(validation.machines.size() == 1);
  CHECK(validation.machines.front().rows == 20);
  for (const PredictedNccl& p : validation.rows) {
    REQUIRE(p.predicted_us);
    if (p.row.split != NcclSplit::test) continue;
    INFO(p.row.bytes << " bytes: " << *p.predicted_us << " us, measured " << p.row.us);
    CHECK(std::abs(p.error()) < 0.16);
    CHECK(p.algorithm == (p.row.bytes > (1 << 20) ? "nvls" : "ring"));
  }
}

TEST_CASE("nccl.csv: what was measured in a test row does not enter its prediction") {
  const NcclValidation one = validated(h100_table()), other = validated(h100_table(7));
  for (std::size_t i = 0; i < one.rows.size(); ++i)
    CHECK(*one.rows[i].predicted_us == *other.rows[i].predicted_us);
}

TEST_CASE("nccl.csv: machines by their names and networks") {
  const auto machine = [](const char* name, int gpus, int nodes, const char* network) {
    return *machine_of(
        read_nccl_rows(kNcclHeader + row(name, gpus, nodes, 1024, 1, "test", network), "nccl.csv")
            .front());
  };
  const auto abci = machine("ABCI 2.0 node A (8x A100-40G)", 16, 2, "InfiniBand HDR 4x200G");
  CHECK(abci.gpu.name == "a100");
  CHECK(abci.nics == 4);
  CHECK(abci.nic == 25);
  CHECK(abci.ranks_per_node == 8);
  CHECK(abci.version == 22902);
  CHECK(machine("NVIDIA GB200", 4, 1, "NVLink").cpu == simulator::nccl::Cpu::arm);
  CHECK(machine("8x V100 (vTrain)", 8, 1, "NVLink").cube_mesh);
  CHECK(machine("NVIDIA H100 PCIe", 8, 1, "PCIe").gpu.name == "h100_pcie");
  CHECK(machine("NVIDIA H100 80GB HBM3", 8, 1, "NVLink").gpu.name == "h100");
  CHECK(machine("GB200 NVL72", 4, 1, "NVLink").gpu.name == "gb200");
  CHECK(machine("AWS p5.48xlarge (8x H100)", 16, 2, "EFA 32x100G").nic_latency == 20);
}

TEST_CASE("nccl.csv: cards and names that are like those of other GPUs are left out") {
  const NcclValidation validation =
      validated(kNcclHeader + row("NVIDIA H100 NVL", 8, 1, 1 << 20, 60, "test") +
                row("NVIDIA A100-PCIE-40GB", 8, 1, 1 << 20, 60, "test") +
                row("NVIDIA RTX A4000", 8, 1, 1 << 20, 60, "test"));
  CHECK(validation.rows[0].reason ==
        "a PCIe or NVL card without a data sheet here: NVIDIA H100 NVL");
  CHECK(validation.rows[1].reason ==
        "a PCIe or NVL card without a data sheet here: NVIDIA A100-PCIE-40GB");
  CHECK(validation.rows[2].reason == "a GPU without a data sheet here");
  for (const PredictedNccl& p : validation.rows) CHECK_FALSE(p.predicted_us);
}

TEST_CASE("nccl.csv: what NVSwitches cannot compute takes a ring") {
  std::vector<NcclRow> rows = read_nccl_rows(
      kNcclHeader + row("NVIDIA H100 80GB HBM3", 8, 1, 1 << 30, 2000, "unfitted"), "nccl.csv");
  rows[0].dtype = "float32";
  CHECK(validate_nccl(rows).rows[0].algorithm == "nvls");
  for (const char* op : {"prod", "max", "avg"}) {
    rows[0].op = op;
    CHECK(validate_nccl(rows).rows[0].algorithm == "ring");
  }
  rows[0].op = "max";
  rows[0].dtype = "float16";  // as records call it
  CHECK(validate_nccl(rows).rows[0].algorithm == "nvls");
}

TEST_CASE("nccl.csv: a node without calibration rows is like those of its GPU's generation") {
  const NcclValidation validation =
      validated(h100_table() + row("DGX H100", 8, 1, 8192, 16.35, "unfitted") +
                row("8x A100 (vTrain)", 8, 1, 8192, 16.35, "unfitted"));
  const auto predicted = [&](const char* machine) {
    for (const PredictedNccl& p : validation.rows)
      if (p.row.machine == machine && p.row.bytes == 8192 && p.row.gpus_per_node == 8)
        return *p.predicted_us;
    return 0.0;
  };
  CHECK(predicted("DGX H100") == Approx(predicted("NVIDIA H100 80GB HBM3")).epsilon(1e-9));
  CHECK(predicted("8x A100 (vTrain)") > 1.2 * predicted("DGX H100"));  // at the priors
}

TEST_CASE("nccl.csv: machines without calibration rows are predicted, others left out") {
  const NcclValidation validation =
      validated(kNcclHeader + row("DGX H100", 16, 2, 1 << 20, 60, "unfitted", "InfiniBand 8x400G") +
                row("MI300X", 8, 1, 1 << 20, 60, "test"));
  CHECK(validation.rows[0].predicted_us);
  CHECK_FALSE(validation.rows[1].predicted_us);
  CHECK(validation.rows[1].reason == "a GPU without a data sheet here");
  CHECK(validation.machines.empty());
  CHECK_THAT(nccl_tables(validation), Catch::Contains("none of theirs fitted"));
  for (const PredictedNccl& p : validation.rows) {
    Json line = to_json(p);
    CHECK(make_readable(line).empty());
  }
}

// Measured: OCI's BM.GPU.H100.8 and Lambda's cluster of B200, two nodes, float, in public tables.
TEST_CASE("nccl.csv: NVLSTree is as fast as NVSwitches of H100 sum, or as the NICs of B200 send") {
  constexpr long kMiB = 1 << 20, kGiB = 1 << 30;
  std::string rows = h100_table();
  const auto add = [&](const char* machine, int nodes, long bytes, double us) {
    const bool oci = machine[0] == 'O';
    rows += row(machine, 8 * nodes, nodes, bytes, us, "unfitted",
                oci ? "RoCE 16x200G" : "InfiniBand 8x400G", oci ? "2.23.4" : "2.26.2");
  };
  add("OCI H100", 2, kGiB, 4478.8);
  add("OCI H100", 2, 16 * kGiB, 68359);
  add("Lambda B200", 2, 64 * kMiB, 350.4);
  add("Lambda B200", 2, 2 * kGiB, 5784.8);
  add("OCI H100", 4, 64 * kMiB, 1);
  const NcclValidation validation = validated(rows);
  std::size_t at = validation.rows.size() - 5;
  for (const double most : {0.1, 0.1, 0.12, 0.15}) {
    const PredictedNccl& p = validation.rows[at++];
    INFO(p.row.bytes << " bytes: " << *p.predicted_us << " us, measured " << p.row.us);
    CHECK(p.algorithm == "nvlstree");
    CHECK(std::abs(p.error()) < most);
  }
  // With two children, a node receives the vector twice: at 400 GB/s at most 200.
  CHECK(validation.rows[at].algorithm == "nvlstree");
  CHECK(*validation.rows[at].predicted_us > 64 * kMiB / 200e3);
}

TEST_CASE("nccl.csv: refusals name line, column, and value") {
  const auto refused = [](const std::string& line) {
    return refusal([&] { read_nccl_rows(kNcclHeader + line, "nccl.csv"); });
  };
  CHECK_THAT(refused(row("H100", 8, 1, 1024, 1, "some")), Catch::Contains("calibrate, test"));
  CHECK_THAT(refused(row("H100", 8, 3, 1024, 1, "test")), Catch::Contains("gpus"));
  CHECK_THAT(refused(row("H100", 8, 1, 0, 1, "test")), Catch::Contains("size_bytes"));
  CHECK_THAT(refused(row("", 8, 1, 1024, 1, "test")), Catch::Contains("name the machine"));
}

// The first row is a sample of AWS's decision regions (aws/aws-ofi-nccl): p5en, 16 nodes.
TEST_CASE("aws_choice.csv: AWS's choice beside NCCL's own") {
  const auto rows = read_tuner_rows(
      "platform,ranks_per_node,collective,nodes,bytes,algorithm,protocol\n"
      "p5en,8,AllReduce,16,65536,TREE,LL\n"
      "p5en,8,AllReduce,16,536870912,NVLS_TREE,SIMPLE\n",
      "aws_choice.csv");
  CHECK(rows[0].tuner == "tree ll");
  CHECK(rows[1].tuner == "nvlstree simple");
  CHECK(rows[0].own == "tree ll");
  CHECK_THAT(tuner_tables(rows), Catch::Contains("the same"));
  CHECK_THAT(refusal([] {
               read_tuner_rows(
                   "platform,ranks_per_node,collective,nodes,bytes,algorithm,protocol\n"
                   "p9,8,AllReduce,16,65536,TREE,LL\n",
                   "aws_choice.csv");
             }),
             Catch::Contains("p9"));
}
