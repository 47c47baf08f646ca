#include "tests/bench/results/json_schema.hpp"

#include <algorithm>
#include <fstream>

namespace arlab::bench {
namespace {

bool has_type(const Json& value, const std::string& type) {
  if (type == "null") return value.is_null();
  if (type == "boolean") return value.is_boolean();
  if (type == "string") return value.is_string();
  if (type == "integer") return value.is_number_integer();
  if (type == "number") return value.is_number();
  if (type == "array") return value.is_array();
  return type == "object" && value.is_object();
}

bool has_any_type(const Json& value, const Json& types) {
  if (types.is_string()) return has_type(value, types);
  return std::any_of(types.begin(), types.end(),
                     [&](const Json& type) { return has_type(value, type); });
}

}  // namespace

JsonSchema::JsonSchema(const std::string& path) {
  std::ifstream in(path);
  root_ = Json::parse(in);
}

std::string JsonSchema::violation(const Json& line) const {
  const std::string kind = line.value("kind", Json()).is_string() ? line["kind"] : "none";
  for (const Json& one : root_["oneOf"])
    if (one["$ref"] == "#/$defs/" + kind) return check(line, one);
  return "kind '" + kind + "' is not in the schema";
}

// A $ref beside other keywords adds to them.
Json JsonSchema::merged(const Json& schema) const {
  if (!schema.contains("$ref")) return schema;
  const std::string name = schema["$ref"].get<std::string>().substr(std::string("#/$defs/").size());
  Json all = merged(root_["$defs"].at(name));
  for (const auto& [key, value] : schema.items()) {
    if (key == "required")
      for (const Json& one : value) all[key].push_back(one);
    else if (key == "properties")
      all[key].update(value);
    else
      all[key] = value;
  }
  return all;
}

std::string JsonSchema::check(const Json& value, const Json& given) const {
  const Json schema = merged(given);
  if (schema.contains("const") && value != schema["const"]) return value.dump() + " is not allowed";
  if (schema.contains("enum") &&
      std::find(schema["enum"].begin(), schema["enum"].end(), value) == schema["enum"].end())
    return value.dump() + " is not allowed";
  if (schema.contains("type") && !has_any_type(value, schema["type"]))
    return value.dump() + " is not of type " + schema["type"].dump();
  if (schema.contains("minimum") && value.is_number() && value < schema["minimum"])
    return value.dump() + " is too small";
  if (value.is_array() && schema.contains("items"))
    for (const Json& one : value)
      if (const std::string why = check(one, schema["items"]); !why.empty()) return why;
  return value.is_object() ? check_keys(value, schema) : "";
}

std::string JsonSchema::check_keys(const Json& value, const Json& schema) const {
  for (const Json& key : schema.value("required", Json::array()))
    if (!value.contains(key.get<std::string>())) return "key " + key.dump() + " is missing";
  const Json properties = schema.value("properties", Json::object());
  for (const auto& [key, part] : value.items()) {
    const bool known = properties.contains(key);
    if (!known && schema.value("unevaluatedProperties", Json(true)) == false)
      return "key '" + key + "' is not in the schema";
    const Json other = schema.value("additionalProperties", Json(nullptr));
    if (!known && !other.is_object()) continue;
    if (const std::string why = check(part, known ? properties[key] : other); !why.empty())
      return key + ": " + why;
  }
  return "";
}

}  // namespace arlab::bench
