// Every kernel, in every instruction set that this processor has, against one scalar definition.
#include "collectives/reduce/reduce.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <span>
#include <vector>

#include "collectives/reduce/dispatch_dtype.hpp"
#include "collectives/reduce/extremes.hpp"
#include "collectives/reduce/kernels.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/kernels.hpp"

using namespace arlab;
using namespace arlab::collectives;

namespace {

template <class T>
T scalar(Op op, T a, T b) {
  using U = std::conditional_t<std::is_integral_v<T>, std::make_unsigned<T>, std::type_identity<T>>;
  using Unsigned = typename U::type;
  switch (op) {
    case Op::prod:
      return static_cast<T>(static_cast<Unsigned>(a) * static_cast<Unsigned>(b));
    case Op::min:
      return std::min(a, b);
    case Op::max:
      return std::max(a, b);
    default:
      return static_cast<T>(static_cast<Unsigned>(a) + static_cast<Unsigned>(b));
  }
}
template <class T>
requires kIsSmallFloat<T> T scalar(Op op, T a, T b) {
  return from_float<T>(scalar(op, to_float(a), to_float(b)));
}

template <class T>
T divided(T a, Rank by) {
  using Wide = std::conditional_t<sizeof(T) == 1, int, T>;
  return static_cast<T>(a / static_cast<Wide>(by));
}
template <class T>
requires kIsSmallFloat<T> T divided(T a, Rank by) {
  return from_float<T>(divided(to_float(a), by));
}

/// Random finite values; the integers of full range, so that sums wrap around.
template <class T>
std::vector<T> values(std::size_t count, unsigned seed) {
  std::mt19937_64 random(seed);
  std::uniform_real_distribution<float> real(-1000, 1000);
  std::vector<T> out(count);
  for (T& x : out) {
    if constexpr (std::is_same_v<T, Bfloat16>)
      x = to_bfloat16(real(random));
    else if constexpr (kIsSmallFloat<T>)
      x = from_float<T>(real(random) / 32);
    else if constexpr (std::is_integral_v<T>)
      x = static_cast<T>(random());
    else
      x = real(random);
  }
  return out;
}

/// Elements from index `first` on, so that vectors start anywhere; what is outside must not change.
template <class T, class Use>
std::vector<T> with_bytes(std::vector<T> data, std::size_t first, Use use) {
  use(std::as_writable_bytes(std::span(data)).data() + first * sizeof(T));
  return data;
}

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0;
}

constexpr std::size_t kLengths[] = {0, 1, 2, 3, 7, 8, 9, 15, 31, 33, 63, 64, 65, 129, 1000, 1021};

}  // namespace

TEST_CASE("combine equals the scalar definition at all lengths and alignments") {
  for (const ReduceKernels* kernels : all_kernels())
    for (const DType dtype : kDTypes)
      for (const Op op : kOps)
        dispatch_dtype(dtype, [&]<class T>(std::type_identity<T>) {
          const auto combine =
              kernels->combine[static_cast<std::size_t>(dtype)][static_cast<std::size_t>(op)];
          int wrong = 0;
          for (const std::size_t length : kLengths)
            for (std::size_t first = 0; first < 3; ++first) {
              const auto into = values<T>(length + 5, 1), from = values<T>(length + 5, 2);
              auto right = into;
              for (std::size_t i = 0; i < length; ++i)
                right[first + i] = scalar(op, into[first + i], from[1 + i]);
              const auto found = with_bytes(into, first, [&](std::byte* data) {
                combine(data, std::as_bytes(std::span(from)).data() + sizeof(T),
                        static_cast<Count>(length));
              });
              wrong += same(found, right) ? 0 : 1;
            }
          INFO(kernels->instructions << " " << name(dtype) << " " << name(op));
          CHECK(wrong == 0);
        });
}

TEST_CASE("combine equals the scalar definition in long vectors, which are asked for ahead") {
  constexpr std::size_t kLong = 20'001;
  for (const ReduceKernels* kernels : all_kernels())
    for (const DType dtype : kDTypes)
      for (const Op op : kOps)
        dispatch_dtype(dtype, [&]<class T>(std::type_identity<T>) {
          const auto into = values<T>(kLong + 2, 1), from = values<T>(kLong, 2);
          auto right = into;
          for (std::size_t i = 0; i < kLong; ++i) right[1 + i] = scalar(op, into[1 + i], from[i]);
          const auto found = with_bytes(into, 1, [&](std::byte* data) {
            kernels->combine[static_cast<std::size_t>(dtype)][static_cast<std::size_t>(op)](
                data, std::as_bytes(std::span(from)).data(), static_cast<Count>(kLong));
          });
          INFO(kernels->instructions << " " << name(dtype) << " " << name(op));
          CHECK(same(found, right));
        });
}

TEST_CASE("products of all pairs of 8-bit integers wrap around") {
  std::vector<std::uint8_t> a, b, right;
  for (int x = 0; x < 256; ++x)
    for (int y = 0; y < 256; ++y) {
      a.push_back(static_cast<std::uint8_t>(x)), b.push_back(static_cast<std::uint8_t>(y));
      right.push_back(static_cast<std::uint8_t>(x * y));
    }
  for (const ReduceKernels* kernels : all_kernels())
    for (const DType dtype : {DType::int8, DType::uint8}) {
      const auto found = with_bytes(a, 0, [&](std::byte* data) {
        kernels->combine[static_cast<std::size_t>(dtype)][static_cast<std::size_t>(Op::prod)](
            data, std::as_bytes(std::span(b)).data(), std::ssize(b));
      });
      INFO(kernels->instructions << " " << name(dtype));
      CHECK(found == right);
    }
}

TEMPLATE_TEST_CASE("sums and products of extreme 16-bit floats equal the scalar definition", "",
                   Float16, Bfloat16) {
  constexpr DType kDType = std::is_same_v<TestType, Float16> ? DType::float16 : DType::bfloat16;
  constexpr std::uint16_t kInfinity = FloatBits<TestType>::kGreatest,
                          kLeastNormal = std::is_same_v<TestType, Float16> ? 0x0400 : 0x0080;
  std::vector<std::uint16_t> edges{0,
                                   1,
                                   2,
                                   3,
                                   kLeastNormal / 2,
                                   kLeastNormal - 1,
                                   kLeastNormal,
                                   kLeastNormal + 1,
                                   0x3bff,
                                   0x3c00,
                                   0x3c01,
                                   0x3f7f,
                                   0x3f80,
                                   0x3f81,
                                   kInfinity - 2,
                                   kInfinity - 1,
                                   kInfinity,
                                   FloatBits<TestType>::kNaN,
                                   kInfinity + 1,
                                   0x7fff};
  std::mt19937 random(3);
  for (int i = 0; i < 100; ++i) edges.push_back(static_cast<std::uint16_t>(random() & 0x7fff));
  for (std::size_t i = 0, count = edges.size(); i < count; ++i)
    edges.push_back(static_cast<std::uint16_t>(edges[i] | 0x8000u));
  std::vector<TestType> a, b;
  for (const std::uint16_t x : edges)
    for (const std::uint16_t y : edges) a.push_back({x}), b.push_back({y});
  for (const ReduceKernels* kernels : all_kernels())
    for (const Op op : {Op::sum, Op::prod}) {
      const auto found = with_bytes(a, 0, [&](std::byte* data) {
        kernels->combine[static_cast<std::size_t>(kDType)][static_cast<std::size_t>(op)](
            data, std::as_bytes(std::span(b)).data(), std::ssize(b));
      });
      int wrong = 0;
      for (std::size_t i = 0; i < a.size(); ++i) {
        const TestType right = scalar(op, a[i], b[i]);
        const bool is_nan = std::isnan(to_float(right));
        wrong += (is_nan ? std::isnan(to_float(found[i])) : found[i].bits == right.bits) ? 0 : 1;
      }
      INFO(kernels->instructions << " " << name(kDType) << " " << name(op));
      CHECK(wrong == 0);
    }
}

TEST_CASE("scale equals the scalar definition") {
  for (const ReduceKernels* kernels : all_kernels())
    for (const DType dtype : kDTypes)
      dispatch_dtype(dtype, [&]<class T>(std::type_identity<T>) {
        int wrong = 0;
        for (const std::size_t length : kLengths)
          for (const Rank divisor : {1, 2, 3, 7, 1000}) {
            const auto before = values<T>(length + 2, 3);
            auto right = before;
            for (std::size_t i = 1; i <= length; ++i) right[i] = divided(before[i], divisor);
            const auto found = with_bytes(before, 1, [&](std::byte* data) {
              kernels->scale[static_cast<std::size_t>(dtype)](data, static_cast<Count>(length),
                                                              divisor);
            });
            wrong += same(found, right) ? 0 : 1;
          }
        INFO(kernels->instructions << " " << name(dtype));
        CHECK(wrong == 0);
      });
}

TEST_CASE("memory may be reduced into itself") {
  std::vector<std::int32_t> x{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
  auto* const bytes = std::as_writable_bytes(std::span(x)).data();
  reduce_into(bytes, bytes, std::ssize(x), {DType::int32, Op::sum});
  CHECK(x.front() == 2);
  CHECK(x.back() == 22);
}

TEST_CASE("unaligned bytes are reduced") {
  const double a = 1.5, b = 2.25;
  std::byte raw[2 * sizeof(double) + 1];
  std::memcpy(raw + 1, &a, sizeof a);
  std::memcpy(raw + 1 + sizeof a, &b, sizeof b);
  reduce_into(raw + 1, raw + 1 + sizeof a, 1, {DType::float64, Op::sum});
  double sum = 0;
  std::memcpy(&sum, raw + 1, sizeof sum);
  CHECK(sum == 3.75);
}

TEST_CASE("the processor's best instructions are in use") {
  CHECK(reduce_instructions() == all_kernels().back()->instructions);
}
