#include "bench/formats/metrics/exposition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "algorithms/base/error.hpp"

namespace arlab::bench {
namespace {

std::string escaped_metric_text(const std::string& text, bool is_label) {
  std::string out;
  for (const char c : text)
    if (c == '\n')
      out += "\\n";
    else if (c == '\\' || (is_label && c == '"'))
      out += std::string("\\") + c;
    else
      out += c;
  return out;
}

std::string metric_value(double value) {
  if (std::isnan(value)) return "NaN";
  if (std::isinf(value)) return value > 0 ? "+Inf" : "-Inf";
  return fmt::format("{}", value);
}

std::string labels_text(const MetricLabels& labels) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : labels)
    if (!value.empty())
      parts.push_back(fmt::format("{}=\"{}\"", name, escaped_metric_text(value, true)));
  return parts.empty() ? "" : fmt::format("{{{}}}", fmt::join(parts, ","));
}

}  // namespace

void Exposition::declare(const std::string& metric, const std::string& help) {
  metrics_.push_back({metric, help});
}

void Exposition::add(const std::string& metric, const MetricLabels& labels, double value) {
  const auto found =
      std::ranges::find_if(metrics_, [&](const Metric& m) { return m.name == metric; });
  expects(found != metrics_.end(), "a sample of a metric that is not declared");
  found->samples[labels_text(labels)] = value;
}

std::string Exposition::text() const {
  std::string text;
  for (const Metric& m : metrics_) {
    if (m.samples.empty()) continue;
    text += fmt::format("# HELP {} {}\n# TYPE {} gauge\n", m.name,
                        escaped_metric_text(m.help, false), m.name);
    for (const auto& [labels, value] : m.samples)
      text += fmt::format("{}{} {}\n", m.name, labels, metric_value(value));
  }
  return text;
}

std::size_t Exposition::samples() const {
  std::size_t all = 0;
  for (const Metric& m : metrics_) all += m.samples.size();
  return all;
}

}  // namespace arlab::bench
