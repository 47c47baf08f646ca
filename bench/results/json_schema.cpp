#include "bench/results/json_schema.hpp"

#include <fmt/format.h>

#include <algorithm>

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

std::string types_text(const Json& types) {
  if (types.is_string()) return types;
  std::string all;
  for (const Json& type : types) all += (all.empty() ? "" : " or ") + type.get<std::string>();
  return all;
}

// Checks one value and its parts. `schema` has no references.
class Check {
 public:
  explicit Check(const JsonSchema::Allowed& allowed) : allowed_(allowed) {}

  std::string value(const Json& value, const Json& schema, const std::string& key) const {
    const auto refuse = [&](const std::string& why) {
      return fmt::format("\"{}\" is {}{}", key, short_text(value), why);
    };
    if (const auto found = schema.find("const"); found != schema.end() && value != *found)
      return refuse(", not " + short_text(*found));
    if (const auto found = schema.find("enum");
        found != schema.end() && std::find(found->begin(), found->end(), value) == found->end())
      return refuse(", which is unknown");
    if (const auto found = schema.find("type");
        found != schema.end() && !has_any_type(value, *found))
      return refuse(", not of type " + types_text(*found));
    if (const auto found = schema.find("minimum");
        found != schema.end() && value.is_number() && value < *found)
      return refuse(", below " + short_text(*found));
    if (value.is_object()) return object(value, schema, key);
    return value.is_array() ? list(value, schema, key) : "";
  }

 private:
  std::string list(const Json& value, const Json& schema, const std::string& key) const {
    const std::size_t least = schema.value("minItems", std::size_t{0});
    const std::size_t most = schema.value("maxItems", value.size());
    if (value.size() < least || value.size() > most)
      return fmt::format("\"{}\" has {} entries, not {}", key, value.size(),
                         value.size() < least ? least : most);
    if (const auto items = schema.find("items"); items != schema.end())
      for (std::size_t i = 0; i < value.size(); ++i)
        if (std::string why = this->value(value[i], *items, fmt::format("{}[{}]", key, i));
            !why.empty())
          return why;
    return "";
  }

  std::string object(const Json& value, const Json& schema, const std::string& key) const {
    const auto name = [&](const std::string& part) {
      return key.empty() ? part : key + "." + part;
    };
    if (const auto required = schema.find("required");
        required != schema.end() && !allowed_.missing)
      for (const Json& one : *required)
        if (!value.contains(one.get_ref<const std::string&>()))
          return fmt::format("\"{}\" is missing", name(one));
    static const Json kNone = Json::object();
    const auto listed = schema.find("properties");
    const Json& properties = listed == schema.end() ? kNone : *listed;
    const auto other = schema.find("additionalProperties");
    const bool closed = schema.value("unevaluatedProperties", Json(true)) == false;
    for (const auto& [part, its_value] : value.items()) {
      const auto known = properties.find(part);
      if (known == properties.end() && closed && !allowed_.unknown)
        return fmt::format("\"{}\" is not in the schema", name(part));
      const Json* its_schema = known != properties.end()                     ? &*known
                               : other != schema.end() && other->is_object() ? &*other
                                                                             : nullptr;
      if (!its_schema) continue;
      if (std::string why = this->value(its_value, *its_schema, name(part)); !why.empty())
        return why;
    }
    return "";
  }

  JsonSchema::Allowed allowed_;
};

}  // namespace

std::string short_text(const Json& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return fmt::format("a list of {}", value.size());
  const std::string text = value.dump(-1, ' ', false, Json::error_handler_t::replace);
  return text.size() <= 200 ? text : text.substr(0, 200) + "...";
}

JsonSchema::JsonSchema(std::string_view text) {
  const Json root = Json::parse(text);
  for (const Json& one : root["oneOf"]) {
    const std::string reference = one["$ref"];
    kinds_[reference.substr(reference.rfind('/') + 1)] = merged(root, one);
  }
}

// A $ref beside other keywords adds to them.
Json JsonSchema::merged(const Json& root, const Json& schema) const {
  if (schema.is_array()) {
    Json all = Json::array();
    for (const Json& one : schema) all.push_back(merged(root, one));
    return all;
  }
  if (!schema.is_object()) return schema;
  Json all = Json::object();
  const auto reference = schema.find("$ref");
  if (reference != schema.end() && reference->is_string()) {
    const std::string name = *reference;
    all = merged(root, root["$defs"].at(name.substr(name.rfind('/') + 1)));
  }
  for (const auto& [key, value] : schema.items()) {
    if (key == "$ref" || key == "description") continue;
    const Json part = merged(root, value);
    if (key == "required")
      for (const Json& one : part) all[key].push_back(one);
    else if (key == "properties" && all.contains(key))
      all[key].update(part);
    else
      all[key] = part;
  }
  return all;
}

std::string JsonSchema::violation(const Json& line, const Allowed& allowed) const {
  const Json kind = line.is_object() ? line.value("kind", Json()) : Json();
  const auto schema = kind.is_string() ? kinds_.find(kind.get<std::string>()) : kinds_.end();
  if (schema == kinds_.end())
    return fmt::format("\"kind\" is {}, which is unknown", short_text(kind));
  return Check(allowed).value(line, schema->second, "");
}

void JsonSchema::add_defaults(Json& line) const {
  const auto schema = kinds_.find(line.at("kind").get<std::string>());
  if (schema == kinds_.end()) return;
  for (const auto& [key, property] : schema->second.at("properties").items())
    if (const auto value = property.find("default"); value != property.end() && !line.contains(key))
      line[key] = *value;
}

}  // namespace arlab::bench
