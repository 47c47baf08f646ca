#include "bench/models.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "bench/units.hpp"

namespace arlab {

void ModelOptions::add(CLI::App& verb) {
  std::string names;
  for (const Model& m : models()) names += (names.empty() ? "" : " or ") + std::string(m.name);
  verb.add_option("--model", model,
                  names + " (default " + model + "); `arlab list models` explains them");
  std::map<std::string, std::string> help;
  for (const Model& m : models())
    for (const Parameter& p : m.parameters) {
      std::string& text = help[std::string(p.name)];
      if (text.find(p.help) == std::string::npos)
        text += (text.empty() ? "" : "; ") + std::string(p.help);
    }
  for (const auto& [name, text] : help)
    verb.add_option("--" + name, given[name], text)->group("Model parameters");
}

const Model& ModelOptions::parsed_model() const { return find_model(model); }

Values ModelOptions::values() const {
  const Model& chosen = parsed_model();
  Values values;
  for (const auto& [name, text] : given) {
    if (text.empty()) continue;
    const auto found = std::find_if(chosen.parameters.begin(), chosen.parameters.end(),
                                    [&name = name](const Parameter& p) { return p.name == name; });
    if (found == chosen.parameters.end())
      fail(Blame::usage,
           fmt::format("model {} has no parameter {}: leave out --{}, or choose another --model",
                       chosen.name, name, name));
    values[name] = found->unit == Parameter::Unit::bytes
                       ? static_cast<double>(parse_count(text, "--" + name))
                       : parse_time(text, "--" + name);
  }
  return complete(chosen, values);
}

std::string ModelOptions::machine() const {
  const Values all = values();
  std::string text;
  for (const Parameter& p : parsed_model().parameters) {
    const double value = all.at(std::string(p.name));
    text += fmt::format(
        "{}{}={}", text.empty() ? "" : ",", p.name,
        p.unit == Parameter::Unit::bytes ? fmt::format("{:.0f}", value) : show_picoseconds(value));
  }
  return text;
}

}  // namespace arlab
