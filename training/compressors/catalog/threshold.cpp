// threshold: sends all elements whose magnitude is above tau, with their positions.
//
// Strom, Scalable distributed DNN training using commodity GPU cloud computing, Interspeech 2015
// (here with whole values). Dutta et al., AAAI 2020, find it better than top-k at equal bytes.
#include "training/compressors/codec_work.hpp"
#include "training/compressors/codes.hpp"
#include "training/compressors/sparse/sparse_compressor.hpp"

namespace arlab::training::compressor_catalog {
namespace {

std::unique_ptr<Compressor> make(const TensorShapes&, const CompressorChoice& choice, Aggregation) {
  return magnitudes_above(static_cast<float>(value(choice, "tau")));
}

// Counts, then selects; how many is not known here.
CodecWork work(const CompressorChoice&, Count) { return {.encode = 2 * kMovesFloat}; }

}  // namespace

CompressorKind threshold() {
  return sparse_kind({
      .name = "threshold",
      .label = "threshold",
      .summary = "all elements with magnitudes above tau, with their positions",
      .source = "Strom, Interspeech 2015",
      .size = "8 bytes per element above tau",
      .special_values = "NaN and infinities count as above every tau",
      .parameters = {{"tau", Parameter::Unit::number, "0.01", "largest magnitude that is not sent",
                      0, 3e38}},
      .feedback = Feedback::on,
      .work = work,
      .make = make,
  });
}

}  // namespace arlab::training::compressor_catalog
