// Statistics of repeated timings: order statistics, since timings are skewed and never normal.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace arlab::bench {

struct Summary {
  std::int64_t samples = 0;
  double median = 0;
  double low = 0, high = 0;  ///< 95% confidence interval of the median
  double min = 0;
  double p99 = 0;
  double p90 = 0, max = 0;
  double mean = 0, deviation = 0;  ///< the deviation is that of the sample; 0 of one
};

/// Returns the probability that the interval of this number of samples holds the median: at least
/// 0.95 from six samples on.
double coverage(std::int64_t samples);

/// Expects at least one sample. The interval follows from the binomial distribution of ranks (Le
/// Boudec, Performance Evaluation of Computer and Communication Systems, 2010, theorem 2.1). With
/// fewer than six samples it is the whole range, whose confidence is below 95%.
Summary summarize(std::vector<double> samples);

/// A 95% confidence interval.
struct Interval {
  double low = 0, high = 0;
};
/// Returns that of the mean of a series of positive times, from the means of at most 20 blocks of
/// neighbors, which depend on each other less than neighbors do (Student's t). Nothing with fewer
/// than two values.
std::optional<Interval> mean_interval(const std::vector<double>& series);

/// Returns the summary of one exact value, such as a simulated time.
Summary exactly(double value);

}  // namespace arlab::bench
