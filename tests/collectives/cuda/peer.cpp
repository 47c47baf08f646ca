// On a GPU, or on the stand-in in any order of its threads: plans that kernels run by themselves.
#include <algorithm>
#include <cstring>

#include "collectives/cuda/device.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/on_devices.hpp"
#include "tests/support/thorough.hpp"

using namespace arlab;
using namespace arlab::collectives;

namespace {

/// With all messages as words, with none, and with some.
constexpr std::size_t kMostInWords[] = {std::size_t{8} << 10, 0, 600};

ColocatedExecutor peers(Devices& devices, Rank ranks, std::size_t most_in_words,
                        double patience = 300) {
  return ColocatedExecutor(
      devices, ranks, 1, true,
      PeerOptions{.most_in_words = most_in_words, .block_bytes = 256, .patience = patience});
}

}  // namespace

TEST_CASE("peer: the whole catalog on 1 to 8 ranks, in flags, in words, and in both") {
  Devices devices = cuda::devices();
  for (const Rank ranks : unless_sanitized({1, 2, 3, 4, 5, 6, 7, 8}, {1, 3, 6}))
    for (const std::size_t most_in_words : kMostInWords) {
      ColocatedExecutor on = peers(devices, ranks, most_in_words);
      std::vector<Count> lengths{1009};
      if (most_in_words == kMostInWords[0])
        lengths = unless_sanitized<Count>({0, 3, ranks - 1, 1009}, {3});
      conformance::for_all_problems(
          ranks, lengths, ranks / 2,
          [&](const Algorithm& algorithm, const Problem& problem, int segments) {
            const Operand operand{DType::float32, Op::sum};
            INFO(conformance::text_of(algorithm, problem, operand, segments)
                 << " up to " << most_in_words << " bytes in words");
            CHECK(conformance::run(on, algorithm, problem, operand, segments, false) ==
                  conformance::kGood);
          });
    }
}

TEST_CASE("peer: all types and operations, graphs launched again and again") {
  Devices devices = cuda::devices();
  for (const Rank ranks : unless_sanitized({3, 4}, {3}))
    for (const std::size_t most_in_words : {kMostInWords[0], kMostInWords[1]}) {
      ColocatedExecutor on = peers(devices, ranks, most_in_words);
      for (const DType dtype : kDTypes)
        for (const Op op : kOps)
          for (const Algorithm& algorithm : conformance::each_kind_of_message()) {
            if (kSanitized && dtype != DType::float32 && op != Op::sum) continue;
            const Problem problem = grouped(algorithm, {.ranks = ranks, .elements = 1003});
            if (!unsupported(algorithm, problem).empty()) continue;
            INFO(conformance::text_of(algorithm, problem, {dtype, op}, 2));
            CHECK(conformance::run(on, algorithm, problem, {dtype, op}, 2, true, 2) ==
                  conformance::kGood);
          }
    }
}

TEST_CASE("peer: vectors that are not equally far from a 16-byte boundary") {
  Devices devices = cuda::devices();
  constexpr Rank kRanks = 3;
  constexpr std::size_t kElements = 1003, kBytes = kElements * sizeof(std::int32_t);
  for (const std::size_t most_in_words : {kMostInWords[0], kMostInWords[1]}) {
    ColocatedExecutor on = peers(devices, kRanks, most_in_words);
    std::vector<DeviceMemory> memory, host;
    std::vector<std::byte*> data;
    for (Rank rank = 0; rank < kRanks; ++rank) {
      const std::size_t off = static_cast<std::size_t>(rank) * sizeof(std::int32_t);
      memory.push_back(on.device_of(rank).allocate(kBytes + off));
      data.push_back(memory.back().data() + off);
      host.push_back(on.device_of(rank).allocate(kBytes, MemoryKind::pinned));
      const std::vector<std::int32_t> mine(kElements, 1 << (8 * rank));
      std::memcpy(host.back().data(), mine.data(), kBytes);
      on.stream(rank).copy(data.back(), host.back().data(), kBytes);
    }
    auto prepared =
        on.prepare(find_algorithm("ring"), {.ranks = kRanks, .elements = Count{kElements}}, data,
                   {DType::int32, Op::sum}, 1, true);
    on.run(prepared);
    for (std::size_t rank = 0; rank < data.size(); ++rank)
      on.stream(static_cast<Rank>(rank)).copy(host[rank].data(), data[rank], kBytes);
    on.synchronize();
    for (const DeviceMemory& result : host) {
      std::vector<std::int32_t> got(kElements);
      std::memcpy(got.data(), result.data(), kBytes);
      CHECK(std::count(got.begin(), got.end(), 0x10101) == std::ptrdiff_t{kElements});
    }
  }
}
