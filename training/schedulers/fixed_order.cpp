#include "training/schedulers/fixed_order.hpp"

#include <numeric>

namespace arlab::training {
namespace {

class Follower : public Scheduler {
 public:
  Follower(std::vector<Bundle> plan, std::size_t layers, bool hold)
      : plan_(std::move(plan)), is_ready_(layers), hold_(hold) {}

  void ready(int layer, Time) override {
    is_ready_[static_cast<std::size_t>(layer)] = true;
    ++count_;
  }

  std::optional<Bundle> next(Time) override {
    if (at_ == plan_.size() || (hold_ && count_ < is_ready_.size())) return {};
    const Bundle& bundle = plan_[at_];
    for (; checked_ < bundle.slices.size(); ++checked_)
      if (!is_ready_[static_cast<std::size_t>(bundle.slices[checked_].layer)]) return {};
    checked_ = 0;
    ++at_;
    if (at_ == plan_.size()) {  // continues with the next step's gradients
      at_ = 0;
      count_ = 0;
      is_ready_.assign(is_ready_.size(), false);
    }
    return bundle;
  }

 private:
  std::vector<Bundle> plan_;
  std::size_t at_ = 0, count_ = 0;
  std::size_t checked_ = 0;  // slices of the next bundle that are known to be ready
  std::vector<bool> is_ready_;
  bool hold_;
};

}  // namespace

Bundle whole(const Profile& profile, std::span<const int> layers) {
  Bundle bundle;
  for (const int layer : layers)
    bundle.slices.push_back({layer, 0, profile[static_cast<std::size_t>(layer)].elements});
  return bundle;
}

std::vector<int> backward_order(const Profile& profile) {
  std::vector<int> order(profile.size());
  std::iota(order.rbegin(), order.rend(), 0);
  return order;
}

std::vector<Bundle> buckets_of(const Profile& profile, Bytes first, Bytes cap) {
  std::vector<Bundle> buckets;
  std::vector<int> open;
  Bytes bytes = 0;
  for (const int layer : backward_order(profile)) {
    open.push_back(layer);
    bytes += profile[static_cast<std::size_t>(layer)].bytes();
    if (bytes < (buckets.empty() ? first : cap)) continue;
    buckets.push_back(whole(profile, open));
    open.clear();
    bytes = 0;
  }
  if (!open.empty()) buckets.push_back(whole(profile, open));
  return buckets;
}

std::unique_ptr<Scheduler> follow(std::vector<Bundle> plan, const Profile& profile, bool hold) {
  return std::make_unique<Follower>(std::move(plan), profile.size(), hold);
}

}  // namespace arlab::training
