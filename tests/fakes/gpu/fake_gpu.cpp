// The host devices behave as a GPU does, where that is what code may trip over.
#include <atomic>
#include <chrono>
#include <cstring>

#include "algorithms/base/error.hpp"
#include "collectives/gpu/median_time.hpp"
#include "tests/fakes/gpu/device.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/contains.hpp"

using namespace arlab;
using namespace arlab::collectives;

namespace {

/// Two streams and memory on one device; int32 values.
struct Bench {
  explicit Bench(std::uint32_t disorder = 0) : devices(host_devices({.disorder = disorder})) {}

  Devices devices;
  Device& device = *devices[0];
  std::unique_ptr<DeviceStream> a = device.make_stream(), b = device.make_stream();
  DeviceEvent event = device.make_event(), later = device.make_event();
  DeviceMemory memory = device.allocate(64);

  std::byte* at(int i) const { return memory.data() + 4 * i; }
  void set(int i, std::int32_t value) const { std::memcpy(at(i), &value, 4); }
  std::int32_t get(int i) const {
    std::int32_t value;
    std::memcpy(&value, at(i), 4);
    return value;
  }
  void add(DeviceStream& stream, int into, int from) const {
    stream.reduce(at(into), at(from), 1, {DType::int32, Op::sum});
  }
};

}  // namespace

TEST_CASE("host device: a stream does its work in order, another one after the event") {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    Bench bench(seed);
    bench.set(0, 1);
    bench.set(1, 10);
    bench.set(2, 0);
    bench.add(*bench.a, 0, 1);
    bench.add(*bench.a, 0, 0);
    bench.a->record(bench.event);
    bench.b->wait(bench.event);
    bench.add(*bench.b, 2, 0);
    bench.b->synchronize();
    CHECK(bench.get(2) == 22);
    CHECK(bench.b->is_done());
  }
}

TEST_CASE("host device: waiting for an event that was never recorded waits for nothing") {
  Bench bench;
  bench.set(0, 3);
  bench.b->wait(bench.event);
  bench.add(*bench.b, 0, 0);
  bench.b->synchronize();
  CHECK(bench.get(0) == 6);
}

TEST_CASE("host device: an event recorded again still holds up who waited before") {
  for (std::uint32_t seed = 1; seed < 20; ++seed) {
    Bench bench(seed);
    bench.set(0, 1);
    bench.set(1, 0);
    for (int i = 0; i < 5; ++i) bench.add(*bench.a, 0, 0);
    bench.a->record(bench.event);
    bench.b->wait(bench.event);
    bench.add(*bench.b, 1, 0);
    auto c = bench.device.make_stream();
    c->record(bench.event);  // done at once: not what b waits for
    bench.b->synchronize();
    CHECK(bench.get(1) == 32);
    bench.a->synchronize();
  }
}

TEST_CASE("host device: a graph does what its streams captured, when it is launched") {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    Bench bench(seed);
    bench.set(0, 1);
    bench.set(1, 10);
    const auto graph = bench.a->capture([&] {
      bench.a->record(bench.event);
      bench.b->wait(bench.event);
      bench.add(*bench.b, 0, 1);
      bench.b->record(bench.later);
      bench.a->wait(bench.later);
      bench.add(*bench.a, 0, 0);
    });
    bench.a->synchronize();
    CHECK(bench.get(0) == 1);  // nothing was done yet
    bench.a->launch(*graph);
    bench.a->launch(*graph);
    bench.a->synchronize();
    CHECK(bench.get(0) == 64);  // ((1 + 10) 2 + 10) 2
    bench.add(*bench.b, 1, 1);  // the other stream is free again
    bench.b->synchronize();
    CHECK(bench.get(1) == 20);
  }
}

TEST_CASE("host device: a graph without an edge shows that it misses one") {
  std::vector<std::int32_t> seen;
  for (std::uint32_t seed = 1; seed < 50; ++seed) {
    Bench bench(seed);
    bench.set(0, 1);
    bench.set(1, 10);
    const auto graph = bench.a->capture([&] {
      bench.a->record(bench.event);
      bench.b->wait(bench.event);
      bench.add(*bench.b, 0, 1);
      bench.add(*bench.a, 0, 0);  // should wait for b
      bench.b->record(bench.later);
      bench.a->wait(bench.later);
    });
    bench.a->launch(*graph);
    bench.a->synchronize();
    seen.push_back(bench.get(0));
  }
  CHECK(std::count(seen.begin(), seen.end(), 22) > 0);
  CHECK(std::count(seen.begin(), seen.end(), 12) > 0);
}

TEST_CASE("host device: what a GPU refuses is refused") {
  Bench bench;
  const auto unjoined = [&] {
    bench.a->record(bench.event);
    bench.b->wait(bench.event);
    bench.add(*bench.b, 0, 1);
  };
  CHECK_THROWS_WITH(bench.a->capture(unjoined), contains("joined"));

  Bench other;
  CHECK_THROWS_WITH(other.a->copy(other.at(15), other.at(0), 8), contains("beyond"));
  Devices two = host_devices({.count = 2, .peers = false});
  const DeviceMemory here = two[0]->allocate(64), there = two[1]->allocate(64);
  const auto stream = two[0]->make_stream();
  CHECK_THROWS_WITH(stream->reduce(here.data(), there.data(), 4, {}), contains("not a peer"));
  CHECK_NOTHROW(stream->copy(here.data(), there.data(), 64));
  CHECK_THROWS_WITH(stream->record(two[1]->make_event()), contains("another device"));
  stream->synchronize();
}

TEST_CASE("host device: differences are counted as the type compares") {
  Bench bench;
  const DeviceMemory other = bench.device.allocate(64), counter = bench.device.allocate(8);
  const Count start = 5;
  std::memcpy(counter.data(), &start, sizeof(start));
  for (int i = 0; i < 16; ++i) bench.set(i, 0);
  std::memcpy(other.data(), bench.memory.data(), 64);
  const float minus_zero = -0.0f, one = 1;
  std::memcpy(other.data() + 4, &minus_zero, 4);
  std::memcpy(other.data() + 8, &one, 4);
  bench.a->count_different(counter.data(), bench.memory.data(), other.data(), 16, DType::float32);
  bench.a->synchronize();
  Count count = 0;
  std::memcpy(&count, counter.data(), sizeof(count));
  CHECK(count == 6);
}

TEST_CASE("host device: the median time of work is that of one, not of a batch") {
  Bench bench;
  int enqueued = 0;
  const auto begin = std::chrono::steady_clock::now();
  const double us = median_microseconds(bench.device, *bench.a, [&] {
    ++enqueued;
    bench.add(*bench.a, 0, 1);
  });
  const std::chrono::duration<double, std::micro> all = std::chrono::steady_clock::now() - begin;
  CHECK(enqueued == (kBatches + 1) * kLaunches);
  CHECK(us > 0);
  CHECK(us * kLaunches * kBatches / 2 < all.count());  // half of the batches took as long or longer
}
