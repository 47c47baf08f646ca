// FixedOrder: sends a fixed list of bundles in order, each when all of its gradients are ready.
//
// Static buckets, merged gradients and whole tensors differ only in the list.
#pragma once

#include <memory>
#include <vector>

#include "training/schedulers/scheduler.hpp"

namespace arlab::training {

/// Returns a bundle of the layers' whole gradients.
Bundle whole(const Profile& profile, std::span<const int> layers);

/// Returns the layers from last to first: the order in which the backward pass completes them.
std::vector<int> backward_order(const Profile& profile);

/// Fills the first bucket up to `first` bytes, and later ones up to `cap`: the rule of PyTorch's
/// DistributedDataParallel.
std::vector<Bundle> buckets_of(const Profile& profile, Bytes first, Bytes cap);

/// Makes a scheduler that sends the bundles in order, each once its gradients are ready. With `hold`
/// it first waits for all gradients of the step.
std::unique_ptr<Scheduler> follow(std::vector<Bundle> plan, const Profile& profile,
                                  bool hold = false);

}  // namespace arlab::training
