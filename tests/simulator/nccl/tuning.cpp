// NCCL's cost model, against what NCCL 2.27.5 itself logged on H100 nodes with 8 InfiniBand NICs.
#include "simulator/nccl/tuning.hpp"

#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "simulator/nccl/choice.hpp"
#include "simulator/nccl/constants.hpp"
#include "simulator/nccl/symmetric.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/failure.hpp"
#include "tests/support/source_file.hpp"

using namespace arlab;
using namespace arlab::simulator::nccl;

namespace {

Machine h100(Rank nodes, Rank gpus, std::string_view version = "2.27.5") {
  return {.gpu = find_gpu("h100"),
          .version = parse_version(version),
          .nodes = nodes,
          .ranks_per_node = gpus};
}

std::vector<std::vector<std::string>> log_rows() {
  std::ifstream file(source_file("tests/simulator/nccl/tuning_h100_2.27.5.csv"));
  std::vector<std::vector<std::string>> rows;
  for (std::string line; std::getline(file, line);) {
    std::vector<std::string> fields;
    std::istringstream in(line);
    for (std::string field; std::getline(in, field, ',');) fields.push_back(field);
    rows.push_back(fields);
  }
  rows.erase(rows.begin());  // the header
  return rows;
}

const Estimate* find(const Tuning& tuning, std::string_view algorithm, std::string protocol) {
  for (char& c : protocol) c = static_cast<char>(std::tolower(c));
  for (const Estimate& e : tuning.estimates)
    if (name(e.algorithm) == algorithm && name(e.protocol) == protocol) return &e;
  return nullptr;
}

// As NCCL prints it.
std::string printed(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", static_cast<double>(static_cast<float>(value)));
  return text;
}

std::string chosen(const Tuning& tuning, double bytes) {
  const Choice choice = choose(tuning, bytes);
  return std::string(name(choice.estimate->algorithm)) + " " +
         std::string(name(choice.estimate->protocol));
}

}  // namespace

TEST_CASE("nccl: latencies and bandwidths are those of NCCL's own log, to the printed digit") {
  int rows = 0;
  for (const std::vector<std::string>& row : log_rows()) {
    const bool all = row[0] == "all_reduce";
    const Tuning tuning = tune(h100(std::stoi(row[3]), std::stoi(row[4])),
                               all ? Collective::allreduce : Collective::all_gather);
    const Estimate* e = find(tuning, row[1], row[2]);
    INFO(row[0] << ' ' << row[1] << ' ' << row[2] << ' ' << row[3] << " x " << row[4]);
    REQUIRE(e);
    CHECK(printed(e->latency()) == row[5]);
    CHECK(printed(e->bandwidth) == row[6]);
    ++rows;
  }
  CHECK(rows == 114);
}

// Lines of the same log that are not in the file.
TEST_CASE("nccl: 8 nodes of 8 H100") {
  const Tuning t = tune(h100(8, 8), Collective::allreduce);
  const auto at = [&](const char* algorithm, const char* protocol) {
    const Estimate* e = find(t, algorithm, protocol);
    return printed(e->latency()) + "/" + printed(e->bandwidth);
  };
  CHECK(at("ring", "LL") == "156.4/10.4");
  CHECK(at("ring", "Simple") == "585.2/195.0");
  CHECK(at("tree", "LL") == "45.2/8.7");
  CHECK(at("tree", "LL128") == "82.5/98.6");
  CHECK(at("tree", "Simple") == "148.4/122.4");
  CHECK(at("nvlstree", "Simple") == "109.0/160.0");
}

TEST_CASE("nccl: channels as NCCL printed them for H100 and other GPUs") {
  // NVIDIA/nccl issue 1197: 12 channels of 30 GB/s for rings and trees, 8 of 40 and 60 for NVLS.
  const Graphs h = graphs_of(h100(1, 8));
  CHECK(h.ring.channels == 12);
  CHECK(h.ring.inside == 30);
  CHECK(h.nvls.channels == 8);
  CHECK(h.nvls.inside == 40);
  CHECK(h.nvls.between == 60);
  // "24 coll channels, 16 nvls channels" in logs of p5.
  CHECK(channels_of(h100(1, 8), h) == 24);
  CHECK(nvls_channels(h100(1, 8)) == 16);
}

// NVIDIA/nccl issue 1455: with five H100 and more NCCL takes NVLS for large vectors, with fewer it
// takes rings.
TEST_CASE("nccl: NVLS from five GPUs on in versions before 2.28") {
  for (const Rank gpus : {2, 3, 4})
    CHECK(chosen(tune(h100(1, gpus, "2.21.5"), Collective::allreduce), 1 << 30) == "ring simple");
  for (const Rank gpus : {5, 6, 7, 8})
    CHECK(chosen(tune(h100(1, gpus, "2.21.5"), Collective::allreduce), 1 << 30) == "nvls simple");
}

// Jumps of measured times (aiconfigurator's tables of 2 and 8 H100, NCCL 2.29.2): with 2 GPUs
// between 1 and 2 MiB, with 8 GPUs of 8-bit integers no NVLS.
TEST_CASE("nccl: choices on one node") {
  const Tuning two = tune(h100(1, 2, "2.29.2"), Collective::allreduce);
  CHECK(chosen(two, 1 << 20) == "ring ll");
  CHECK(chosen(two, 2 << 20) == "ring simple");
  const Tuning eight = tune(h100(1, 8, "2.29.2"), Collective::allreduce);
  CHECK(chosen(eight, 1 << 20) == "ring ll");
  CHECK(chosen(eight, 2 << 20) == "nvls simple");
  CHECK(choose(eight, 1 << 24, {.nvls = false}).estimate->algorithm == Algorithm::ring);
  const Machine off{.version = 22902, .multicast = false};
  CHECK(choose(tune(off, Collective::allreduce), 1 << 28).estimate->algorithm == Algorithm::ring);
}

TEST_CASE("nccl: fewer channels for short vectors") {
  const Tuning t = tune(h100(1, 8), Collective::allreduce);
  const Estimate* ll = find(t, "ring", "LL");
  // 512 threads of 8 bytes for each of 8 ranks: 32 KiB per channel.
  CHECK(used_channels(t, *ll, 1024) == 1);
  CHECK(used_channels(t, *ll, 65536) == 2);
  CHECK(used_channels(t, *ll, 1 << 20) == 24);
  // NVLS: 16 channels x 8 heads x 128 KiB is 16 MiB.
  CHECK(nvls_chunk(t, Algorithm::nvls, 2.0 * (1 << 30)) == 131072);
  CHECK(nvls_chunk(t, Algorithm::nvls, 512.0 * (1 << 20)) == 65536);
  CHECK(nvls_chunk(t, Algorithm::nvls, 32.0 * (1 << 20)) == 32768);
  CHECK(nvls_chunk(t, Algorithm::nvls, 4.0 * (1 << 20)) == 16384);
}

// Times of NCCL's formula (src/sym_kernels.cc), computed apart for 8 H100.
TEST_CASE("nccl: symmetric kernels") {
  const auto us = [](double bytes) { return symmetric_kernels(h100(1, 8), bytes).front().us; };
  CHECK(us(1024) == Approx(4.9).margin(0.1));
  CHECK(us(65536) == Approx(8.2).margin(0.1));
  CHECK(us(1 << 20) == Approx(9.3).margin(0.15));
  CHECK(us(64 << 20) == Approx(153).margin(2));
  CHECK(symmetric_kernels(h100(2, 8), 1024).empty());
  CHECK(symmetric_kernels(h100(1, 8, "2.26.2"), 1024).empty());
}

TEST_CASE("nccl: refusals name the value and what is allowed") {
  CHECK(parse_version("2.28.9") == 22809);
  CHECK(parse_version("2.28") > 22809);
  CHECK(show_version(22809) == "2.28.9");
  CHECK_THAT(refusal([] { parse_version("2.7"); }), Catch::Contains("give 2.8 to 2.30"));
  CHECK_THAT(refusal([] { parse_version("2.x"); }), Catch::Contains("'2.x'"));
  CHECK_THAT(refusal([] { find_gpu("h101"); }), Catch::Contains("h100"));
  CHECK_THAT(refusal([] { tune({.ranks_per_node = 1}, Collective::allreduce); }),
             Catch::Contains("two GPUs or more"));
}

TEST_CASE("nccl: LL128 of rings on Blackwell, by version") {
  const auto channel = [](std::string_view version) {
    return constants_of({.gpu = find_gpu("b200"), .version = parse_version(version), .nodes = 2})
        .ring_ll128;
  };
  CHECK(channel("2.27.5") == 73.4);
  CHECK(channel("2.29.2") == 34.6);
  CHECK(channel("2.29.7") == 40);
}

TEST_CASE("nccl: arities: CollNet within 8 GPUs, NVLS of gathered vectors within 32") {
  const auto why = [](const Machine& machine, Collective collective, const char* algorithm) {
    return find(tune(machine, collective), algorithm, "simple")->why_not;
  };
  Machine m{.gpu = find_gpu("gb200"), .nodes = 2, .ranks_per_node = 36, .collnet = true};
  CHECK(why(m, Collective::allreduce, "collnetchain") == "for at most 8 GPUs in a node");
  CHECK(why(m, Collective::all_gather, "nvls") == "for at most 32 GPUs in a node");
  CHECK(why(m, Collective::allreduce, "nvls").empty());
  m.ranks_per_node = 8;
  CHECK(why(m, Collective::allreduce, "collnetchain").empty());
}
