#include "bench/training/gradient_options.hpp"

#include <fmt/format.h>

#include "algorithms/base/error.hpp"
#include "algorithms/base/parameters.hpp"
#include "algorithms/base/read_number.hpp"
#include "bench/options/settings.hpp"
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

training::CodecCost parse_codec_cost(const std::string& text, std::string_view or_else) {
  if (text == "0") return {};
  const auto comma = text.find(',');
  const std::string parts[] = {text.substr(0, comma),
                               comma == text.npos ? "" : text.substr(comma + 1)};
  constexpr double kMost = 1e6;  // a millisecond
  double ns[2] = {};
  for (int i = 0; i < 2; ++i) {
    ns[i] = read_number<double>(parts[i]).value_or(-1);
    if (!(ns[i] >= 0) || ns[i] > kMost)
      fail(Blame::usage, fmt::format("--compute codec is '{}': give nanoseconds to encode and to "
                                     "decode an element, at most 1e6, such as 1.2,0.4{}",
                                     text, or_else));
  }
  return {ns[0] * 1e-9, ns[1] * 1e-9};
}

std::string scheduler_text(const training::GradientOptions& options) {
  std::string text = options.scheduler;
  for (const auto& [name, value] : options.scheduling)
    append_settings(text, fmt::format("{}={}", name, value));
  return text;
}

std::string compressor_text(const training::GradientOptions& options) {
  return options.compressor ? training::text(*options.compressor) : "none";
}

std::string compressor_label(const training::GradientOptions& options) {
  if (!options.compressor) return "none";
  const training::CompressorChoice& choice = *options.compressor;
  std::string label(choice.kind->name);
  for (const Parameter& p : choice.kind->parameters)
    if (const double value = choice.values.find(p.name)->second; value != default_of(p))
      append_settings(label, fmt::format("{}={}", p.name, value));
  if (choice.kind->feedback != training::Feedback::built_in &&
      choice.feedback != (choice.kind->feedback == training::Feedback::on))
    append_settings(label, choice.feedback ? "feedback=on" : "feedback=off");
  return label;
}

}  // namespace arlab::bench
