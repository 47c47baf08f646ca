#include "training/schedulers/ranked.hpp"

#include <algorithm>
#include <numeric>

namespace arlab::training {
namespace {

class Ranked : public Scheduler {
 public:
  Ranked(const Profile& profile, Ranking ranking)
      : Scheduler(ranking.limit), profile_(profile), ranking_(std::move(ranking)) {}

  void ready(int layer, Time) override {
    waiting_.push({ranking_.urgency[static_cast<std::size_t>(layer)], layer, 0});
  }

  std::optional<Bundle> next(Time) override {
    if (waiting_.empty()) return {};
    Waiting first = waiting_.top();
    const Count rest = profile_[static_cast<std::size_t>(first.layer)].elements - first.sent;
    const Count elements = std::min(rest, ranking_.slice);
    const Bytes bytes = elements * kGradientBytes;
    if (under_way_ > 0 && bytes > ranking_.credit - under_way_) return {};
    under_way_ += bytes;
    waiting_.pop();
    Bundle bundle{Collective::allreduce, {{first.layer, first.sent, elements}}};
    first.sent += elements;
    if (elements < rest) waiting_.push(first);
    return bundle;
  }

  void done(const Bundle& bundle, Time) override { under_way_ -= bundle.bytes(); }

 private:
  struct Waiting {
    int urgency, layer;
    Count sent;  // elements
    bool operator>(const Waiting& other) const { return urgency > other.urgency; }
  };

  Profile profile_;
  Ranking ranking_;
  Bytes under_way_ = 0;
  std::priority_queue<Waiting, std::vector<Waiting>, std::greater<>> waiting_;
};

}  // namespace

std::vector<int> forward_urgency(const Profile& profile) {
  std::vector<int> urgency(profile.size());
  std::iota(urgency.begin(), urgency.end(), 0);
  return urgency;
}

std::unique_ptr<Scheduler> by_urgency(const Profile& profile, Ranking ranking) {
  ranking.slice = std::max<Count>(ranking.slice, 1);
  return std::make_unique<Ranked>(profile, std::move(ranking));
}

}  // namespace arlab::training
