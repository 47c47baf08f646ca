// Sparse codes in the sparse allreduces: the average, and no loss for good.
#include "training/compressors/sparse/sparse_aggregate.hpp"

#include <algorithm>

#include "algorithms/base/error.hpp"
#include "collectives/threads/threads.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/compressors.hpp"

using namespace arlab;
using namespace arlab::simulator;
using namespace arlab::collectives;
using namespace arlab::training;

TEST_CASE("sparse allreduces of codes give the average, and lose nothing for good") {
  constexpr Count n = 400;
  constexpr Rank ranks = 3;
  constexpr int kSteps = 6;
  for (const char* spec : {"topk:ratio=0.05", "threshold:tau=0.5", "dgc:momentum=0,warm_up=1"})
    for (const SparsePath path : {SparsePath::doubling, SparsePath::balanced}) {
      INFO(spec << (path == SparsePath::doubling ? " doubling" : " balanced"));
      std::vector<std::vector<float>> out(ranks);  // of the last step
      std::vector<std::vector<double>> left(ranks, std::vector<double>(n));
      on_threads(ranks, [&](Communicator& communicator) {
        const Rank me = communicator.rank();
        const auto aggregator = make_sparse_aggregator(choose_compressor(spec), flat(n), path);
        auto& gap = left[static_cast<std::size_t>(me)];
        for (int step = 0; step < kSteps; ++step) {
          auto x = test::gradient(n, me, step);
          for (std::size_t i = 0; i < n; ++i) gap[i] += double{x[i]};
          aggregator.run(communicator, x, {.step = step, .rank = me, .ranks = ranks});
          for (std::size_t i = 0; i < n; ++i) gap[i] -= double{x[i]};  // summed over all ranks
          out[static_cast<std::size_t>(me)] = x;
        }
        std::vector<float> residual;  // comes last in the state
        aggregator.visit_state([&](std::span<float> s) { residual.assign(s.begin(), s.end()); });
        for (std::size_t i = 0; i < n; ++i) gap[i] -= double{residual[i]};
      });
      for (const auto& x : out) CHECK(test::same_bits(x, out[0]));
      CHECK(std::count_if(out[0].begin(), out[0].end(), [](float x) { return x != 0; }) > 0);
      double worst = 0;
      for (std::size_t i = 0; i < n; ++i)
        worst = std::max(worst, std::fabs(left[0][i] + left[1][i] + left[2][i]));
      CHECK(worst < 1e-4);
    }
  CHECK_THROWS_AS(make_sparse_aggregator(choose_compressor("fp16"), flat(1), SparsePath::doubling),
                  Error);
  CHECK_THROWS_AS(
      make_sparse_aggregator(choose_compressor("topk:halves=1"), flat(1), SparsePath::doubling),
      Error);
}
