// Chakra's execution traces as JSON: what chakra_jsonizer writes (protobuf's JSON: one object after
// another, metadata first, numbers of 64 bits as strings), lists of such nodes, and the
// "workload_graph" of Chakra's own reader of JSON.
#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <nlohmann/json.hpp>

#include "algorithms/base/error.hpp"
#include "algorithms/base/read_number.hpp"
#include "training/io/json.hpp"
#include "training/profiles/chakra_nodes.hpp"

namespace arlab::training {
namespace {

constexpr std::string_view kTypes[] = {"INVALID_NODE",   "METADATA_NODE", "MEM_LOAD_NODE",
                                       "MEM_STORE_NODE", "COMP_NODE",     "COMM_SEND_NODE",
                                       "COMM_RECV_NODE", "COMM_COLL_NODE"};

using Keys = std::initializer_list<const char*>;  // as each form has them

const Json* member(const Json& object, Keys keys) {
  for (const char* key : keys)
    if (const auto found = object.find(key); found != object.end()) return &*found;
  return nullptr;
}

std::optional<std::int64_t> number(const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (value.is_number_integer()) return value.get<std::int64_t>();
  if (!value.is_string()) return {};
  return read_number<std::int64_t>(value.get_ref<const std::string&>());
}

class JsonNodes {
 public:
  explicit JsonNodes(const std::string& file) : file_(file) {}

  std::vector<ChakraNode> read(std::string_view text) {
    constexpr std::string_view kSpace = " \t\r\n";
    for (auto at = text.find_first_not_of(kSpace); at != text.npos;) {
      const std::string_view value = text.substr(at, value_length(text.substr(at)));
      const auto json = parse_json(value);
      if (!json)
        refuse("the value at byte " + std::to_string(at) +
               " is not JSON: make it again with chakra_jsonizer");
      add(*json);
      at = text.find_first_not_of(kSpace, at + value.size());
    }
    return std::move(nodes_);
  }

 private:
  [[noreturn]] void refuse(const std::string& what) const {
    fail(Blame::usage, "trace " + file_ + ": " + what);
  }

  // Of the JSON value at the begin: to the bracket that closes it.
  static std::size_t value_length(std::string_view text) {
    int depth = 0;
    bool in_string = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
      const char c = text[i];
      if (in_string && c == '\\')
        ++i;
      else if (c == '"')
        in_string = !in_string;
      else if (!in_string && (c == '{' || c == '['))
        ++depth;
      else if (!in_string && (c == '}' || c == ']') && --depth <= 0)
        return i + 1;
    }
    return text.size();
  }

  void add(const Json& value) {
    const Json* const list =
        value.is_object() ? member(value, {"workload_graph", "nodes"}) : &value;
    if (list && list->is_array()) {
      for (const Json& one : *list) nodes_.push_back(node(one));
    } else if (!nodes_.empty() || member(value, {"type", "NodeType"})) {
      nodes_.push_back(node(value));
    }  // else the metadata
  }

  ChakraNode node(const Json& json) const {
    if (!json.is_object()) refuse("it has a node that is no object: make it again");
    ChakraNode node;
    node.id = whole(json, {"id", "Id"}, "an id");
    if (const Json* name = member(json, {"name", "Name"}); name && name->is_string())
      node.name = name->get<std::string>();
    node.type = type(json, node);
    node.duration_us = whole(json, {"durationMicros", "duration_micros", "runtime"}, "a duration");
    if (const Json* needs = member(json, {"dataDeps", "data_deps"}))
      for (const Json& need : *needs) {
        const auto id = number(need);
        if (!id || *id < 0) refuse(text(node) + " needs a node that is no number: make it again");
        node.needs.push_back(static_cast<std::uint64_t>(*id));
      }
    for (const char* key : {"comm_type", "comm_size", "is_cpu_op"})
      if (const Json* value = member(json, {key})) set(node, key, *value);
    if (const Json* attributes = member(json, {"attr"}); attributes && attributes->is_array())
      for (const Json& one : *attributes) add_attribute(node, one);
    return node;
  }

  static std::string text(const ChakraNode& node) {
    return "node " + std::to_string(node.id) + " (" + node.name + ")";
  }

  // protobuf leaves out zeros.
  std::uint64_t whole(const Json& json, Keys keys, const char* what) const {
    const Json* const value = member(json, keys);
    const auto read = value ? number(*value) : 0;
    if (!read || *read < 0)
      refuse("a node has " + std::string(what) + " of " + json_text(*value) +
             ": give a whole number of at least 0");
    return static_cast<std::uint64_t>(*read);
  }

  ChakraType type(const Json& json, const ChakraNode& node) const {
    const Json* const value = member(json, {"type", "NodeType"});
    if (!value) refuse(text(node) + " has no type, such as COMP_NODE: make it again");
    const auto* const known =
        std::find(std::begin(kTypes), std::end(kTypes),
                  value->is_string() ? value->get_ref<const std::string&>() : "");
    const auto given = known == std::end(kTypes) ? number(*value) : known - std::begin(kTypes);
    if (!given || *given < 1 || *given > static_cast<std::int64_t>(ChakraType::collective))
      refuse(text(node) + " is of the unknown type " + json_text(*value) +
             ": known are 1 to 7 of Chakra's NodeType, and their names");
    return static_cast<ChakraType>(*given);
  }

  // {"name": "comm_size", "int64Val": "1024"}
  static void add_attribute(ChakraNode& node, const Json& attribute) {
    if (!attribute.is_object()) return;
    const Json* const name = member(attribute, {"name"});
    if (!name || !name->is_string()) return;
    for (const auto& [key, value] : attribute.items())
      if (key.ends_with("Val") || key.ends_with("_val"))
        set(node, name->get_ref<const std::string&>(), value);
  }

  static void set(ChakraNode& node, std::string_view name, const Json& value) {
    if (name == "comm_type") node.collective = number(value);
    if (name == "comm_size") node.bytes = number(value);
    if (name == "is_cpu_op")
      if (const auto is = number(value)) node.on_processor = *is != 0;
  }

  const std::string& file_;
  std::vector<ChakraNode> nodes_;
};

}  // namespace

bool is_chakra_json(std::string_view text) {
  const std::string_view head = text.substr(0, 1 << 16);
  const auto has = [&](std::string_view word) { return head.find(word) != head.npos; };
  return has("\"COMP_NODE\"") || has("\"COMM_COLL_NODE\"") || has("\"METADATA_NODE\"") ||
         has("\"dataDeps\"") || (has("\"workload_graph\"") && has("\"NodeType\""));
}

std::vector<ChakraNode> read_chakra_json(std::string_view text, const std::string& file) {
  return JsonNodes(file).read(text);
}

}  // namespace arlab::training
