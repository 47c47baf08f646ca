// Plan: a fixed list of bundles, each sent when all of its gradients are ready, in the list's
// order.
//
// Static buckets, merged gradients and whole tensors differ in the list only.
#pragma once

#include <memory>
#include <vector>

#include "training/schedulers/scheduler.hpp"

namespace arlab::training {

/// The layers' gradients, whole.
Bundle whole(const Profile& profile, std::span<const int> layers);

/// The layers from the last to the first: the order in which the backward pass completes them.
std::vector<int> backward_order(const Profile& profile);

/// Layers are put into the bundle that is open until it holds `first` bytes, later ones `cap`: the
/// rule of PyTorch's DistributedDataParallel.
std::vector<Bundle> buckets_of(const Profile& profile, Bytes first, Bytes cap);

/// Sends the bundles in order, each once its gradients are all ready; `hold`: and not before all
/// gradients of the step are.
std::unique_ptr<Scheduler> follow(std::vector<Bundle> plan, const Profile& profile,
                                  bool hold = false);

}  // namespace arlab::training
