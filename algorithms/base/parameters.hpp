// Parameters: what a catalog entry lets its user choose, and specs such as
// "topk:ratio=0.01,feedback=off" that choose it.
//
// A spec is a name, then a colon and settings. A setting is a parameter's name, "=" and a value in
// the parameter's unit (quantities.hpp).
#pragma once

#include <limits>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace arlab {

/// One parameter of a catalog entry.
struct Parameter {
  enum class Unit {
    time,           ///< picoseconds
    time_per_byte,  ///< picoseconds per byte
    bytes,
    number,
    count,      ///< a whole number
    sizes,      ///< whole numbers, such as 8x8x4; not in Values
    ratio,      ///< a number above zero
    bandwidth,  ///< bytes per second
    flag,       ///< yes or no: 1 or 0
    algorithm,  ///< the name of an algorithm, or a spec with at most one setting; not in Values
  };
  std::string_view name;
  Unit unit = Unit::number;
  std::string_view default_value;  ///< as a user writes it
  std::string_view help;
  double min = 0, max = std::numeric_limits<double>::infinity();
};
std::string_view name(Parameter::Unit unit);

/// Values of parameters by name, each in its parameter's unit.
using Values = std::map<std::string, double, std::less<>>;

/// Reads a value in the parameter's unit. Throws Error(usage) that names `what` and the text.
double parse_value(const Parameter& parameter, std::string_view text, std::string_view what);
double default_of(const Parameter& parameter);
/// Returns a value as parse_value reads it.
std::string show_value(const Parameter& parameter, double value);

/// In what follows `owner` names the catalog entry in errors: "compressor topk".

/// Throws Error(usage) that names the nearest parameter if none is called `name`.
const Parameter& find_parameter(std::span<const Parameter> parameters, std::string_view name,
                                std::string_view owner);

/// Returns a value for each parameter: from `values`, else the default. Throws Error(usage) for a
/// value out of its range. Ignores values of other parameters.
Values with_defaults(std::span<const Parameter> parameters, const Values& values,
                     std::string_view owner);
/// Throws Error(usage) for a value whose parameter does not exist.
void expect_known(std::span<const Parameter> parameters, const Values& values,
                  std::string_view owner);

struct Setting {
  std::string_view name, value;
};

/// A spec in parts; they refer to its text.
struct NamedSettings {
  std::string_view name;
  std::vector<Setting> settings;
};

/// Throws Error(usage) for a setting without "=", and for a name that is set twice.
NamedSettings parse_spec(std::string_view spec);

/// Reads the settings' values. Throws Error(usage) for an unknown parameter or a bad value.
Values parse_values(std::span<const Parameter> parameters, std::span<const Setting> settings,
                    std::string_view owner);

}  // namespace arlab
