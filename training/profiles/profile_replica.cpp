#include "training/profiles/profile_replica.hpp"

#include <algorithm>

#include "algorithms/base/random.hpp"
#include "training/profiles/coded_tensor.hpp"

namespace arlab::training {
namespace {

constexpr std::size_t kPattern = 1 << 14;  // elements

Matrix gradient_of(const ModelProfile& profile, const Layer& layer, const CompressorKind* codes) {
  if (!codes) return {1, layer.elements};
  return shape_of(elements_in(layer.elements, profile.gradient_bytes), *codes);
}

std::vector<Variable> variables_of(const ModelProfile& profile, const CompressorKind* codes) {
  std::vector<Variable> all;
  for (const Layer& layer : profile.tensors()) {
    const Matrix m = gradient_of(profile, layer, codes);
    all.push_back({.name = layer.name, .shape = {m.rows, m.columns}, .elements = m.elements()});
  }
  return all;
}

}  // namespace

ProfileReplica::ProfileReplica(const ModelProfile& profile, const CompressorKind* codes)
    : HostReplica(variables_of(profile, codes)) {
  const Random random(1);
  for (std::size_t i = 0; i < kPattern; ++i)
    pattern_.push_back(static_cast<float>(random(i) >> 40) * 0x1p-23F - 1);  // -1 to 1
}

BatchResult ProfileReplica::learn(const Samples& samples, float) {
  for (std::size_t v = 0; v < variables_.size(); ++v) needs(v);
  for (std::size_t v = variables_.size(); v-- > 0;) {
    needs_backward(v);
    auto to = gradients_.begin() + variables_[v].offset;
    for (Count left = variables_[v].elements; left > 0;) {
      const auto next = std::min(left, static_cast<Count>(kPattern));
      to = std::copy_n(pattern_.begin(), next, to);
      left -= next;
    }
    is_ready(v);
  }
  return evaluate(samples);
}

BatchResult ProfileReplica::evaluate(const Samples& samples) {
  return {0, 0, static_cast<Count>(samples.labels.size())};
}

double ProfileReplica::bytes(const ModelProfile& profile, bool coded) {
  Count elements = 0;
  for (const Layer& layer : profile.tensors()) elements += layer.elements;
  if (coded) elements = elements_in(elements, profile.gradient_bytes);
  return 2 * sizeof(float) * static_cast<double>(elements);
}

std::vector<PassTime> passes_of(const ModelProfile& profile, double slowdown) {
  std::vector<PassTime> passes;
  const auto seconds = [&](Time t) { return picoseconds(t) * slowdown / kPicosecondsPerSecond; };
  for (const Layer& layer : profile.tensors())
    passes.push_back({seconds(layer.forward), seconds(layer.backward)});
  return passes;
}

}  // namespace arlab::training
