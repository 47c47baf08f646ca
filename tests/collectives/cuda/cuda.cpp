// On a GPU: the kernels against the host's arithmetic, bit for bit, and the whole catalog.
#include <cstring>
#include <random>

#include "collectives/cuda/check.hpp"
#include "collectives/cuda/kernels.hpp"
#include "collectives/gpu/vector16.hpp"
#include "collectives/reduce/half.hpp"
#include "collectives/reduce/reduce.hpp"
#include "tests/support/differences.hpp"
#include "tests/support/gpu_main.hpp"
#include "tests/support/on_devices.hpp"
#include "tests/support/special_values.hpp"

using namespace arlab;
using namespace arlab::collectives;

namespace {

/// Numbers of a type that add, multiply and divide without NaN.
std::vector<std::byte> numbers(DType dtype, std::size_t count, std::uint32_t seed) {
  std::minstd_rand random(seed);
  std::vector<std::byte> data(count * size_of(dtype));
  for (std::size_t i = 0; i < count; ++i) {
    const double x = static_cast<double>(random() % 4001) / 16 - 125;
    const auto put = [&](auto value) {
      std::memcpy(&data[i * sizeof(value)], &value, sizeof(value));
    };
    switch (dtype) {
      case DType::float32:
        put(static_cast<float>(x / 3));
        break;
      case DType::float64:
        put(x / 3);
        break;
      case DType::float16:
        put(to_float16(static_cast<float>(x / 3)));
        break;
      case DType::bfloat16:
        put(to_bfloat16(static_cast<float>(x / 3)));
        break;
      case DType::int32:
        put(static_cast<std::int32_t>(random() << 7));
        break;
      case DType::int64:
        put(static_cast<std::int64_t>(random()) << 31);
        break;
      case DType::int8:
      case DType::uint8:
        put(static_cast<std::uint8_t>(random()));
        break;
      case DType::uint32:
        put(static_cast<std::uint32_t>(random()));
        break;
      case DType::uint64:
        put(static_cast<std::uint64_t>(random()) << 31);
        break;
      case DType::float8_e4m3:
      case DType::float8_e5m2:  // any finite one
        put(static_cast<std::uint8_t>(random() % 2 * 0x80 + random() % 0x7c));
        break;
      case DType::byte:
        put(static_cast<std::uint8_t>(random()));
        break;
    }
  }
  return data;
}

/// One GPU, with memory to work on at any offset.
struct Gpu {
  Devices devices = cuda::devices();
  Device& device = *devices.front();
  std::unique_ptr<DeviceStream> stream = device.make_stream();
  /// Bytes with which every thread of a full grid has several turns, and some have one more.
  std::size_t several_turns = [] {
    int multiprocessors = 0;
    cuda::check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, 0),
                "cudaDeviceGetAttribute");
    const int threads = multiprocessors * cuda::kBlocksPerMultiprocessor * cuda::kThreads;
    return static_cast<std::size_t>(threads) * kPackBytes * kUnrolled * 9 / 4 + 40;
  }();

  DeviceMemory upload(const std::vector<std::byte>& data, std::size_t offset = 0) {
    DeviceMemory memory = device.allocate(data.size() + offset);
    stream->copy(memory.data() + offset, data.data(), data.size());
    stream->synchronize();
    return memory;
  }
  std::vector<std::byte> download(const std::byte* data, std::size_t size) {
    std::vector<std::byte> result(size);
    stream->copy(result.data(), data, size);
    stream->synchronize();
    return result;
  }
};

}  // namespace

TEST_CASE("gpu: reductions are those of the host, at all lengths and offsets") {
  Gpu gpu;
  for (const DType dtype : kDTypes)
    for (const Op op : kOps)
      for (const std::size_t count :
           {std::size_t{1}, std::size_t{2}, std::size_t{3}, std::size_t{7}, std::size_t{16},
            std::size_t{33}, std::size_t{1003}, gpu.several_turns / size_of(dtype)})
        for (const auto& [into_off, from_off] :
             {std::pair<std::size_t, std::size_t>{0, 0}, {1, 1}, {3, 3}, {0, 1}, {2, 3}}) {
          if (count > 2000 && (op != Op::sum || into_off != 1)) continue;
          const std::size_t element = size_of(dtype);
          std::vector<std::byte> into = numbers(dtype, count, 1), from = numbers(dtype, count, 2);
          const DeviceMemory a = gpu.upload(into, into_off * element);
          const DeviceMemory b = gpu.upload(from, from_off * element);
          gpu.stream->reduce(a.data() + into_off * element, b.data() + from_off * element,
                             static_cast<Count>(count), {dtype, op});
          reduce_into(into.data(), from.data(), static_cast<Count>(count), {dtype, op});
          INFO(name(dtype) << " " << name(op) << " " << count << " at " << into_off << ", "
                           << from_off);
          CHECK(differences(gpu.download(a.data() + into_off * element, into.size()), into) == "");
          CHECK(differences(gpu.download(b.data() + from_off * element, from.size()), from) == "");
        }
}

TEST_CASE("gpu: several senders are added in their order, in one pass or more") {
  Gpu gpu;
  for (const DType dtype : kDTypes)
    for (const Op op : kOps)
      for (const std::size_t senders : {1u, 2u, 3u, 8u, 9u, 17u})
        for (const std::size_t off : {0u, 1u}) {        // of the second sender, against all others
          if (op == Op::prod && senders > 2) continue;  // infinities, and then NaN
          const std::size_t count = 1003, element = size_of(dtype);
          std::vector<std::byte> right = numbers(dtype, count, 1);
          const DeviceMemory into = gpu.upload(right);
          std::vector<DeviceMemory> sent;
          std::vector<const std::byte*> from;
          for (std::size_t k = 0; k < senders; ++k) {
            const auto data = numbers(dtype, count, 2 + static_cast<std::uint32_t>(k));
            const std::size_t its = k == 1 ? off * element : 0;
            sent.push_back(gpu.upload(data, its));
            from.push_back(sent.back().data() + its);
            reduce_into(right.data(), data.data(), static_cast<Count>(count), {dtype, op});
          }
          gpu.stream->reduce_all(into.data(), from, static_cast<Count>(count), {dtype, op});
          INFO(name(dtype) << " " << name(op) << " from " << senders << ", one off by " << off);
          CHECK(differences(gpu.download(into.data(), right.size()), right) == "");
        }
}

TEST_CASE("gpu: min and max of all pairs of special values") {
  Gpu gpu;
  for (const DType dtype : special::kTypes)
    for (const Op op : special::kOps) {
      std::vector<std::uint64_t> a, b, right;
      for (const std::uint64_t x : special::values(dtype))
        for (const std::uint64_t y : special::values(dtype)) {
          a.push_back(x), b.push_back(y);
          right.push_back(special::expected(dtype, op, x, y));
        }
      const auto into = gpu.upload(special::packed(dtype, a));
      const auto from = gpu.upload(special::packed(dtype, b));
      gpu.stream->reduce(into.data(), from.data(), std::ssize(a), {dtype, op});
      INFO(name(dtype) << " " << name(op));
      CHECK(gpu.download(into.data(), a.size() * size_of(dtype)) == special::packed(dtype, right));
    }
}

TEST_CASE(
    "gpu: all pairs of 8-bit floats, by the instructions of newer GPUs, have the host's bits") {
  Gpu gpu;
  std::vector<std::byte> a, b;
  for (int x = 0; x < 256; ++x)
    for (int y = 0; y < 256; ++y)
      a.push_back(static_cast<std::byte>(x)), b.push_back(static_cast<std::byte>(y));
  for (const DType dtype : {DType::float8_e4m3, DType::float8_e5m2})
    for (const Op op : kOps) {
      const auto into = gpu.upload(a), from = gpu.upload(b);
      gpu.stream->reduce(into.data(), from.data(), std::ssize(a), {dtype, op});
      auto right = a;
      reduce_into(right.data(), b.data(), std::ssize(a), {dtype, op});
      INFO(name(dtype) << " " << name(op));
      CHECK(differences(gpu.download(into.data(), right.size()), right) == "");
    }
}

TEST_CASE("gpu: divisions are those of the host") {
  Gpu gpu;
  for (const DType dtype : kDTypes)
    for (const std::size_t count : {1u, 5u, 1003u})
      for (const Rank divisor : {1, 3, 8}) {
        std::vector<std::byte> data = numbers(dtype, count, 3);
        const DeviceMemory memory = gpu.upload(data, size_of(dtype));
        gpu.stream->scale(memory.data() + size_of(dtype), static_cast<Count>(count), dtype,
                          divisor);
        scale(data.data(), static_cast<Count>(count), dtype, divisor);
        INFO(name(dtype) << " " << count << " by " << divisor);
        CHECK(differences(gpu.download(memory.data() + size_of(dtype), data.size()), data) == "");
      }
}

TEST_CASE("gpu: copies at all offsets, and nothing beside them") {
  Gpu gpu;
  const std::vector<std::byte> data = numbers(DType::int32, 5000, 4);
  const DeviceMemory from = gpu.upload(data);
  for (const std::size_t into_off : {0u, 1u, 2u, 4u, 7u, 8u, 15u})
    for (const std::size_t from_off : {0u, 1u, 4u, 15u})
      for (const std::size_t bytes : {0u, 1u, 15u, 16u, 17u, 4097u, 19'000u}) {
        const std::vector<std::byte> blank(20'000, std::byte{0xa5});
        const DeviceMemory into = gpu.upload(blank);
        gpu.stream->copy(into.data() + into_off, from.data() + from_off, bytes);
        std::vector<std::byte> right = blank;
        std::memcpy(right.data() + into_off, data.data() + from_off, bytes);
        INFO(bytes << " bytes at " << into_off << ", " << from_off);
        CHECK(differences(gpu.download(into.data(), right.size()), right) == "");
      }
}

TEST_CASE("gpu: differences are counted") {
  Gpu gpu;
  for (const DType dtype : kDTypes) {
    const std::vector<std::byte> a = numbers(dtype, 10'007, 5);
    std::vector<std::byte> b = a;
    for (const std::size_t i : {0u, 511u, 10'006u})
      b[(i + 1) * size_of(dtype) - 1] ^= std::byte{0x40};
    const DeviceMemory left = gpu.upload(a), right = gpu.upload(b);
    const DeviceMemory counter = gpu.upload(std::vector<std::byte>(8));
    gpu.stream->count_different(counter.data(), left.data(), right.data(), 10'007, dtype);
    gpu.stream->count_different(counter.data(), left.data(), left.data(), 10'007, dtype);
    Count count = 0;
    std::memcpy(&count, gpu.download(counter.data(), 8).data(), 8);
    INFO(name(dtype));
    CHECK(count == 3);
  }
}

TEST_CASE("gpu: the whole catalog on 1 to 8 virtual ranks, enqueued and as a graph") {
  Devices devices = cuda::devices();
  for (const Rank ranks : unless_sanitized({1, 2, 3, 4, 5, 6, 7, 8}, {1, 3, 6})) {
    ColocatedExecutor on(devices, ranks);
    auto lengths = unless_sanitized<Count>({0, 3, ranks - 1, 1009}, {3, 1009});
    if (ranks == 8 && !kSanitized) lengths.push_back(10'007);
    conformance::for_all_problems(
        ranks, lengths, ranks / 2,
        [&](const Algorithm& algorithm, const Problem& problem, int segments) {
          const Operand operand{DType::float32, Op::sum};
          for (const bool as_graph : {false, true}) {
            INFO(conformance::text_of(algorithm, problem, operand, segments)
                 << " graph " << as_graph);
            CHECK(conformance::run(on, algorithm, problem, operand, segments, as_graph) ==
                  conformance::kGood);
          }
        });
  }
}

TEST_CASE("gpu: all types and operations, graphs launched again and again") {
  Devices devices = cuda::devices();
  for (const Rank ranks : {3, 4}) {
    ColocatedExecutor on(devices, ranks);
    for (const DType dtype : kDTypes)
      for (const Op op : kOps)
        for (const Algorithm& algorithm : conformance::each_kind_of_message()) {
          const Problem problem = grouped(algorithm, {.ranks = ranks, .elements = 1003});
          if (!unsupported(algorithm, problem).empty()) continue;
          INFO(conformance::text_of(algorithm, problem, {dtype, op}, 2));
          CHECK(conformance::run(on, algorithm, problem, {dtype, op}, 2, true, 2) ==
                conformance::kGood);
        }
  }
}

TEST_CASE("gpu: a run has a time, and the device says what it is") {
  Devices devices = cuda::devices();
  ColocatedExecutor on(devices, 4);
  const Problem problem{.ranks = 4, .elements = 1 << 20};
  conformance::Vectors vectors(on, problem, {});
  auto prepared = on.prepare(find_algorithm("ring"), problem, vectors.data(), {}, 1, true);
  vectors.fill();
  on.run(prepared);
  CHECK(on.microseconds() > 0);
  CHECK(vectors.wrong() == 0);
  const DeviceInfo info = devices.front()->info();
  CHECK(info.name != "");
  CHECK(info.memory > 0);
  CHECK(info.details != "");
}

TEST_CASE("gpu: the time between two events is known once the second is done, for which it waits") {
  Gpu gpu;
  const DeviceMemory memory = gpu.device.allocate(std::size_t{8} << 20);
  const DeviceEvent start = gpu.device.make_event(true), stop = gpu.device.make_event(true);
  gpu.stream->record(start);
  for (int repeat = 0; repeat < 3; ++repeat)
    gpu.stream->scale(memory.data(), Count{2} << 20, DType::uint32, 3);
  gpu.stream->record(stop);
  CHECK(gpu.stream->microseconds_between(start, stop) > 0);
}

TEST_CASE("gpu: an allocation beyond the memory is rejected, and the device stays usable") {
  Gpu gpu;
  CHECK_THROWS_WITH(gpu.device.allocate(std::size_t{1} << 50),
                    Catch::Contains("more than is free"));
  CHECK_NOTHROW(gpu.device.allocate(1 << 20));
}
