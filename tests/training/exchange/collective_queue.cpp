// Exchange: what the leader's broadcasts say, and what its collectives cost.
#include "training/exchange/collective_queue.hpp"

#include <algorithm>
#include <vector>

#include "collectives/threads/threads.hpp"
#include "tests/support/catch.hpp"

using namespace arlab;
using namespace arlab::simulator;
using namespace arlab::collectives;
using namespace arlab::training;

namespace {

/// Sends all gradients at once, each in two slices. Its order is known on the leader only.
class AtOnce final : public Scheduler {
 public:
  explicit AtOnce(const Profile& profile) : profile_(profile) {}
  void ready(int layer, Time) override { ready_.push_back(layer); }
  std::optional<Bundle> next(Time) override {
    if (ready_.size() < profile_.size()) return {};
    Bundle all;
    for (const int layer : ready_) {
      const Count elements = profile_[static_cast<std::size_t>(layer)].elements;
      all.slices.push_back({layer, 0, 3});
      all.slices.push_back({layer, 3, elements - 3});
    }
    ready_.clear();
    return all;
  }

 private:
  Profile profile_;
  std::vector<int> ready_;
};

}  // namespace

TEST_CASE("bundles of few and of many slices reach all ranks as the leader chose them") {
  SchedulerKind kind;
  kind.same_everywhere = false;
  kind.make = [](const Profile& profile, const LinkCost&,
                 const Values&) -> std::unique_ptr<Scheduler> {
    return std::make_unique<AtOnce>(profile);
  };
  for (const int layers : {1, 4, 5, 30}) {
    INFO(layers << " layers");
    Profile profile;
    std::vector<Slice> right;
    for (int layer = 0; layer < layers; ++layer) {
      profile.push_back({"", {}, {}, 10 + layer, {}});
      right.push_back({layer, 0, 3});
      right.push_back({layer, 3, 7 + layer});
    }
    std::vector<std::vector<Bundle>> seen(3);
    on_threads(3, [&](Communicator& c) {
      Exchange exchange(c, {&find_algorithm("ring")}, true);
      exchange.schedule(kind, profile, {}, {}, [&](const Bundle& bundle) {
        seen[static_cast<std::size_t>(c.rank())].push_back(bundle);
      });
      for (int step = 0; step < 2; ++step) {
        for (int k = 0; k < layers; ++k)  // in another order on the other ranks
          exchange.ready(c.rank() == 0 ? k : layers - 1 - k);
        exchange.wait_for_all();
      }
    });
    const Bundle all{Collective::allreduce, right};
    for (const auto& its : seen) CHECK(its == std::vector<Bundle>{all, all});
  }
}
