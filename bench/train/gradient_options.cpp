#include "bench/train/gradient_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "algorithms/algorithm.hpp"
#include "algorithms/base/error.hpp"
#include "bench/cli/units.hpp"

namespace arlab::bench {
namespace {

double value_of(const simulator::Parameter& p, std::string_view text, const std::string& what) {
  if (p.unit == simulator::Parameter::Unit::bytes)
    return static_cast<double>(parse_count(text, what));
  if (p.unit == simulator::Parameter::Unit::time) return parse_time(text, what);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    fail(Blame::usage, fmt::format("{} is '{}': give a number", what, text));
  return value;
}

}  // namespace

void set_scheduler(training::GradientOptions& options, const std::string& spec) {
  const auto colon = spec.find(':');
  const training::SchedulerKind& kind = training::find_scheduler(spec.substr(0, colon));
  options.scheduler = kind.name;
  options.scheduling.clear();
  std::string_view rest = colon == spec.npos ? "" : std::string_view(spec).substr(colon + 1);
  while (!rest.empty()) {
    const std::string_view setting = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), setting.size() + 1));
    const auto equals = setting.find('=');
    const std::string_view name = setting.substr(0, equals);
    const std::string_view text = equals == setting.npos ? "" : setting.substr(equals + 1);
    const auto found = std::find_if(kind.parameters.begin(), kind.parameters.end(),
                                    [&](const simulator::Parameter& p) { return p.name == name; });
    if (found == kind.parameters.end()) {
      std::vector<std::string_view> names;
      for (const simulator::Parameter& p : kind.parameters) names.push_back(p.name);
      fail(Blame::usage, fmt::format("scheduler {} has no parameter '{}'{}: `arlab list "
                                     "schedulers` names them",
                                     kind.name, name, did_you_mean(name, names)));
    }
    options.scheduling[std::string(name)] =
        value_of(*found, text, fmt::format("parameter {} of scheduler {}", name, kind.name));
  }
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
  for (const training::CompressorParameter& p : choice.kind->parameters)
    if (const double value = choice.values.find(p.name)->second; value != p.default_value)
      add(fmt::format("{}={}", p.name, value));
  if (choice.kind->feedback != training::Feedback::built_in &&
      choice.feedback != (choice.kind->feedback == training::Feedback::on))
    add(choice.feedback ? "feedback=on" : "feedback=off");
  return label;
}

}  // namespace arlab::bench
