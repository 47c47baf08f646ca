// Statistics of repeated timings: order statistics, since timings are skewed and never normal.
#pragma once

#include <cstdint>
#include <vector>

namespace arlab::bench {

struct Summary {
  std::int64_t samples = 0;
  double median = 0;
  double low = 0, high = 0;  ///< 95% confidence interval of the median
  double min = 0;
  double p99 = 0;
};

/// Expects at least one sample. The interval follows from the binomial distribution of ranks (Le
/// Boudec, Performance Evaluation of Computer and Communication Systems, 2010, theorem 2.1). With
/// fewer than six samples it is the whole range, whose confidence is below 95%.
Summary summarize(std::vector<double> samples);

/// Returns the summary of one exact value, such as a simulated time.
Summary exactly(double value);

}  // namespace arlab::bench
