// The compression kernels on a GPU give the bits of the CPU kernels.
#include "training/compressors/cuda/codes.hpp"

#include <cmath>
#include <cstring>
#include <optional>
#include <random>
#include <vector>

#include "collectives/cuda/check.hpp"
#include "collectives/cuda/device.hpp"
#include "tests/support/differences.hpp"
#include "tests/support/gpu_main.hpp"
#include "tests/support/on_gpu.hpp"
#include "training/compressors/compressor.hpp"
#include "training/compressors/cuda/codes.hpp"
#include "training/compressors/cuda/vector_kernels.hpp"
#include "training/compressors/kernels/kernels.hpp"

using namespace arlab;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

const training::cuda::Launch kLaunch{nullptr, 64};

std::vector<std::byte> bytes(Count n) {
  return std::vector<std::byte>(static_cast<std::size_t>(n));
}

/// Calls `use(n, x)` for gradients of many lengths.
template <class Use>
void for_all_lengths(Use use) {
  for (const Count n : {1, 7, 8, 31, 32, 33, 100, 1000, 100'003}) {
    INFO(n << " elements");
    use(n, gradient(n, static_cast<std::uint32_t>(n)));
  }
}

const EncodeKernels& cpu = encode_kernels();

}  // namespace

TEST_CASE("gpu codes: casts to 16 bits and back") {
  for_all_lengths([](Count n, const std::vector<float>& x) {
    const std::vector<float> start = gradient(n, 77);
    const OnGpu<float> in(x), sum(start);
    const OnGpu<std::byte> code(bytes(2 * n));
    std::vector<std::byte> right = bytes(2 * n);
    std::vector<float> right_sum = start;

    training::cuda::to_halves(code.data(), in.data(), n, 3, kLaunch);
    cpu.to_halves(right.data(), x.data(), n, 3);
    CHECK(differences(code.get(), right) == "");
    training::cuda::add_halves(sum.data(), code.data(), n, 0.7f, kLaunch);
    cpu.add_halves(right_sum.data(), right.data(), n, 0.7f);
    CHECK(differences(sum.get(), right_sum) == "");

    training::cuda::to_bfloats(code.data(), in.data(), n, kLaunch);
    cpu.to_bfloats(right.data(), x.data(), n);
    CHECK(differences(code.get(), right) == "");
    training::cuda::add_bfloats(sum.data(), code.data(), n, 0.7f, kLaunch);
    cpu.add_bfloats(right_sum.data(), right.data(), n, 0.7f);
    CHECK(differences(sum.get(), right_sum) == "");
  });
}

TEST_CASE("gpu codes: sign bits and back") {
  for_all_lengths([](Count n, const std::vector<float>& x) {
    const OnGpu<float> in(x), sum(x);
    const OnGpu<std::byte> code(bytes((n + 7) / 8));
    std::vector<std::byte> right = bytes((n + 7) / 8);
    std::vector<float> right_sum = x;
    training::cuda::pack_signs(code.data(), in.data(), n, kLaunch);
    cpu.pack_signs(right.data(), x.data(), n);
    CHECK(differences(code.get(), right) == "");
    training::cuda::add_signs(sum.data(), code.data(), n, 0.3f, -0.4f, kLaunch);
    cpu.add_signs(right_sum.data(), right.data(), n, 0.3f, -0.4f);
    CHECK(differences(sum.get(), right_sum) == "");

    std::vector<float> with_zeros = x;
    for (std::size_t i = 0; i < with_zeros.size(); i += 3)
      with_zeros[i] = i % 2 == 0 ? 0.0f : -0.0f;
    const OnGpu<float> zeros_in(with_zeros);
    for (const bool odd : {false, true}) {
      training::cuda::pack_votes(code.data(), zeros_in.data(), n, odd, kLaunch);
      cpu.pack_votes(right.data(), with_zeros.data(), n, odd);
      CHECK(differences(code.get(), right) == "");
    }
    const OnGpu<std::byte> halves(bytes(2 * n));
    std::vector<std::byte> right_halves = bytes(2 * n);
    training::cuda::to_unit_halves(halves.data(), zeros_in.data(), n, kLaunch);
    processor_kernels()->to_unit_halves(right_halves.data(), with_zeros.data(), n);
    CHECK(differences(halves.get(), right_halves) == "");
  });
}

TEST_CASE("gpu codes: extents, bytes and back") {
  for_all_lengths([](Count n, const std::vector<float>& x) {
    const OnGpu<float> in(x), sum(x);
    const OnGpu<training::cuda::Extents> extents({{0, 0, 0}});
    training::cuda::extents(extents.data(), in.data(), n, kLaunch);
    const training::cuda::Extents got = extents.get().front();
    const Extent right = cpu.extent(x.data(), n);
    CHECK(-got.minus_min == right.min);
    CHECK(got.max == right.max);
    CHECK(got.largest == cpu.largest(x.data(), n));

    const OnGpu<std::byte> code(bytes(n));
    std::vector<std::byte> right_code = bytes(n);
    std::vector<float> right_sum = x;
    const float scale = (right.max - right.min) / 255, zero = std::round(-right.min / scale);
    training::cuda::to_bytes(code.data(), in.data(), n, 1 / scale, zero, kLaunch);
    cpu.to_bytes(right_code.data(), x.data(), n, 1 / scale, zero);
    CHECK(differences(code.get(), right_code) == "");
    training::cuda::add_bytes(sum.data(), code.data(), n, scale, zero, kLaunch);
    cpu.add_bytes(right_sum.data(), right_code.data(), n, scale, zero);
    CHECK(differences(sum.get(), right_sum) == "");
  });
}

TEST_CASE("gpu codes: values that are not finite show") {
  const OnGpu<float> in({1, -INFINITY, 2});
  const OnGpu<training::cuda::Extents> extents({{0, 0, 0}});
  training::cuda::extents(extents.data(), in.data(), 3, kLaunch);
  CHECK(extents.get().front().largest == kInfinity);
  const OnGpu<float> other({1, NAN, 2});
  training::cuda::extents(extents.data(), other.data(), 3, kLaunch);
  CHECK(extents.get().front().largest > kInfinity);
}

TEST_CASE("gpu codes: codes of 1 to 8 bits are packed and unpacked") {
  for (int bits = 1; bits <= 8; ++bits)
    for_all_lengths([bits](Count n, const std::vector<float>&) {
      std::minstd_rand random(static_cast<std::uint32_t>(n));
      std::vector<std::uint8_t> codes(static_cast<std::size_t>(n));
      for (std::uint8_t& c : codes) c = static_cast<std::uint8_t>(random() % (1u << bits));
      const Count size = (n * bits + 7) / 8;
      const OnGpu<std::uint8_t> in(codes), out(std::vector<std::uint8_t>(codes.size()));
      const OnGpu<std::byte> packed(bytes(size));
      std::vector<std::byte> right = bytes(size);
      training::cuda::pack(packed.data(), in.data(), n, bits, kLaunch);
      cpu.pack(right.data(), codes.data(), n, bits);
      CHECK(differences(packed.get(), right) == "");
      training::cuda::unpack(out.data(), packed.data(), n, bits, kLaunch);
      CHECK(differences(out.get(), codes) == "");
    });
}

TEST_CASE("gpu codes: histogram and selection of the largest") {
  for_all_lengths([](Count n, const std::vector<float>& x) {
    const OnGpu<float> in(x);
    const OnGpu<std::uint32_t> bins((std::vector<std::uint32_t>(kBins)));
    std::vector<std::uint32_t> right(kBins);
    training::cuda::histogram(bins.data(), kBinShift, in.data(), n, kLaunch);
    cpu.histogram(right.data(), x.data(), n);
    CHECK(differences(bins.get(), right) == "");

    for (const std::uint32_t min : {0u, 0x3f800000u, 0x41000000u, kInfinity}) {
      std::vector<std::uint32_t> at(static_cast<std::size_t>(n + 16));
      at.resize(static_cast<std::size_t>(cpu.select(at.data(), x.data(), n, min)));
      const OnGpu<std::uint32_t> selected(
          std::vector<std::uint32_t>(static_cast<std::size_t>(n), 0xffffffffu));
      const OnGpu<std::uint32_t> found({0xffffffffu});
      const OnGpu<std::byte> scratch(bytes(training::cuda::kSelectScratch));
      training::cuda::select(selected.data(), found.data(), in.data(), n, min, scratch.data(),
                             kLaunch);
      CHECK(found.get().front() == at.size());
      std::vector<std::uint32_t> got = selected.get();
      got.resize(at.size());
      CHECK(differences(got, at) == "");
    }
  });
}

TEST_CASE("gpu codes: vectors and codes anywhere in their memory, on and off 16-byte boundaries") {
  for (const Count n : {3, 40, 300, 5003})
    for (const Count off : {0, 1, 4, 6})
      for (const Count code_off : {0, 1, 2, 4, 12}) {
        INFO(n << " elements, off by " << off << " floats and " << code_off << " of the code");
        const std::vector<float> x = gradient(off + n, static_cast<std::uint32_t>(n + off));
        const OnGpu<float> in(x);
        // `element`: bytes; codes of several begin at multiples of them
        const auto check = [&](Count size, Count element, auto encode, auto right_encode, auto add,
                               auto right_add) {
          const Count at = code_off * element;
          const OnGpu<std::byte> code(bytes(at + size));
          const OnGpu<float> sum(x);
          std::vector<std::byte> right = bytes(at + size);
          std::vector<float> right_sum = x;
          encode(code.data() + at, in.data() + off);
          right_encode(right.data() + at, x.data() + off);
          CHECK(differences(code.get(), right) == "");
          add(sum.data() + off, code.data() + at);
          right_add(right_sum.data() + off, right.data() + at);
          CHECK(differences(sum.get(), right_sum) == "");
        };
        namespace on_gpu = training::cuda;
        check(
            2 * n, 2, [&](auto* c, auto* v) { on_gpu::to_halves(c, v, n, 3, kLaunch); },
            [&](auto* c, auto* v) { cpu.to_halves(c, v, n, 3); },
            [&](auto* s, auto* c) { on_gpu::add_halves(s, c, n, 0.7f, kLaunch); },
            [&](auto* s, auto* c) { cpu.add_halves(s, c, n, 0.7f); });
        check(
            2 * n, 2, [&](auto* c, auto* v) { on_gpu::to_bfloats(c, v, n, kLaunch); },
            [&](auto* c, auto* v) { cpu.to_bfloats(c, v, n); },
            [&](auto* s, auto* c) { on_gpu::add_bfloats(s, c, n, 0.7f, kLaunch); },
            [&](auto* s, auto* c) { cpu.add_bfloats(s, c, n, 0.7f); });
        check((n + 7) / 8, 1, [&](auto* c, auto* v) { on_gpu::pack_signs(c, v, n, kLaunch); },
              [&](auto* c, auto* v) { cpu.pack_signs(c, v, n); },
              [&](auto* s, auto* c) { on_gpu::add_signs(s, c, n, 0.3f, -0.4f, kLaunch); },
              [&](auto* s, auto* c) { cpu.add_signs(s, c, n, 0.3f, -0.4f); });
        check(
            n, 1, [&](auto* c, auto* v) { on_gpu::to_bytes(c, v, n, 40, 100, kLaunch); },
            [&](auto* c, auto* v) { cpu.to_bytes(c, v, n, 40, 100); },
            [&](auto* s, auto* c) { on_gpu::add_bytes(s, c, n, 0.1f, 100, kLaunch); },
            [&](auto* s, auto* c) { cpu.add_bytes(s, c, n, 0.1f, 100); });

        const OnGpu<on_gpu::Extents> extents({{0, 0, 0}});
        on_gpu::extents(extents.data(), in.data() + off, n, kLaunch);
        CHECK(extents.get().front().max == cpu.extent(x.data() + off, n).max);
        CHECK(-extents.get().front().minus_min == cpu.extent(x.data() + off, n).min);
        const OnGpu<std::uint32_t> bins((std::vector<std::uint32_t>(kBins)));
        std::vector<std::uint32_t> right_bins(kBins);
        on_gpu::histogram(bins.data(), kBinShift, in.data() + off, n, kLaunch);
        cpu.histogram(right_bins.data(), x.data() + off, n);
        CHECK(differences(bins.get(), right_bins) == "");

        constexpr Count kBucket = 64;
        const Count bucketed = 8 * ((n + kBucket - 1) / kBucket) + n;
        const OnGpu<float> aligned(std::vector<float>(x.begin() + off, x.end()));
        const OnGpu<std::byte> code(bytes(4 * code_off + bucketed)), same(bytes(bucketed));
        on_gpu::to_buckets(code.data() + 4 * code_off, in.data() + off, n, kBucket, kLaunch);
        on_gpu::to_buckets(same.data(), aligned.data(), n, kBucket, kLaunch);
        std::vector<std::byte> got = code.get();
        got.erase(got.begin(), got.begin() + 4 * code_off);
        CHECK(differences(got, same.get()) == "");
        const OnGpu<float> sum(x), other(std::vector<float>(x.begin() + off, x.end()));
        on_gpu::add_buckets(sum.data() + off, code.data() + 4 * code_off, n, kBucket, 2, kLaunch);
        on_gpu::add_buckets(other.data(), same.data(), n, kBucket, 2, kLaunch);
        std::vector<float> sums = sum.get();
        sums.erase(sums.begin(), sums.begin() + off);
        CHECK(differences(sums, other.get()) == "");
      }
}

TEST_CASE("gpu codes: selection and packing on and off 16-byte boundaries") {
  for (const Count n : {3, 40, 5003})
    for (const Count off : {0, 1, 2, 16}) {
      const std::vector<float> x = gradient(off + n, static_cast<std::uint32_t>(n + off));
      const OnGpu<float> in(x);
      std::vector<std::uint32_t> right(static_cast<std::size_t>(n + 16));
      right.resize(
          static_cast<std::size_t>(cpu.select(right.data(), x.data() + off, n, 0x3f800000u)));
      const OnGpu<std::uint32_t> at(std::vector<std::uint32_t>(static_cast<std::size_t>(n)));
      const OnGpu<std::uint32_t> found({0xffffffffu});
      const OnGpu<std::byte> scratch(bytes(training::cuda::kSelectScratch));
      training::cuda::select(at.data(), found.data(), in.data() + off, n, 0x3f800000u,
                             scratch.data(), kLaunch);
      std::vector<std::uint32_t> got = at.get();
      got.resize(found.get().front());
      CHECK(differences(got, right) == "");

      for (int bits = 1; bits <= 8; ++bits)
        for (const Count packed_off : {0, 1, 2}) {
          std::vector<std::uint8_t> codes(static_cast<std::size_t>(off + n));
          std::minstd_rand random(static_cast<std::uint32_t>(n + off));
          for (std::uint8_t& c : codes) c = static_cast<std::uint8_t>(random() % (1u << bits));
          const Count size = (n * bits + 7) / 8;
          const OnGpu<std::uint8_t> unpacked(codes), out(std::vector<std::uint8_t>(codes.size()));
          const OnGpu<std::byte> packed(bytes(packed_off + size));
          std::vector<std::byte> expected = bytes(packed_off + size);
          training::cuda::pack(packed.data() + packed_off, unpacked.data() + off, n, bits, kLaunch);
          cpu.pack(expected.data() + packed_off, codes.data() + off, n, bits);
          INFO(n << " codes of " << bits << " bits, off by " << off << " and " << packed_off);
          CHECK(differences(packed.get(), expected) == "");
          training::cuda::unpack(out.data() + off, packed.data() + packed_off, n, bits, kLaunch);
          std::fill(codes.begin(), codes.begin() + off, std::uint8_t{0});
          CHECK(differences(out.get(), codes) == "");
        }
    }
}

TEST_CASE("gpu codes: vectors are scaled, added, and signed as on the processor") {
  const SharedVectorKernels on_cpu = processor_kernels();
  for (const Count n : {1, 7, 33, 5003})
    for (const Count off : {0, 1}) {
      INFO(n << " elements, off by " << off);
      std::vector<float> x = gradient(off + n, static_cast<std::uint32_t>(n));
      x[static_cast<std::size_t>(off)] = -0.0f;
      const auto check = [&](auto on_gpu, auto right) {
        const OnGpu<float> there(x);
        std::vector<float> here = x;
        on_gpu(there.data() + off);
        right(here.data() + off);
        CHECK(differences(there.get(), here) == "");
      };
      namespace gpu = training::cuda;
      check([&](float* v) { gpu::multiply(v, n, 3, kLaunch); },
            [&](float* v) { on_cpu->multiply(v, n, 3); });
      check([&](float* v) { gpu::divide(v, n, 3, kLaunch); },
            [&](float* v) { on_cpu->divide(v, n, 3); });
      for (const float least : {0.0f, 1.5f})
        check([&](float* v) { gpu::to_signs(v, n, least, kLaunch); },
              [&](float* v) { on_cpu->to_signs(v, n, least); });
      const std::vector<float> other = gradient(n, 5);
      const OnGpu<float> other_there(other);
      check([&](float* v) { gpu::add_scaled(v, other_there.data(), n, 0.3f, kLaunch); },
            [&](float* v) { on_cpu->add_scaled(v, other.data(), n, 0.3f); });
      const float bad[] = {NAN, INFINITY, -INFINITY};
      for (auto i = static_cast<std::size_t>(off); i < x.size(); i += 5) x[i] = bad[i % 3];
      check([&](float* v) { gpu::drop_not_finite(v, n, kLaunch); },
            [&](float* v) { on_cpu->drop_not_finite(v, n); });
    }
}

TEST_CASE("gpu codes: means and scales of signs, of any number of blocks") {
  const SharedVectorKernels on_cpu = processor_kernels();
  for (const Count n : {0, 1, 15, 16, 17, 1023, 1024, 1025, 16 * 1024, 40'003})
    for (const float special : {0.0f, -0.0f, NAN, -INFINITY}) {
      INFO(n << " elements, one of them " << special);
      std::vector<float> x = gradient(n, static_cast<std::uint32_t>(n));
      if (n > 0) x[static_cast<std::size_t>(n / 2)] = special;
      const OnGpu<float> in(x);
      const OnGpu<std::byte> scratch(bytes(static_cast<Count>(training::cuda::sum_scratch(n))));
      const auto check = [&](Count size, auto to, auto right_to, auto add, auto right_add) {
        const OnGpu<std::byte> code(bytes(size));
        const OnGpu<float> sum(x);
        std::vector<std::byte> right = bytes(size);
        std::vector<float> right_sum = x;
        to(code.data(), in.data(), n, scratch.data(), kLaunch);
        right_to(right.data(), x.data(), n, nullptr);
        CHECK(differences(code.get(), right) == "");
        add(sum.data(), code.data(), n, 0.7f, kLaunch);
        right_add(right_sum.data(), right.data(), n, 0.7f);
        if (std::isfinite(special))
          CHECK(differences(sum.get(), right_sum) == "");
        else  // whose bits a sum has, if both are NaN, is not defined
          for (const float v : sum.get()) CHECK(std::isnan(v));
      };
      check(8 + (n + 7) / 8, training::cuda::to_means, on_cpu->to_means, training::cuda::add_means,
            on_cpu->add_means);
      check(4 + (n + 7) / 8, training::cuda::to_scaled_signs, on_cpu->to_scaled_signs,
            training::cuda::add_scaled_signs, on_cpu->add_scaled_signs);
    }
}

TEST_CASE("gpu codes: compressors that encode on a GPU give the processor's codes and sums") {
  const SharedVectorKernels gpu = training::cuda::vector_kernels(collectives::cuda::device(0));
  CHECK(gpu->where == "GPU 0");
  int kinds = 0;
  for (const CompressorKind& kind : compressors()) {
    if (!kind.on_gpu) continue;
    ++kinds;
    for (const bool feedback : {false, true}) {
      if (feedback && (kind.feedback == Feedback::built_in || kind.no_feedback)) continue;
      CompressorChoice here = choose_compressor(
          kind, {}, kind.feedback == Feedback::built_in ? std::nullopt : std::optional(feedback));
      CompressorChoice there = here;
      there.kernels = gpu;
      CHECK(kernels_of(there) == gpu);
      CHECK(kernels_of(here)->where == encode_kernels().instructions);
      for (const Aggregation aggregation : kind.aggregations)
        for (const Count n : {0, 1, 33, 1024, 5003}) {
          INFO(kind.name << " " << name(aggregation) << ", " << n << " elements, feedback "
                         << feedback);
          const auto cpu_one = make_compressor(here, flat(n), aggregation);
          const auto gpu_one = make_compressor(there, flat(n), aggregation);
          for (Count step = 0; step < 3; ++step) {  // later ones have residuals of the first
            const EncodeContext context{.seed = 1, .step = step, .ranks = 3};
            const std::vector<float> x = gradient(n, static_cast<std::uint32_t>(n + step));
            const OnGpu<float> in(x), sum(x);
            const auto on_gpu = [&](const OnGpu<float>& its) {
              return std::span<float>(its.data(), x.size());
            };
            const auto right = cpu_one->encode(x, context);
            const auto got = gpu_one->encode(on_gpu(in), context);
            std::vector<std::byte> code(got.size());
            gpu->copy(code.data(), got.data(), got.size());
            gpu->wait();
            CHECK(differences(code, std::vector(right.begin(), right.end())) == "");
            std::vector<float> right_sum = x;
            cpu_one->decode_add(right, right_sum, 0.5f, context);
            cpu_one->finish(right_sum, context);
            gpu_one->decode_add(got, on_gpu(sum), 0.5f, context);
            gpu_one->finish(on_gpu(sum), context);
            gpu->wait();
            CHECK(differences(sum.get(), right_sum) == "");
            if (step != 1) continue;  // what is saved is alike, and continues after it is restored
            const auto state = save_state(state_of(*gpu_one));
            CHECK(state == save_state(state_of(*cpu_one)));
            restore_state(state_of(*gpu_one), state);
          }
        }
    }
  }
  CHECK(kinds == 6);
}
