// Counts what a collective asks of CUDA and NCCL, on the stand-in for both, and writes it as a
// table.
//
//   test_fake_cuda_counts                 prints the tables of docs/internals/gpu.md
//   test_fake_cuda_counts docs/internals/gpu.md     fails unless the file has all its lines
//
// Co-located ranks share one GPU; ranks over NCCL have one each.
#include <cstdio>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "collectives/cuda/device.hpp"
#include "collectives/nccl/nccl.hpp"
#include "collectives/threads/threads.hpp"
#include "tests/fakes/cuda/counted_run.hpp"
#include "tests/support/grouped.hpp"
#include "tests/support/on_devices.hpp"

using namespace arlab;
using namespace arlab::collectives;
using fake_cuda::Counters;

namespace {

constexpr Count kElements = 100'003;  // which no number of ranks divides
constexpr Count kFew = 1'003;         // in words
constexpr Operand kFloats{DType::float32, Op::sum};

struct Row {
  long kernels = 0, memcpys = 0, edges = 0;  // of one graph of all co-located ranks
  double traffic = 0;                        // bytes through memory, by the least that is possible
  long groups = 0, messages = 0, uses = 0;   // of all ranks over NCCL
  double aligned = 0;
  Count wrong = 0;
};

/// Of the plan that one kernel runs for all co-located ranks.
struct PeerRow {
  long kernels = 0, memcpys = 0;
  double traffic = 0, small_traffic = 0;  // as above; of a vector whose messages travel as words
  long steps = 0, waits = 0, waits_of_all = 0;
  double aligned = 0;
  Count wrong = 0;
};

void count_colocated(const Algorithm& algorithm, const Problem& problem, Row& row) {
  fake_cuda::restart(fake_cuda::with_devices(1));
  Devices devices = cuda::devices();
  ColocatedExecutor on(devices, problem.ranks);
  conformance::Vectors vectors(on, problem, kFloats);
  const Counters start = fake_cuda::counters();
  auto prepared = on.prepare(algorithm, problem, vectors.data(), kFloats, 1, true);
  row.edges = fake_cuda::counters().waits - start.waits;
  const auto counted = fake_cuda::counted_run(on, prepared, vectors);
  row.kernels = counted.kernels;
  row.memcpys = counted.memcpys;
  // All vectors are read, and all results written, at least once.
  const double least = 2.0 * problem.ranks * static_cast<double>(kElements) * sizeof(float);
  row.traffic = prepared.traffic() / least;
  row.wrong += vectors.wrong();
}

/// Of the messages that travel by flags, the share with both ends on 16 bytes.
double aligned_share(const DeviceSchedule& schedule) {
  long all = 0, aligned = 0;
  for (std::size_t m = 0; m < schedule.plan.messages.size(); ++m) {
    const auto into =
        static_cast<std::size_t>(schedule.plan.messages[m].target_first) * sizeof(float);
    const bool is = into % 16 == 0 && schedule.sources[m].offset % 16 == 0;
    ++all;
    aligned += is ? 1 : 0;
  }
  return all == 0 ? 1 : static_cast<double>(aligned) / static_cast<double>(all);
}

void count_peer(const Algorithm& algorithm, const Problem& problem, PeerRow& row) {
  fake_cuda::restart(fake_cuda::with_devices(1));
  Devices devices = cuda::devices();
  ColocatedExecutor on(devices, problem.ranks, 1, true, PeerOptions{});
  conformance::Vectors vectors(on, problem, kFloats);
  auto prepared = on.prepare(algorithm, problem, vectors.data(), kFloats, 1, true);
  const auto counted = fake_cuda::counted_run(on, prepared, vectors);
  row.kernels = counted.kernels;
  row.memcpys = counted.memcpys;
  row.wrong += vectors.wrong();
  row.traffic =
      prepared.traffic() / (2.0 * problem.ranks * static_cast<double>(kElements) * sizeof(float));
  row.aligned = aligned_share(prepared.schedule());
  for (const auto& rank : prepared.peer()->schedule().steps)
    for (const auto& step : rank) {
      ++row.steps;
      for (const auto& wait : step.waits) ++(wait.all_blocks ? row.waits_of_all : row.waits);
    }
  Problem small = problem;
  small.elements = kFew;
  const DeviceSchedule its =
      schedule_on_devices(match_schedule_of(algorithm, small, 1, granule_of(kFloats.dtype)),
                          kFloats, [](Rank, Rank) { return true; });
  row.small_traffic = peer_schedule(its, {}, 1).traffic /
                      (2.0 * problem.ranks * static_cast<double>(kFew) * sizeof(float));
}

void count_nccl(const Algorithm& algorithm, const Problem& problem, Row& row) {
  fake_cuda::restart(fake_cuda::with_devices(static_cast<int>(problem.ranks)));
  Count wrong = 0;
  on_threads(problem.ranks, [&](Communicator& threads) {
    const auto device = cuda::device(static_cast<int>(threads.rank()));
    const auto transport = nccl_transport(threads, *device);
    RankExecutor rank(threads, *device, *transport);
    const std::size_t bytes = static_cast<std::size_t>(kElements) * sizeof(float);
    const DeviceMemory data = device->allocate(bytes),
                       host = device->allocate(bytes, MemoryKind::pinned);
    fill({host.data(), bytes}, kFloats, problem, threads.rank());
    threads.barrier();
    auto prepared = rank.prepare(algorithm, problem, data.data(), kFloats, 1);
    rank.stream().copy(data.data(), host.data(), bytes);
    rank.synchronize();
    threads.barrier();
    const Counters before = fake_cuda::counters();
    threads.barrier();
    rank.run(prepared);
    rank.synchronize();
    threads.barrier();
    const Counters after = fake_cuda::counters();
    threads.barrier();
    rank.stream().copy(host.data(), data.data(), bytes);
    rank.synchronize();
    const Count its = wrong_elements({host.data(), bytes}, kFloats, problem, threads.rank());
    const Count all = threads.sum(its);
    if (threads.rank() != 0) return;
    wrong = all;
    row.groups = after.captured_groups;
    row.messages = after.messages - before.messages;
    row.uses = after.kernels - before.kernels;
    row.aligned = row.messages == 0
                      ? 1
                      : static_cast<double>(after.messages_aligned - before.messages_aligned) /
                            static_cast<double>(row.messages);
  });
  row.wrong += wrong;
}

std::string cells(const Algorithm& algorithm, Rank ranks, const Row& row) {
  char text[256];
  std::snprintf(text, sizeof(text),
                "| `%s` | %d | %ld | %ld | %ld | %.2f | %.1f | %.1f | %.1f | %.0f%% |",
                std::string(algorithm.name).c_str(), static_cast<int>(ranks), row.kernels,
                row.memcpys, row.edges, row.traffic, static_cast<double>(row.groups) / ranks,
                static_cast<double>(row.messages) / ranks, static_cast<double>(row.uses) / ranks,
                100 * row.aligned);
  return text;
}

std::string cells(const Algorithm& algorithm, Rank ranks, const PeerRow& row) {
  char text[256];
  std::snprintf(
      text, sizeof(text), "| `%s` | %d | %ld | %ld | %.1f | %.1f | %.1f | %.2f | %.0f%% | %.2f |",
      std::string(algorithm.name).c_str(), static_cast<int>(ranks), row.kernels, row.memcpys,
      static_cast<double>(row.steps) / ranks, static_cast<double>(row.waits) / ranks,
      static_cast<double>(row.waits_of_all) / ranks, row.traffic, 100 * row.aligned,
      row.small_traffic);
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<std::string> lines = {
      "| algorithm | P | kernels | copies | edges | bytes / least | groups | messages | kernels | "
      "on 16 bytes |",
      "| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |"};
  std::vector<std::string> peer_lines = {
      "| algorithm | P | kernels | copies | steps | waits for a block | waits for all | bytes / "
      "least "
      "| on 16 bytes | bytes / least in words |",
      "| --- | --: | --: | --: | --: | --: | --: | --: | --: | --: |"};
  Count wrong = 0;
  for (const Algorithm& algorithm : algorithms())
    for (const Rank ranks : {4, 7, 8}) {
      const Problem problem = grouped(algorithm, {.ranks = ranks, .elements = kElements});
      if (!unsupported(algorithm, problem).empty()) continue;
      Row row;
      count_colocated(algorithm, problem, row);
      count_nccl(algorithm, problem, row);
      wrong += row.wrong;
      lines.push_back(cells(algorithm, ranks, row));
      PeerRow peer;
      count_peer(algorithm, problem, peer);
      wrong += peer.wrong;
      peer_lines.push_back(cells(algorithm, ranks, peer));
    }
  lines.push_back("");
  lines.insert(lines.end(), peer_lines.begin(), peer_lines.end());
  std::string file;
  if (argc > 1) {
    std::ifstream in(argv[1]);
    file.assign(std::istreambuf_iterator<char>(in), {});
  }
  bool missing = false;
  for (const std::string& line : lines) {
    if (argc == 1) std::puts(line.c_str());
    if (argc == 1 || file.find(line + "\n") != std::string::npos) continue;
    std::fprintf(stderr, "%s lacks the line\n%s\n", argv[1], line.c_str());
    missing = true;
  }
  if (wrong != 0) std::fprintf(stderr, "%ld wrong elements\n", static_cast<long>(wrong));
  return missing || wrong != 0 ? 1 : 0;
}
