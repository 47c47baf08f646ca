// ProfileReplica: the variables of a profile, with gradients of the right sizes and no model.
//
// Each learn() sets the gradients to the same numbers. Its passes take no time: with the times of
// passes_of(), a trainer replays them. So the communication of a model can be measured on a cluster
// without its GPUs.
//
// Gradients are float32: one for every 4 bytes of the profile's gradients. What is encoded has one
// for every element, so that codes have their size.
#pragma once

#include "training/compressors/compressor.hpp"
#include "training/exchange/compute_model.hpp"
#include "training/profiles/model_profile.hpp"
#include "training/replica/host_replica.hpp"

namespace arlab::training {

class ProfileReplica final : public HostReplica {
 public:
  /// `codes`: of what the gradients are encoded with; null: they are sent as they are.
  explicit ProfileReplica(const ModelProfile& profile, const CompressorKind* codes = nullptr);

  /// There is no loss; no answer is correct.
  BatchResult learn(const Samples& samples, float scale) override;
  BatchResult evaluate(const Samples& samples) override;

  /// Returns the bytes of one replica, whose gradients are encoded or not.
  static double bytes(const ModelProfile& profile, bool coded = false);

 private:
  std::vector<float> pattern_;  // of the gradients, which repeat it
};

/// Returns the times of the profile's passes, by variable, each times `slowdown`.
std::vector<PassTime> passes_of(const ModelProfile& profile, double slowdown = 1);

}  // namespace arlab::training
