// The stochastic rounding kernels on a GPU give the bits of the CPU kernels.
#include "training/compressors/cuda/stochastic_rounding.hpp"

#include <vector>

#include "tests/support/catch.hpp"
#include "tests/support/differences.hpp"
#include "tests/support/on_gpu.hpp"
#include "training/compressors/cuda/stochastic_rounding.hpp"
#include "training/compressors/kernels/kernels.hpp"

using namespace arlab;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

const training::cuda::Launch kLaunch{nullptr, 64};
constexpr std::uint64_t kKey = 0x123456789abcdef;
const EncodeKernels& cpu = encode_kernels();

std::vector<std::uint32_t> words_of(Count n) {
  const Count groups = (n + kRandomGroup - 1) / kRandomGroup;
  std::vector<std::uint32_t> words(static_cast<std::size_t>(groups * kRandomGroup));
  cpu.random(words.data(), 0, groups, kKey);
  return words;
}

/// Returns a gradient with special values among its elements.
std::vector<float> odd_gradient(Count n) {
  std::vector<float> x = gradient(n, static_cast<std::uint32_t>(n));
  const float special_values[] = {NAN, INFINITY, -INFINITY, -0.0f, 1e-42f, 3e38f, -1e-30f};
  for (std::size_t k = 0; k < std::size(special_values) && k < x.size(); ++k)
    x[x.size() - 1 - k] = special_values[k];
  return x;
}

}  // namespace

TEST_CASE("gpu stochastic rounding: the sum of squares of each bucket") {
  for (const Count n : {1, 15, 16, 17, 100, 512, 1000, 100'003})
    for (const Count bucket : {Count{1}, Count{7}, Count{512}, Count{1} << 30}) {
      INFO(n << " elements, buckets of " << bucket);
      const std::vector<float> x = gradient(n, static_cast<std::uint32_t>(n));
      const Count buckets = (n + bucket - 1) / bucket;
      std::vector<double> right;
      for (Count b = 0; b < buckets; ++b)
        right.push_back(
            cpu.sum_of_squares(x.data() + b * bucket, std::min(bucket, n - b * bucket)));
      const OnGpu<float> in(x);
      const OnGpu<double> sums(std::vector<double>(right.size(), -1));
      training::cuda::square_sums(sums.data(), in.data(), n, bucket, kLaunch);
      CHECK(differences(sums.get(), right) == "");
    }
}

TEST_CASE("gpu stochastic rounding: levels of QSGD and TernGrad") {
  for (const Count n : {1, 31, 32, 33, 63, 64, 65, 1000, 100'003})
    for (const Count bucket : {Count{512}, n})
      for (const int levels : {1, 7, 127}) {
        INFO(n << " elements, buckets of " << bucket << ", " << levels << " levels");
        const std::vector<float> x = odd_gradient(n);
        const std::vector<std::uint32_t> words = words_of(n);
        const Count buckets = (n + bucket - 1) / bucket;
        std::vector<float> times;
        for (Count b = 0; b < buckets; ++b)
          times.push_back(b % 3 == 2 ? 0 : 0.7f + 3 * static_cast<float>(b % 5));
        std::vector<std::uint8_t> right(x.size());
        for (Count b = 0; b < buckets; ++b) {
          const Count at = b * bucket;
          cpu.to_levels(right.data() + at, x.data() + at, words.data() + at,
                        std::min(bucket, n - at), times[static_cast<std::size_t>(b)], levels);
        }
        const OnGpu<float> in(x), factors(times);
        const OnGpu<std::uint8_t> codes(std::vector<std::uint8_t>(x.size(), 255));
        training::cuda::to_levels(codes.data(), in.data(), n, factors.data(), bucket, kKey, levels,
                                  kLaunch);
        CHECK(differences(codes.get(), right) == "");
      }
}

TEST_CASE("gpu stochastic rounding: powers of two") {
  for (const Count n : {1, 33, 64, 1000, 100'003}) {
    INFO(n << " elements");
    const std::vector<float> x = odd_gradient(n);
    std::vector<std::byte> right(x.size());
    cpu.round_to_powers_of_two(right.data(), x.data(), words_of(n).data(), n);
    const OnGpu<float> in(x);
    const OnGpu<std::byte> code(std::vector<std::byte>(x.size()));
    training::cuda::round_to_powers_of_two(code.data(), in.data(), n, kKey, kLaunch);
    CHECK(differences(code.get(), right) == "");
  }
}
