// From "topk:ratio=0.01,feedback=off" to a checked choice, and back.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>

#include "algorithms/algorithm.hpp"
#include "algorithms/base/error.hpp"
#include "training/compressors/compressor.hpp"

namespace arlab::training {
namespace {

constexpr std::string_view kFeedback = "feedback";

std::string number(double value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

double parse_number(std::string_view text, const std::string& what) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    fail(Blame::usage, what + " is '" + std::string(text) + "': give a number");
  return value;
}

void check(const CompressorKind& kind, const CompressorParameter& p, double value) {
  if (value >= p.least && value <= p.most && (!p.whole || value == std::floor(value))) return;
  fail(Blame::usage, "parameter " + std::string(p.name) + " of compressor " +
                         std::string(kind.name) + " is " + number(value) + ": give " +
                         (p.whole ? "a whole number" : "a number") + " from " + number(p.least) +
                         " to " + number(p.most));
}

[[noreturn]] void unknown_parameter(const CompressorKind& kind, std::string_view given) {
  std::vector<std::string_view> names{kFeedback};
  for (const CompressorParameter& p : kind.parameters) names.push_back(p.name);
  fail(Blame::usage, "compressor " + std::string(kind.name) + " has no parameter '" +
                         std::string(given) + "'" + did_you_mean(given, names) +
                         ": `arlab list compressors` names them");
}

}  // namespace

const CompressorKind& find_compressor(std::string_view name) {
  std::vector<std::string_view> names;
  for (const CompressorKind& kind : compressors()) {
    if (kind.name == name) return kind;
    names.push_back(kind.name);
  }
  fail(Blame::usage, "unknown compressor '" + std::string(name) + "'" + did_you_mean(name, names) +
                         ": `arlab list compressors` names all");
}

CompressorChoice choose_compressor(const CompressorKind& kind, const simulator::Values& values,
                                   std::optional<bool> feedback) {
  CompressorChoice choice{&kind, {}, feedback.value_or(kind.feedback == Feedback::on)};
  for (const CompressorParameter& p : kind.parameters)
    choice.values.emplace(std::string(p.name), p.default_value);
  for (const auto& [name, value] : values) {
    const auto found = choice.values.find(name);
    if (found == choice.values.end()) unknown_parameter(kind, name);
    found->second = value;
  }
  for (const CompressorParameter& p : kind.parameters)
    check(kind, p, choice.values.find(p.name)->second);
  if (feedback && kind.feedback == Feedback::built_in)
    fail(Blame::usage, "compressor " + std::string(kind.name) +
                           " has its error feedback built in: leave feedback out");
  return choice;
}

CompressorChoice choose_compressor(std::string_view spec) {
  const auto colon = spec.find(':');
  const CompressorKind& kind = find_compressor(spec.substr(0, colon));
  std::string_view rest = colon == spec.npos ? "" : spec.substr(colon + 1);
  simulator::Values values;
  std::optional<bool> feedback;
  while (!rest.empty()) {
    const std::string_view setting = rest.substr(0, rest.find(','));
    rest = setting.size() == rest.size() ? "" : rest.substr(setting.size() + 1);
    const auto equals = setting.find('=');
    const std::string_view name = setting.substr(0, equals);
    const std::string_view value = equals == setting.npos ? "" : setting.substr(equals + 1);
    const std::string what =
        "parameter " + std::string(name) + " of compressor " + std::string(kind.name);
    if (name == kFeedback) {
      if (value != "on" && value != "off")
        fail(Blame::usage, what + " is '" + std::string(value) + "': give on or off");
      feedback = value == "on";
      continue;
    }
    const auto known = [&](const CompressorParameter& p) { return p.name == name; };
    if (std::none_of(kind.parameters.begin(), kind.parameters.end(), known))
      unknown_parameter(kind, name);
    if (!values.emplace(std::string(name), parse_number(value, what)).second)
      fail(Blame::usage, what + " is given twice: give it once");
  }
  return choose_compressor(kind, values, feedback);
}

std::string text(const CompressorChoice& choice) {
  std::string text(choice.kind->name);
  char separator = ':';
  for (const CompressorParameter& p : choice.kind->parameters) {
    text += separator + std::string(p.name) + "=" + number(choice.values.find(p.name)->second);
    separator = ',';
  }
  if (choice.kind->feedback != Feedback::built_in)
    text += std::string(1, separator) + "feedback=" + (choice.feedback ? "on" : "off");
  return text;
}

}  // namespace arlab::training
