// ToyReplica: a two-layer network written by hand, so that strategies can be tested without a
// framework and with the thread sanitizer.
#pragma once

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "training/data/dataset.hpp"
#include "training/replica/host_replica.hpp"

namespace toy {

using arlab::Count;
using arlab::training::BatchResult;

inline constexpr arlab::training::Shape kShape{1, 8, 8};

class ToyReplica : public arlab::training::HostReplica {
 public:
  static constexpr std::size_t kInputs = 64, kHidden = 12, kClasses = 10;

  explicit ToyReplica(std::uint64_t seed = 1)
      : HostReplica({variable("hidden.weight", {kHidden, kInputs}, 0),
                     variable("hidden.bias", {kHidden}, 0),
                     variable("out.weight", {kClasses, kHidden}, 1),
                     variable("out.bias", {kClasses}, 1)}) {
    std::uint64_t state = seed;
    for (float& w : weights_) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      w = (static_cast<float>(state >> 40) / 16777216.0F - 0.5F) * 0.3F;
    }
  }

  // Stage by stage, so that weights need not be here longer than their stage runs.
  BatchResult learn(const arlab::training::Samples& samples, float scale) override {
    std::vector<float> own(weights_.size());
    std::vector<Activations> all(samples.labels.size());
    BatchResult result;
    for (const std::size_t v : {0, 1}) needs(v);
    for (std::size_t s = 0; s < all.size(); ++s) all[s].hide(*this, samples, s);
    for (const std::size_t v : {2, 3}) needs(v);
    for (std::size_t s = 0; s < all.size(); ++s) result += all[s].classify(*this, samples, s);
    for (const std::size_t v : {2, 3}) needs_backward(v);
    for (Activations& one : all) one.propagate(*this, scale);
    for (const Activations& one : all) add_outer(one.out, kClasses, one.hidden, kHidden, own, 2);
    add(own, {3, 2});
    for (const std::size_t v : {0, 1}) needs_backward(v);
    for (std::size_t s = 0; s < all.size(); ++s)
      add_outer(all[s].back, kHidden, samples.inputs.data() + s * kInputs, kInputs, own, 0);
    add(own, {1, 0});
    return result;
  }

  BatchResult evaluate(const arlab::training::Samples& samples) override {
    BatchResult all;
    for (std::size_t s = 0; s < samples.labels.size(); ++s) {
      Activations one;
      one.hide(*this, samples, s);
      all += one.classify(*this, samples, s);
    }
    return all;
  }

 private:
  static arlab::training::Variable variable(std::string name, std::vector<Count> shape,
                                            Count stage) {
    Count elements = 1;
    for (const Count n : shape) elements *= n;
    return {std::move(name), std::move(shape), 0, elements, elements, stage};
  }

  float* at(std::vector<float>& flat, std::size_t variable) const {
    return flat.data() + variables_[variable].offset;
  }

  // Of one sample.
  struct Activations {
    float hidden[kHidden] = {}, out[kClasses] = {}, back[kHidden] = {};

    void hide(ToyReplica& toy, const arlab::training::Samples& samples, std::size_t s) {
      toy.dense(samples.inputs.data() + s * kInputs, kInputs, hidden, kHidden, 0);
      for (float& h : hidden) h = std::max(h, 0.0F);
    }
    /// Leaves the gradient of the loss in `out`.
    BatchResult classify(ToyReplica& toy, const arlab::training::Samples& samples, std::size_t s) {
      const auto label = static_cast<std::size_t>(samples.labels[s]);
      toy.dense(hidden, kHidden, out, kClasses, 2);
      const float max = *std::max_element(out, out + kClasses);
      const bool correct = out[label] == max;
      float total = 0;
      for (float& o : out) total += o = std::exp(o - max);
      for (float& o : out) o /= total;
      const BatchResult outcome{-std::log(double{out[label]}), correct ? 1 : 0, 1};
      out[label] -= 1;
      return outcome;
    }
    void propagate(ToyReplica& toy, float scale) {
      for (float& o : out) o *= scale;
      for (std::size_t c = 0; c < kClasses; ++c)
        for (std::size_t h = 0; h < kHidden; ++h)
          if (hidden[h] > 0) back[h] += out[c] * toy.at(toy.weights_, 2)[c * kHidden + h];
    }
  };

  void add(const std::vector<float>& own, std::initializer_list<std::size_t> variables) {
    for (const std::size_t v : variables) {
      const auto first = static_cast<std::size_t>(variables_[v].offset);
      const auto end = first + static_cast<std::size_t>(variables_[v].elements);
      for (std::size_t i = first; i < end; ++i) gradients_[i] += own[i];
      is_ready(v);
    }
  }

  void dense(const float* in, std::size_t n, float* out, std::size_t m, std::size_t variable) {
    const float *w = at(weights_, variable), *b = at(weights_, variable + 1);
    for (std::size_t j = 0; j < m; ++j) {
      out[j] = b[j];
      for (std::size_t i = 0; i < n; ++i) out[j] += w[j * n + i] * in[i];
    }
  }

  void add_outer(const float* delta, std::size_t m, const float* in, std::size_t n,
                 std::vector<float>& own, std::size_t variable) const {
    float *w = at(own, variable), *b = at(own, variable + 1);
    for (std::size_t j = 0; j < m; ++j) {
      b[j] += delta[j];
      for (std::size_t i = 0; i < n; ++i) w[j * n + i] += delta[j] * in[i];
    }
  }
};

/// Variables whose passes take time, on emulated ranks, and change nothing.
class CostsOnly final : public arlab::training::HostReplica {
 public:
  struct Cost {
    Count elements, work;  ///< multiply-adds of the forward pass for a sample
  };

  explicit CostsOnly(const std::vector<Cost>& costs) : HostReplica(variables_of(costs)) {}
  BatchResult learn(const arlab::training::Samples& samples, float) override {
    for (std::size_t v = 0; v < variables_.size(); ++v) needs(v);
    for (std::size_t v = variables_.size(); v-- > 0;) {
      needs_backward(v);
      is_ready(v);
    }
    return {0, 0, static_cast<Count>(samples.labels.size())};
  }
  BatchResult evaluate(const arlab::training::Samples&) override { return {}; }

 private:
  static std::vector<arlab::training::Variable> variables_of(const std::vector<Cost>& costs) {
    std::vector<arlab::training::Variable> all;
    for (const Cost& one : costs) all.push_back({"v", {one.elements}, 0, one.elements, one.work});
    return all;
  }
};

}  // namespace toy
