#include "training/profiles/model_profile.hpp"

#include <algorithm>

#include "algorithms/base/error.hpp"
#include "algorithms/base/names.hpp"
#include "training/io/files.hpp"
#include "training/profiles/chakra_trace.hpp"
#include "training/profiles/pytorch_trace.hpp"

namespace arlab::training {

Count ModelProfile::parameters() const {
  Count all = 0;
  for (const Part& part : layers)
    for (const Tensor& tensor : part.tensors) all += tensor.elements;
  return all;
}

Time ModelProfile::step() const {
  Time all{};
  for (const Layer& layer : tensors()) all += layer.forward + layer.backward;
  return all;
}

Profile ModelProfile::tensors() const {
  Profile all;
  for (const Part& part : layers) {
    const std::size_t first = all.size();
    for (const Tensor& tensor : part.tensors)
      all.push_back({part.name + "." + tensor.name,
                     to_time(optimizer * static_cast<double>(tensor.elements)),
                     Time{},
                     (tensor.elements * gradient_bytes + kGradientBytes - 1) / kGradientBytes,
                     {}});
    if (part.tensors.empty()) all.push_back({part.name, Time{}, Time{}, 0, {}});
    all[first].forward += part.forward;
    all.back().backward += part.backward;
  }
  return all;
}

ModelProfile load_profile(const std::string& name) {
  if (name.ends_with(".json") || name.ends_with(".et") || name.find('/') != std::string::npos) {
    const std::string text =
        read_whole(name, "name a profile, such as resnet50, or a readable file");
    if (name.ends_with(".et")) return import_chakra_trace(read_chakra(text, name), name);
    return is_pytorch_trace(text) ? import_pytorch_trace(text, name) : parse_profile(text, name);
  }
  std::vector<std::string_view> names;
  for (const BuiltInProfile& one : built_in_profiles()) {
    if (one.name == name) return parse_profile(one.json, name);
    names.push_back(one.name);
  }
  fail_unknown("profile", name, names);
}

}  // namespace arlab::training
