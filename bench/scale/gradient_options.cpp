#include "bench/scale/gradient_options.hpp"

#include <fmt/format.h>

#include "algorithms/base/parameters.hpp"
#include "training/schedulers/scheduler.hpp"

namespace arlab::bench {

void set_scheduler(training::GradientOptions& options, const std::string& spec) {
  const NamedSettings parsed = parse_spec(spec);
  const training::SchedulerKind& kind = training::find_scheduler(parsed.name);
  options.scheduler = kind.name;
  const std::string owner = fmt::format("scheduler {}", kind.name);
  options.scheduling = parse_values(kind.parameters, parsed.settings, owner);
  with_defaults(kind.parameters, options.scheduling, owner);  // checks the ranges
}

void set_compressor(training::GradientOptions& options, const std::string& spec) {
  options.compressor.reset();
  if (spec != "none") options.compressor = training::choose_compressor(spec);
}

std::string scheduler_text(const training::GradientOptions& options) {
  std::string text = options.scheduler;
  char separator = ':';
  for (const auto& [name, value] : options.scheduling) {
    text += fmt::format("{}{}={}", separator, name, value);
    separator = ',';
  }
  return text;
}

std::string compressor_text(const training::GradientOptions& options) {
  return options.compressor ? training::text(*options.compressor) : "none";
}

std::string compressor_label(const training::GradientOptions& options) {
  if (!options.compressor) return "none";
  const training::CompressorChoice& choice = *options.compressor;
  std::string label(choice.kind->name);
  char separator = ':';
  const auto add = [&](const std::string& setting) {
    label += separator + setting;
    separator = ',';
  };
  for (const Parameter& p : choice.kind->parameters)
    if (const double value = choice.values.find(p.name)->second; value != default_of(p))
      add(fmt::format("{}={}", p.name, value));
  if (choice.kind->feedback != training::Feedback::built_in &&
      choice.feedback != (choice.kind->feedback == training::Feedback::on))
    add(choice.feedback ? "feedback=on" : "feedback=off");
  return label;
}

}  // namespace arlab::bench
