// ProfileReplica: the variables of a profile, with gradients of the right sizes and no model.
//
// Each learn() sets the gradients to the same numbers. Its passes take no time: with the times of
// passes_of(), a trainer replays them. So the communication of a model can be measured on a cluster
// without its GPUs.
#pragma once

#include "training/exchange/compute_model.hpp"
#include "training/profiles/model_profile.hpp"
#include "training/replica/replica.hpp"

namespace arlab::training {

class ProfileReplica final : public Replica {
 public:
  explicit ProfileReplica(const ModelProfile& profile);

  std::span<const Variable> variables() const override { return variables_; }
  std::span<float> weights() override { return weights_; }
  std::span<float> gradients() override { return gradients_; }
  std::span<float> statistics() override { return {}; }
  void on_ready(Ready ready) override { ready_ = std::move(ready); }
  void on_need(Need need) override { need_ = std::move(need); }
  void on_need_backward(Need need) override { need_backward_ = std::move(need); }
  /// There is no loss; no answer is correct.
  BatchResult learn(const Samples& samples, float scale) override;
  BatchResult evaluate(const Samples& samples) override;

  /// Returns the bytes of one replica.
  static double bytes(const ModelProfile& profile);

 private:
  std::vector<Variable> variables_;
  std::vector<float> weights_, gradients_;
  std::vector<float> pattern_;  // of the gradients, which repeat it
  Ready ready_;
  Need need_, need_backward_;
};

/// Returns the times of the profile's passes, by variable, each times `slowdown`.
std::vector<PassTime> passes_of(const ModelProfile& profile, double slowdown = 1);

}  // namespace arlab::training
