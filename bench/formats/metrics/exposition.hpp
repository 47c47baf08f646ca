// Exposition: metrics in Prometheus' text format, version 0.0.4, as the textfile collector of
// node_exporter reads it. All are gauges, without timestamps, which that collector refuses.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace arlab::bench {

/// Names and values. Labels with empty values are left out, since they mean the same.
using MetricLabels = std::vector<std::pair<std::string, std::string>>;

class Exposition {
 public:
  /// Metrics come in the order in which they are declared; those without samples are left out.
  void declare(const std::string& metric, const std::string& help);

  /// Expects a declared metric. The last of several samples with the same labels counts.
  void add(const std::string& metric, const MetricLabels& labels, double value);

  std::string text() const;
  std::size_t samples() const;

 private:
  struct Metric {
    std::string name, help;
    std::map<std::string, double> samples = {};  // by labels as they are written
  };
  std::vector<Metric> metrics_;
};

}  // namespace arlab::bench
