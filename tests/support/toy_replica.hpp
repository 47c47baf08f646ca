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
#include "training/replica/replica.hpp"

namespace toy {

using arlab::Count;
using arlab::training::BatchResult;

inline constexpr arlab::training::Shape kShape{1, 8, 8};

class ToyReplica final : public arlab::training::Replica {
 public:
  static constexpr std::size_t kInputs = 64, kHidden = 12, kClasses = 10;

  explicit ToyReplica(std::uint64_t seed = 1) {
    Count offset = 0;
    const auto add = [&](std::string name, std::vector<Count> shape) {
      Count elements = 1;
      for (const Count n : shape) elements *= n;
      const Count stage = name.starts_with("hidden") ? 0 : 1;
      variables_.push_back({std::move(name), std::move(shape), offset, elements, elements, stage});
      offset += elements;
    };
    add("hidden.weight", {kHidden, kInputs});
    add("hidden.bias", {kHidden});
    add("out.weight", {kClasses, kHidden});
    add("out.bias", {kClasses});
    weights_.resize(static_cast<std::size_t>(offset));
    gradients_.resize(weights_.size());
    std::uint64_t state = seed;
    for (float& w : weights_) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      w = (static_cast<float>(state >> 40) / 16777216.0F - 0.5F) * 0.3F;
    }
  }

  std::span<const arlab::training::Variable> variables() const override { return variables_; }
  std::span<float> weights() override { return weights_; }
  std::span<float> gradients() override { return gradients_; }
  std::span<float> statistics() override { return {}; }
  void on_ready(Ready ready) override { ready_ = std::move(ready); }
  void on_need(Need need) override { need_ = std::move(need); }
  void on_need_backward(Need need) override { need_backward_ = std::move(need); }

  // Stage by stage, so that weights need not be here longer than their stage runs.
  BatchResult learn(const arlab::training::Samples& samples, float scale) override {
    std::vector<float> own(weights_.size());
    std::vector<Activations> all(samples.labels.size());
    BatchResult result;
    announce(need_, {0, 1});
    for (std::size_t s = 0; s < all.size(); ++s) all[s].hide(*this, samples, s);
    announce(need_, {2, 3});
    for (std::size_t s = 0; s < all.size(); ++s) result += all[s].classify(*this, samples, s);
    announce(need_backward_, {2, 3});
    for (Activations& one : all) one.propagate(*this, scale);
    for (const Activations& one : all) add_outer(one.out, kClasses, one.hidden, kHidden, own, 2);
    add(own, {3, 2});
    announce(need_backward_, {0, 1});
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

  static void announce(const Need& need, std::initializer_list<std::size_t> variables) {
    if (!need) return;
    for (const std::size_t v : variables) need(v);
  }

  void add(const std::vector<float>& own, std::initializer_list<std::size_t> variables) {
    for (const std::size_t v : variables) {
      const auto first = static_cast<std::size_t>(variables_[v].offset);
      const auto end = first + static_cast<std::size_t>(variables_[v].elements);
      for (std::size_t i = first; i < end; ++i) gradients_[i] += own[i];
      if (ready_) ready_(v);
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

  std::vector<arlab::training::Variable> variables_;
  std::vector<float> weights_, gradients_;
  Ready ready_;
  Need need_, need_backward_;
};

/// Variables whose passes take time, on emulated ranks, and change nothing.
class CostsOnly final : public arlab::training::Replica {
 public:
  struct Cost {
    Count elements, work;  ///< multiply-adds of the forward pass for a sample
  };

  explicit CostsOnly(const std::vector<Cost>& costs) {
    Count offset = 0;
    for (const Cost& one : costs) {
      variables_.push_back({"v", {one.elements}, offset, one.elements, one.work});
      offset += one.elements;
    }
    weights_.resize(static_cast<std::size_t>(offset));
    gradients_.resize(weights_.size());
  }
  std::span<const arlab::training::Variable> variables() const override { return variables_; }
  std::span<float> weights() override { return weights_; }
  std::span<float> gradients() override { return gradients_; }
  std::span<float> statistics() override { return {}; }
  void on_ready(Ready ready) override { ready_ = std::move(ready); }
  void on_need(Need need) override { need_ = std::move(need); }
  void on_need_backward(Need need) override { need_backward_ = std::move(need); }
  BatchResult learn(const arlab::training::Samples& samples, float) override {
    for (std::size_t v = 0; v < variables_.size(); ++v) need_(v);
    for (std::size_t v = variables_.size(); v-- > 0;) {
      if (need_backward_) need_backward_(v);
      ready_(v);
    }
    return {0, 0, static_cast<Count>(samples.labels.size())};
  }
  BatchResult evaluate(const arlab::training::Samples&) override { return {}; }

 private:
  std::vector<arlab::training::Variable> variables_;
  std::vector<float> weights_, gradients_;
  Ready ready_;
  Need need_, need_backward_;
};

}  // namespace toy
