// From "topk:ratio=0.01,feedback=off" to a checked choice, and back.
#include <algorithm>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "algorithms/base/text.hpp"
#include "training/compressors/compressor.hpp"

namespace arlab::training {
namespace {

constexpr std::string_view kFeedback = "feedback";

std::string owner_of(const CompressorKind& kind) { return concat("compressor ", kind.name); }

}  // namespace

const CompressorKind& find_compressor(std::string_view name) {
  return find_named(compressors(), name, "compressor");
}

CompressorChoice choose_compressor(const CompressorKind& kind, const Values& values,
                                   std::optional<bool> feedback) {
  const std::string owner = owner_of(kind);
  expect_known(kind.parameters, values, owner);
  if (feedback && kind.feedback == Feedback::built_in)
    fail(Blame::usage, concat(owner, " has its error feedback built in: leave feedback out"));
  const Values all = with_defaults(kind.parameters, values, owner);
  const std::string why = feedback.value_or(false) && kind.no_feedback ? kind.no_feedback(all) : "";
  if (!why.empty())
    fail(Blame::usage,
         concat(owner, " with feedback=on would diverge: its code is not a contraction, ", why));
  return {&kind, all, feedback.value_or(kind.feedback == Feedback::on), nullptr};
}

Count warm_up_of(const CompressorChoice& choice) {
  return choice.kind->warm_up ? choice.kind->warm_up(choice) : 0;
}

bool has_sparse_sums(const CompressorChoice& choice) {
  const auto halves = choice.values.find("halves");
  return choice.kind->sparse && (halves == choice.values.end() || halves->second == 0);
}

std::string caution_of(const CompressorChoice& choice) {
  const CompressorKind& kind = *choice.kind;
  if (kind.feedback == Feedback::on && !choice.feedback)
    return concat(
        owner_of(kind),
        " without error feedback: later steps do not make up for what a code leaves out, so "
        "training may stall or diverge; leave feedback=off out");
  return kind.caution.empty() ? "" : concat(owner_of(kind), ": ", kind.caution);
}

CompressorChoice choose_compressor(std::string_view spec) {
  NamedSettings parsed = parse_spec(spec);
  const CompressorKind& kind = find_compressor(parsed.name);
  auto& settings = parsed.settings;
  std::optional<bool> feedback;
  const auto given = std::find_if(settings.begin(), settings.end(),
                                  [](const Setting& s) { return s.name == kFeedback; });
  if (given != settings.end()) {
    if (given->value != "on" && given->value != "off")
      fail(Blame::usage, concat("parameter feedback of ", owner_of(kind), " is '", given->value,
                                "': give on or off"));
    feedback = given->value == "on";
    settings.erase(given);
  }
  return choose_compressor(kind, parse_values(kind.parameters, settings, owner_of(kind)), feedback);
}

SharedVectorKernels kernels_of(const CompressorChoice& choice) {
  return choice.kind->on_gpu && choice.kernels ? choice.kernels : processor_kernels();
}

std::string text(const CompressorChoice& choice) {
  std::string text(choice.kind->name);
  char separator = ':';
  for (const Parameter& p : choice.kind->parameters) {
    text += concat(separator, p.name, "=", show_value(p, choice.values.find(p.name)->second));
    separator = ',';
  }
  if (choice.kind->feedback != Feedback::built_in)
    text += concat(separator, "feedback=", choice.feedback ? "on" : "off");
  return text;
}

}  // namespace arlab::training
