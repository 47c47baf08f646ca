// ModelProfile: the cost of one training step of a model on a device: tensors, times of layers, and
// the source of every figure.
//
// training/profiles/<name>.json holds one each; docs/reference/training-at-scale.md describes the
// keys. A layer's tensors become ready together, at the end of its backward pass. The optimizer's
// time of a tensor is spent before its next forward pass.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "training/schedulers/profile.hpp"

namespace arlab::training {

struct ModelProfile {
  struct Tensor {
    std::string name;
    Count elements = 0;
  };
  struct Part {
    std::string name = {};
    std::vector<Tensor> tensors = {};  ///< may be empty
    Time forward{}, backward{};
  };

  std::string name = {};
  std::string device = {};                          ///< that the times are of
  std::string samples = {};                         ///< what a sample is: "images"
  Count batch = 1;                                  ///< samples per worker and step
  Bytes gradient_bytes = 4;                         ///< per element, as it is sent
  double optimizer = 0;                             ///< picoseconds per parameter
  std::map<std::string, std::string> sources = {};  ///< of each figure
  std::vector<Part> layers = {};                    ///< in the order of the forward pass

  Count parameters() const;
  Bytes bytes() const { return parameters() * gradient_bytes; }
  /// Returns forward and backward passes and optimizer.
  Time step() const;
  /// Returns the tensors as a scheduler's layers: the first of a part has its forward time, the
  /// last its backward time. Parts without tensors become one layer without elements. Elements
  /// count words of kGradientBytes: a gradient of two bytes per element has half as many.
  Profile tensors() const;
};

/// Reads a profile from JSON. Throws Error(usage) that names `file`, the key, and the remedy: for a
/// missing or unknown key, a number that is negative, not finite, or too large, a profile without
/// layers, and a total that is not the sum of the tensors.
ModelProfile parse_profile(std::string_view json, const std::string& file);
std::string to_json_text(const ModelProfile& profile);

/// The profiles of training/profiles, by name.
struct BuiltInProfile {
  std::string_view name, json;
};
std::span<const BuiltInProfile> built_in_profiles();

/// Returns a built-in profile, or that of a file if the name has a '/' or a '.', or is that of a
/// file. The file may be a trace of PyTorch's profiler, also packed by gzip, or Chakra's (.et).
/// Throws Error(usage) that names the nearest profile, and as parse_profile(),
/// import_pytorch_trace(), and import_chakra_trace() do.
ModelProfile load_profile(const std::string& name);

}  // namespace arlab::training
