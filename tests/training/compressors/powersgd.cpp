// PowerSGD: factors are orthonormal, and with warm start the error falls to that of the best matrix
// of the rank, which the test knows by construction.
#include <algorithm>
#include <limits>

#include "tests/support/catch.hpp"
#include "tests/support/compressors.hpp"
#include "training/compressors/low_rank.hpp"

using namespace arlab;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

constexpr Count kRows = 40, kColumns = 30, kKnown = 8;

/// Returns a matrix with the singular values 1, 0.8, 0.64, ...
std::vector<float> known_matrix() {
  auto u = test::gradient(kKnown * kRows, 1), v = test::gradient(kKnown * kColumns, 2);
  orthonormalize(u.data(), kRows, kKnown);
  orthonormalize(v.data(), kColumns, kKnown);
  std::vector<float> matrix(kRows * kColumns);
  float value = 1;
  for (Count k = 0; k < kKnown; ++k, value *= 0.8f)
    add_product(&u[static_cast<std::size_t>(k * kRows)], &v[static_cast<std::size_t>(k * kColumns)],
                {.rows = kRows, .columns = kColumns, .rank = 1}, value, matrix.data());
  return matrix;
}

/// Returns the Frobenius norm of the error of the best matrix of this rank. Eckart & Young, 1936.
double best_error(int rank) {
  double square = 0;
  for (int k = rank; k < kKnown; ++k) square += std::pow(0.64, k);
  return std::sqrt(square);
}

double error(std::span<const float> a, std::span<const float> b) {
  double square = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    square += (double{a[i]} - double{b[i]}) * (double{a[i]} - double{b[i]});
  return std::sqrt(square);
}

std::vector<double> errors(const std::string& spec, int steps) {
  const auto matrix = known_matrix();
  const auto compressor =
      make_compressor(choose_compressor(spec), {{kRows, kColumns}}, Aggregation::allreduce);
  std::vector<double> all;
  for (int step = 0; step < steps; ++step)
    all.push_back(error(test::through(*compressor, matrix, {.seed = 5, .step = step}), matrix));
  return all;
}

}  // namespace

TEST_CASE("with warm start, the error falls to that of the best matrix of the rank") {
  const auto warm = errors("powersgd:rank=2,feedback=off", 30);
  CHECK(warm[1] < warm[0]);
  CHECK(warm[4] < warm[1]);
  CHECK(warm.back() < 1.01 * best_error(2));
  CHECK(warm.back() > 0.99 * best_error(2));
  const auto cold = errors("powersgd:rank=2,feedback=off,warm=0", 30);
  CHECK(cold.back() > 1.05 * best_error(2));
}

TEST_CASE("a matrix of at most that rank is exact") {
  CHECK(errors("powersgd:rank=8,feedback=off", 2).back() < 1e-5);
}

TEST_CASE("columns are orthonormal, and dependent ones become zero") {
  auto p = test::gradient(4 * kRows);
  for (Count i = 0; i < kRows; ++i)
    p[static_cast<std::size_t>(2 * kRows + i)] =
        2 * p[static_cast<std::size_t>(i)] - p[static_cast<std::size_t>(kRows + i)];
  orthonormalize(p.data(), kRows, 4);
  for (Count a = 0; a < 4; ++a)
    for (Count b = 0; b < 4; ++b) {
      double dot = 0;
      for (Count i = 0; i < kRows; ++i)
        dot += double{p[static_cast<std::size_t>(a * kRows + i)]} *
               double{p[static_cast<std::size_t>(b * kRows + i)]};
      CHECK(std::fabs(dot - (a == b && a != 2 ? 1 : 0)) < 1e-5);
    }
}

TEST_CASE("zero gradients do not stop the power iteration") {
  const auto compressor = make_compressor(choose_compressor("powersgd:rank=2"), {{kRows, kColumns}},
                                          Aggregation::allreduce);
  const std::vector<float> zeros(kRows * kColumns);
  for (int step = 0; step < 3; ++step)
    CHECK(test::through(*compressor, zeros, {.step = step}) == zeros);
  const auto matrix = known_matrix();
  CHECK(error(test::through(*compressor, matrix, {.step = 3}), matrix) < error(zeros, matrix));
}

TEST_CASE("gradients of any size: scaled by a power of two, so is the result") {
  const auto matrix = known_matrix();
  for (const float scale : {0x1p-40F, 0x1p-20F, 0x1p20F}) {
    const auto make = [] {
      return make_compressor(choose_compressor("powersgd:rank=3,feedback=off"), {{kRows, kColumns}},
                             Aggregation::allreduce);
    };
    const auto plain = make(), scaled = make();
    auto small = matrix;
    for (float& x : small) x *= scale;
    // The second step starts from a Q that is scaled, too.
    for (int step = 0; step < 2; ++step) {
      auto wanted = test::through(*plain, matrix, {.seed = 5, .step = step});
      for (float& x : wanted) x *= scale;
      CHECK(test::same_bits(test::through(*scaled, small, {.seed = 5, .step = step}), wanted));
    }
  }
}

TEST_CASE("vectors, and matrices that would not shrink, travel uncompressed") {
  const TensorShapes layout{{1, 50}, {40, 30}, {3, 2}, {2, 0}, {4, 4}};
  const LowRankCut cut = cut_low_rank(layout, 2);
  CHECK(cut.matrices.size() == 1);
  CHECK(cut.dense_floats == 72);
  const CompressorChoice choice = choose_compressor("powersgd:rank=2,feedback=off");
  CHECK(choice.kind->packed(layout, choice, Aggregation::allreduce, 0) == 4 * (2 * 70 + 72));
  const auto x = test::gradient(elements(layout));
  const auto compressor = make_compressor(choice, layout, Aggregation::allreduce);
  const auto out = test::through(*compressor, x);
  CHECK(test::same_bits(std::span(out).first(50), std::span(x).first(50)));
  CHECK(test::same_bits(std::span(out).last(22), std::span(x).last(22)));
}

TEST_CASE("lost columns of Q are drawn again, the same on every rank, and the others stay") {
  const LowRank m{.rows = 9, .columns = 5, .rank = 4};
  std::vector<float> before(20, 0.5F);
  std::fill_n(before.begin() + 5, 5, 0.0F);
  before[10] = std::numeric_limits<float>::infinity();
  before[17] = std::numeric_limits<float>::quiet_NaN();
  std::vector<float> first = before, second = before, later = before;
  renew_lost_rows(first.data(), m, {.seed = 5, .step = 3, .rank = 0, .ranks = 4});
  renew_lost_rows(second.data(), m, {.seed = 5, .step = 3, .rank = 2, .ranks = 4});
  renew_lost_rows(later.data(), m, {.seed = 5, .step = 4, .rank = 0, .ranks = 4});
  CHECK(first == second);
  CHECK(std::count(first.begin(), first.begin() + 5, 0.5F) == 5);
  Count wrong = 0, same = 0;
  for (std::size_t i = 5; i < 20; ++i) {
    wrong += !(first[i] >= -1 && first[i] < 1) || first[i] == before[i];
    same += first[i] == later[i];
  }
  CHECK(wrong == 0);
  CHECK(same == 0);
}
