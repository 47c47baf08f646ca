// The JSON form of profiles, and its checks.
#include <cmath>
#include <initializer_list>
#include <nlohmann/json.hpp>

#include "algorithms/base/error.hpp"
#include "training/io/json.hpp"
#include "training/profiles/model_profile.hpp"

namespace arlab::training {
namespace {

constexpr double kLongestPass = 1e9;          // us of a layer: 17 minutes
constexpr double kLongestUpdate = 1e9;        // ps of a parameter; small models have large ones
constexpr Count kMostParameters = 1LL << 42;  // of a model
constexpr std::size_t kMostLayers = 100'000;

class ProfileReader {
 public:
  explicit ProfileReader(const std::string& file) : file_(file) {}

  [[noreturn]] void refuse(const std::string& what) const {
    fail(Blame::usage, "profile " + file_ + ": " + what);
  }

  void expect_keys(const Json& json, const std::string& where,
                   std::initializer_list<std::string_view> keys) const {
    if (!json.is_object()) refuse(where + " is not an object: write {...}");
    for (const std::string_view key : keys)
      if (!json.contains(key)) refuse(where + " has no '" + std::string(key) + "': add it");
    for (const auto& [key, value] : json.items())
      if (std::find(keys.begin(), keys.end(), key) == keys.end())
        refuse(where + " has an unknown key '" + key + "': correct or remove it");
  }

  static std::string shown(const Json& json) {
    const std::string text = json.dump(-1, ' ', false, Json::error_handler_t::replace);
    return text.size() > 60 ? text.substr(0, 60) + "..." : text;
  }

  std::string text(const Json& json, const std::string& where, const char* key) const {
    if (!json[key].is_string() || json[key].get<std::string>().empty())
      refuse(where + ": " + key + " is " + shown(json[key]) + ": give a text");
    return json[key].get<std::string>();
  }

  Count whole(const Json& json, const std::string& where, Count least, Count most) const {
    if (json.is_number_integer() && (!json.is_number_unsigned() ||
                                     json.get<std::uint64_t>() <= static_cast<std::uint64_t>(most)))
      if (const Count value = json.get<Count>(); value >= least && value <= most) return value;
    refuse(where + " is " + shown(json) + ": give a whole number from " + std::to_string(least) +
           " to " + std::to_string(most));
  }

  double number(const Json& json, const std::string& where, double most) const {
    if (json.is_number())
      if (const double value = json.get<double>(); value >= 0 && value <= most) return value;
    refuse(where + " is " + shown(json) + ": give a number from 0 to " +
           std::to_string(static_cast<Count>(most)));
  }

  ModelProfile::Part layer(const Json& json, std::size_t position) const {
    const std::string number_of = "layer " + std::to_string(position + 1);
    expect_keys(json, number_of, {"name", "tensors", "forward_us", "backward_us"});
    ModelProfile::Part part;
    part.name = text(json, number_of, "name");
    const std::string where = "layer '" + part.name + "'";
    if (!json["tensors"].is_object()) refuse(where + ": tensors is not an object: write {...}");
    for (const auto& [name, elements] : json["tensors"].items())
      part.tensors.push_back(
          {name, whole(elements, where + ": tensor '" + name + "'", 1, kMostParameters)});
    part.forward = microseconds_of(json["forward_us"], where + ": forward_us");
    part.backward = microseconds_of(json["backward_us"], where + ": backward_us");
    return part;
  }

 private:
  Time microseconds_of(const Json& json, const std::string& where) const {
    return to_time(number(json, where, kLongestPass) * 1e6);
  }

  const std::string& file_;
};

}  // namespace

ModelProfile parse_profile(std::string_view json, const std::string& file) {
  const ProfileReader reader(file);
  const std::optional<Json> parsed = parse_json(json);
  if (!parsed) reader.refuse("it is not JSON: correct it, or name another file");
  const Json& all = *parsed;
  reader.expect_keys(all, "it",
                     {"profile", "name", "device", "batch", "samples", "parameters",
                      "gradient_bytes", "optimizer_ps_per_parameter", "sources", "layers"});
  reader.whole(all["profile"], "the version 'profile'", 1, 1);
  ModelProfile profile;
  profile.name = reader.text(all, "it", "name");
  profile.device = reader.text(all, "it", "device");
  profile.samples = reader.text(all, "it", "samples");
  profile.batch = reader.whole(all["batch"], "batch", 1, 1 << 30);
  profile.gradient_bytes = reader.whole(all["gradient_bytes"], "gradient_bytes", 1, 8);
  profile.optimizer = reader.number(all["optimizer_ps_per_parameter"], "optimizer_ps_per_parameter",
                                    kLongestUpdate);
  const auto figures = {"parameters", "forward_us", "backward_us", "optimizer_ps_per_parameter"};
  reader.expect_keys(all["sources"], "sources",
                     {"parameters", "forward_us", "backward_us", "optimizer_ps_per_parameter"});
  for (const char* figure : figures)
    profile.sources[figure] = reader.text(all["sources"], "sources", figure);
  const Json& layers = all["layers"];
  if (!layers.is_array() || layers.empty()) reader.refuse("it has no layers: give at least one");
  if (layers.size() > kMostLayers)
    reader.refuse("it has " + std::to_string(layers.size()) + " layers: give at most " +
                  std::to_string(kMostLayers));
  for (std::size_t i = 0; i < layers.size(); ++i)
    profile.layers.push_back(reader.layer(layers[i], i));
  const Count claimed = reader.whole(all["parameters"], "parameters", 1, kMostParameters);
  Count left = claimed;
  for (const ModelProfile::Part& part : profile.layers)
    for (const ModelProfile::Tensor& tensor : part.tensors)
      left -= std::min(left + 1, tensor.elements);
  if (left != 0)
    reader.refuse("parameters is " + std::to_string(claimed) +
                  ", but that is not the sum of the tensors: correct one of them");
  if (const double us = profile.optimizer * static_cast<double>(claimed) / 1e6; us > kLongestPass)
    reader.refuse(
        "optimizer_ps_per_parameter is " + reader.shown(all["optimizer_ps_per_parameter"]) +
        ", which is over 17 minutes for " + std::to_string(claimed) + " parameters: correct it");
  if (profile.step() == Time{})
    reader.refuse("all its times are 0: give the times of at least one layer");
  return profile;
}

std::string to_json_text(const ModelProfile& profile) {
  Json json{{"profile", 1},
            {"name", profile.name},
            {"device", profile.device},
            {"batch", profile.batch},
            {"samples", profile.samples},
            {"parameters", profile.parameters()},
            {"gradient_bytes", profile.gradient_bytes},
            {"optimizer_ps_per_parameter", profile.optimizer},
            {"sources", profile.sources},
            {"layers", Json::array()}};
  for (const ModelProfile::Part& part : profile.layers) {
    Json tensors = Json::object();
    for (const ModelProfile::Tensor& tensor : part.tensors) tensors[tensor.name] = tensor.elements;
    json["layers"].push_back({{"name", part.name},
                              {"tensors", std::move(tensors)},
                              {"forward_us", microseconds(part.forward)},
                              {"backward_us", microseconds(part.backward)}});
  }
  return json_text(json, 1) + "\n";
}

}  // namespace arlab::training
