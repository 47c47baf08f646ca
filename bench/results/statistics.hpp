// Statistics of repeated timings: order statistics only, since timings are skewed and never normal.
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

/// At least one sample. The interval is that of the binomial distribution of ranks (Le Boudec,
/// Performance Evaluation of Computer and Communication Systems, 2010, theorem 2.1); below six
/// samples it is the whole range, which is less sure.
Summary summarize(std::vector<double> samples);

/// One exact value, as a simulation gives.
Summary exactly(double value);

}  // namespace arlab::bench
