// Which of several trainings had the fastest step, and which the best accuracy.
#include <fmt/format.h>

#include <algorithm>

#include "bench/text/units.hpp"
#include "bench/training/gradient_options.hpp"
#include "bench/training/train/report.hpp"

namespace arlab::bench {
namespace {

struct NamedPart {
  bool differs = false;
  std::string (*text)(const TrainResult&) = nullptr;
};

double step_us(const TrainResult& r) {
  const training::StepCosts its = timed(r);
  return its.steps > 0 ? its.seconds * 1e6 / static_cast<double>(its.steps) : 0;
}

// What tells a training from the others: "int8", "4 workers, local_sgd".
std::vector<std::string> names_of(const std::vector<TrainResult>& results) {
  NamedPart parts[] = {
      {false, [](const TrainResult& r) { return std::string(r.config.architecture->name); }},
      {false, [](const TrainResult& r) { return show_plural(r.config.workers, "worker"); }},
      {false, [](const TrainResult& r) { return r.config.learning.strategy; }},
      {false, [](const TrainResult& r) { return r.config.ranks > 1 ? r.route : ""; }},
      {false,
       [](const TrainResult& r) { return scheduler_text(r.config.learning.options.gradients); }},
      {false,
       [](const TrainResult& r) { return compressor_label(r.config.learning.options.gradients); }}};
  for (NamedPart& part : parts)
    part.differs = std::any_of(results.begin(), results.end(), [&](const TrainResult& r) {
      return part.text(r) != part.text(results.front());
    });
  std::vector<std::string> names;
  for (const TrainResult& r : results) {
    std::string& name = names.emplace_back();
    for (const NamedPart& part : parts)
      if (const std::string text = part.differs ? part.text(r) : ""; !text.empty())
        name += (name.empty() ? "" : ", ") + text;
  }
  return names;
}

}  // namespace

std::string explain_fastest(const std::vector<TrainResult>& results) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < results.size(); ++i)
    if (step_us(results[i]) > 0) order.push_back(i);
  if (order.size() < 2) return "";
  const std::vector<std::string> names = names_of(results);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return step_us(results[a]) < step_us(results[b]);
  });
  const double best = step_us(results[order.front()]);
  std::string text = fmt::format("Fastest step: {}, {}", names[order.front()], show_time(best));
  for (std::size_t i = 1; i < order.size(); ++i)
    text += fmt::format("; {} takes {:.2f} times as long", names[order[i]],
                        step_us(results[order[i]]) / best);
  text += ".\n";
  const auto accuracy_of = [&](std::size_t i) { return accuracy(total(results[i]).validation); };
  const auto most = *std::max_element(
      order.begin(), order.end(), [&](auto a, auto b) { return accuracy_of(a) < accuracy_of(b); });
  if (total(results[most]).validation.samples == 0) return text;
  text +=
      fmt::format("Best validation accuracy: {}, {:.1f}%", names[most], 100 * accuracy_of(most));
  if (most != order.front())
    text += fmt::format("; {} has {:.1f}%", names[order.front()], 100 * accuracy_of(order.front()));
  return text + ".\n";
}

}  // namespace arlab::bench
