// min and max on all pairs and triples of special values, in every instruction set, against the
// standard's definition; and through every algorithm.
#include "collectives/reduce/extremes.hpp"

#include <atomic>

#include "collectives/reduce/kernels.hpp"
#include "collectives/reduce/reduce.hpp"
#include "collectives/threads/threads.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/kernels.hpp"
#include "tests/support/special_values.hpp"

using namespace arlab;
using namespace arlab::collectives;

namespace {

using Bits = std::vector<std::uint64_t>;

struct Pairs {
  Bits a, b;
};

// All pairs, repeated with a shift, so that each pair lies in the vector body and in the tail.
Pairs all_pairs(DType dtype) {
  Pairs pairs;
  for (int shift = 0; shift < 3; ++shift)
    for (const std::uint64_t a : special::values(dtype))
      for (const std::uint64_t b : special::values(dtype)) {
        pairs.a.push_back(a);
        pairs.b.push_back(b);
      }
  return pairs;
}

std::vector<std::byte> combined(const ReduceKernels& kernels, Operand operand,
                                std::vector<std::byte> into, const std::vector<std::byte>& from) {
  kernels.combine[static_cast<std::size_t>(operand.dtype)][static_cast<std::size_t>(operand.op)](
      into.data(), from.data(), static_cast<Count>(into.size() / size_of(operand.dtype)));
  return into;
}

}  // namespace

TEST_CASE("the definition that the tests use: a NaN wins, -0 is less than +0") {
  const auto min = [](std::uint64_t a, std::uint64_t b) {
    return special::expected(DType::float32, Op::min, a, b);
  };
  const auto bits = [](float x) { return std::uint64_t{std::bit_cast<std::uint32_t>(x)}; };
  CHECK(special::values(DType::float32).size() == 20);
  CHECK(min(bits(0.0F), bits(-0.0F)) == bits(-0.0F));
  CHECK(min(bits(-0.0F), bits(0.0F)) == bits(-0.0F));
  CHECK(special::expected(DType::float32, Op::max, bits(-0.0F), bits(0.0F)) == bits(0.0F));
  CHECK(min(bits(-3.0F), bits(2.5F)) == bits(-3.0F));
  CHECK(min(bits(-INFINITY), bits(NAN)) == 0x7fc00000u);
  CHECK(min(0xff800001u, bits(-INFINITY)) == 0x7fc00000u);
}

TEST_CASE("min and max of all pairs of special values, in every instruction set") {
  for (const ReduceKernels* kernels : all_kernels())
    for (const DType dtype : special::kTypes)
      for (const Op op : special::kOps) {
        const auto [a, b] = all_pairs(dtype);
        Bits right;
        for (std::size_t i = 0; i < a.size(); ++i)
          right.push_back(special::expected(dtype, op, a[i], b[i]));
        INFO(kernels->instructions << " " << name(dtype) << " " << name(op));
        for (const std::size_t length :
             {a.size(), a.size() - 7, a.size() / 2 - 1, std::size_t{13}}) {
          const auto first = [&](const Bits& all) {
            return special::packed(dtype, std::span(all).first(length));
          };
          CHECK(combined(*kernels, {dtype, op}, first(a), first(b)) == first(right));
          CHECK(combined(*kernels, {dtype, op}, first(b), first(a)) == first(right));
        }
      }
}

TEST_CASE("min and max of all triples of special values do not depend on the order") {
  for (const ReduceKernels* kernels : all_kernels())
    for (const DType dtype : special::kTypes)
      for (const Op op : special::kOps) {
        const Bits all = special::values(dtype);
        Bits a, b, c, right;
        for (const std::uint64_t x : all)
          for (const std::uint64_t y : all)
            for (const std::uint64_t z : all) {
              a.push_back(x), b.push_back(y), c.push_back(z);
              right.push_back(special::expected(dtype, op, special::expected(dtype, op, x, y), z));
            }
        const Operand operand{dtype, op};
        const auto step = [&](const std::vector<std::byte>& x, const std::vector<std::byte>& y) {
          return combined(*kernels, operand, x, y);
        };
        const auto x = special::packed(dtype, a), y = special::packed(dtype, b),
                   z = special::packed(dtype, c), result = special::packed(dtype, right);
        INFO(kernels->instructions << " " << name(dtype) << " " << name(op));
        CHECK(step(step(x, y), z) == result);
        CHECK(step(x, step(y, z)) == result);
        CHECK(step(step(z, x), y) == result);
        CHECK(step(y, step(z, x)) == result);
      }
}

TEST_CASE("min and max of all values of small floats with a few, against the definition") {
  for (const DType dtype : special::kSmallTypes)
    for (const Op op : special::kOps) {
      Bits every;
      for (std::uint64_t x = 0; x < 2 * special::format_of(dtype).sign(); ++x) every.push_back(x);
      for (const std::uint64_t fixed : special::values(dtype)) {
        const Bits other(every.size(), fixed);
        Bits right;
        for (const std::uint64_t x : every) right.push_back(special::expected(dtype, op, x, fixed));
        auto data = special::packed(dtype, every);
        const auto from = special::packed(dtype, other);
        reduce_into(data.data(), from.data(), std::ssize(every), {dtype, op});
        CHECK(data == special::packed(dtype, right));
      }
    }
}

TEST_CASE("replicas have the same bits after min and max, through every algorithm") {
  for (const Rank ranks : {2, 3, 4, 5, 8}) {
    std::atomic<int> wrong = 0;
    on_threads(ranks, [&](Communicator& communicator) {
      wrong += special::wrong_replicas(communicator, true);
    });
    INFO(ranks);
    CHECK(wrong == 0);
  }
}

TEST_CASE("an average of small floats is right where their sum overflows") {
  for (const Rank ranks : {1, 2, 4, 8, 16}) {
    std::atomic<int> wrong = 0;
    on_threads(ranks,
               [&](Communicator& communicator) { wrong += special::wrong_averages(communicator); });
    INFO(ranks);
    CHECK(wrong == 0);
  }
}

TEST_CASE("averages: 4 times 30000 in float16, thirds, and integers") {
  const auto average = [](auto... values) {
    using T = std::common_type_t<decltype(values)...>;
    constexpr DType kType = std::is_same_v<T, float> ? DType::float16 : DType::int32;
    const T given[] = {values...};
    T result{};
    on_threads(sizeof...(values), [&](Communicator& c) {
      const T mine = given[c.rank()];
      std::vector<std::byte> data(size_of(kType));
      const Float16 half = to_float16(static_cast<float>(mine));
      std::memcpy(data.data(), kType == DType::float16 ? static_cast<const void*>(&half) : &mine,
                  data.size());
      execute(c, find_algorithm("tree"), {.ranks = c.ranks(), .elements = 1}, data,
              {kType, Op::avg});
      if (c.rank() > 0) return;
      if constexpr (kType == DType::float16)
        result = to_float(std::bit_cast<Float16>(*reinterpret_cast<std::uint16_t*>(data.data())));
      else
        std::memcpy(&result, data.data(), sizeof result);
    });
    return result;
  };
  CHECK(average(30000.F, 30000.F, 30000.F, 30000.F) == 30000.F);
  CHECK(average(60000.F, -60000.F) == 0.F);
  CHECK(average(1.F, 2.F, 4.F) == to_float(to_float16(7.F / 3)));
  CHECK(average(-7, 0) == -3);                                 // truncated toward zero
  CHECK(average(2'000'000'000, 2'000'000'000) == -147483648);  // the sum wraps around
}

TEST_CASE("only averages are divided, and those of small floats before they are added") {
  const auto divisors = [](DType dtype, Op op, Rank ranks) {
    const AverageDivisors found = divisors_of({dtype, op}, ranks);
    return std::pair(found.before, found.after);
  };
  CHECK(divisors(DType::float16, Op::sum, 6) == std::pair(1.0, 1.0));
  CHECK(divisors(DType::float32, Op::avg, 6) == std::pair(1.0, 6.0));
  CHECK(divisors(DType::int64, Op::avg, 6) == std::pair(1.0, 6.0));
  CHECK(divisors(DType::float16, Op::avg, 6) == std::pair(8.0, 0.75));
  CHECK(divisors(DType::bfloat16, Op::avg, 8) == std::pair(8.0, 1.0));
  CHECK(divisors(DType::float16, Op::avg, 1) == std::pair(1.0, 1.0));
  CHECK(divisors(DType::float8_e4m3, Op::avg, 6) == std::pair(8.0, 0.75));
  CHECK(divisors(DType::float8_e5m2, Op::sum, 6) == std::pair(1.0, 1.0));
  CHECK(divisors(DType::int8, Op::avg, 6) == std::pair(1.0, 6.0));
}
