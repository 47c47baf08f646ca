#include "training/compressors/sparse/sparse_aggregate.hpp"

#include <algorithm>
#include <numeric>
#include <string>

#include "algorithms/base/error.hpp"
#include "collectives/host/gatherv.hpp"
#include "training/compressors/sparse/sparse_balanced.hpp"
#include "training/compressors/sparse/sparse_doubling.hpp"

namespace arlab::training {
namespace {

class BySparseSum {
 public:
  BySparseSum(const CompressorChoice& choice, const TensorShapes& layout, SparsePath path,
              const Routes& routes)
      : elements_(elements(layout)),
        path_(path),
        options_{.allreduce = routes.allreduce, .all_gather = routes.all_gather},
        balanced_(elements_, options_),
        compressor_(make_compressor(choice, layout, Aggregation::all_gather)) {}

  void run(collectives::Communicator& communicator, std::span<float> gradient,
           const EncodeContext& o) {
    if (static_cast<Count>(gradient.size()) != elements_)
      fail(Blame::usage, "a gradient of " + std::to_string(gradient.size()) +
                             " elements, but the compressor expects " + std::to_string(elements_));
    SparseVector mine = entries_of(compressor_->encode(gradient, o));
    std::fill(gradient.begin(), gradient.end(), 0.0f);
    if (path_ == SparsePath::doubling) {
      const SparseSum sum = sum_by_doubling(communicator, std::move(mine), elements_);
      if (sum.is_dense)
        std::copy(sum.vector.begin(), sum.vector.end(), gradient.begin());
      else
        add_to(gradient, sum.entries);
    } else {
      add_to(gradient, largest_of_sum(communicator, mine));
    }
    for (float& x : gradient) x /= static_cast<float>(o.ranks);
    compressor_->finish(gradient, o);
  }
  void visit_state(const StateVisitor& visit) { compressor_->visit_state(visit); }

 private:
  /// Returns as many entries of the sum as a rank has on average, the same number on every rank.
  SparseVector largest_of_sum(collectives::Communicator& communicator,
                              std::span<const Entry> mine) {
    const auto counts = collectives::gather_counts(communicator, *options_.all_gather,
                                                   static_cast<Count>(mine.size()));
    const Count all = std::accumulate(counts.begin(), counts.end(), Count{0});
    const Count keep = (all + communicator.ranks() - 1) / communicator.ranks();
    const SparseVector kept = balanced_.run(communicator, mine, keep);
    auto next = kept.begin();
    for (const Entry& e : mine) {
      next = std::find_if(next, kept.end(), [&](const Entry& k) { return k.at >= e.at; });
      if (next == kept.end() || next->at != e.at) compressor_->give_back(e.at, e.value);
    }
    return kept;
  }

  Count elements_;
  SparsePath path_;
  BalancedOptions options_;
  BalancedSum balanced_;
  std::unique_ptr<Compressor> compressor_;
};

}  // namespace

Aggregator make_sparse_aggregator(const CompressorChoice& choice, const TensorShapes& layout,
                                  SparsePath path, const Routes& routes) {
  if (!has_sparse_sums(choice))
    fail(Blame::usage, "compressor " + text(choice) +
                           " does not make codes of positions and floats: use topk, threshold or "
                           "dgc with a sparse allreduce");
  return aggregator_of<BySparseSum>(choice, layout, path, routes);
}

}  // namespace arlab::training
